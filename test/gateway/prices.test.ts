// /tokens and the prices of GraphQL over a small world of pairs, worked out by hand; prices that are pushed up and down,
// below and above the last final block; what has no price; what is refused.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Connection } from "../../gateway/database/database.ts";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const E18 = 10n ** 18n;
const BERA = "0x00000000000000000000000000000000000000ee";
const [USD, X, ODD, SHALLOW, REWARD] = [tokenOf(1), tokenOf(2), tokenOf(3), tokenOf(4), tokenOf(5)];
const [BERA_USD, BERA_X, X_ODD, BERA_SHALLOW] = [tokenOf(101), tokenOf(102), tokenOf(103), tokenOf(104)];
const [ALICE, FACTORY] = [accountOf(1), accountOf(90)];
const UNKNOWN = accountOf(77);

const FINALIZED = 1_200;
/** One block of ten times the price, below and above the last final block; and one whose end is as its beginning. */
const [CALM, PUSHED, PUSHED_ABOVE, HEAD] = [1_100, 1_150, 1_205, 1_210];

const chain = chainFixture({
  chainId: SCRIPT_CHAIN_ID,
  startBlock: 0,
  nativeSymbol: "BERA",
  wrappedNative: { address: BERA, symbol: "WBERA", flavour: "transfer" },
  stables: [{ address: USD, priceUsd: "1" }],
  pricedAs: { [REWARD]: BERA },
  v2: { factory: { address: FACTORY, startBlock: 0 }, router: accountOf(91) },
  // what has a fixed price may be a share of what has none
  externalVaults: [{ address: USD, startBlock: 0, kind: "erc4626", asset: ODD }],
});

interface Pair {
  address: string;
  tokens: [string, string];
  /** Whole tokens. */
  reserves: [bigint, bigint];
}

/** BERA at 4 USD, X at 2 BERA; ODD behind so little of X that it has no price, SHALLOW in a pool of 800 USD. */
const pairs: Pair[] = [
  { address: BERA_USD, tokens: [BERA, USD], reserves: [10_000n, 40_000n] },
  { address: BERA_X, tokens: [BERA, X], reserves: [5_000n, 2_500n] },
  { address: X_ODD, tokens: [X, ODD], reserves: [1n, 1n] },
  { address: BERA_SHALLOW, tokens: [BERA, SHALLOW], reserves: [200n, 200n] },
];

function tellMarket(): Script {
  const script = new Script();
  for (const token of [BERA, USD, X, ODD, SHALLOW, REWARD]) script.mint(token, ALICE, 1_000_000n * E18);
  script.nextBlock();
  for (const [ordinal, { address, tokens, reserves }] of pairs.entries()) {
    const [token0, token1] = tokens;
    script.tell("v2_pair_created", { factory: FACTORY, pair: address, token0, token1, ordinal: String(ordinal + 1) });
    for (const [i, token] of tokens.entries())
      script.move(token, { from: ALICE, to: address, amount: (reserves[i] ?? 0n) * E18 });
    script.mint(address, ALICE, 1_000n * E18);
    sync(script, address, [reserves[0] * E18, reserves[1] * E18]);
  }
  script.block = CALM;
  script.nextBlock();
  // there and back within one block
  swap(script, 10n);
  swap(script, -10n);
  for (const block of [PUSHED, PUSHED_ABOVE]) {
    script.block = block - 1;
    script.nextBlock();
    swap(script, 10n);
    script.nextBlock();
    swap(script, -10n);
  }
  script.block = HEAD;
  return script;
}

const sync = (script: Script, pair: string, [reserve0, reserve1]: [bigint, bigint]): void =>
  script.tell("v2_sync", { pair, reserve0: String(reserve0), reserve1: String(reserve1) });

/** √10, near enough: pushes X to ten times its price in BERA, or back. */
const ROOT = 3_162n;
function swap(script: Script, push: bigint): void {
  const [bera, x] = [5_000n * E18, 2_500n * E18];
  const pushed: [bigint, bigint] = [(bera * ROOT) / 1_000n, (x * 1_000n) / ROOT];
  const [inBera, outX] = [pushed[0] - bera, x - pushed[1]];
  if (push > 0n) {
    script.move(BERA, { from: ALICE, to: BERA_X, amount: inBera });
    script.move(X, { from: BERA_X, to: ALICE, amount: outX });
    sync(script, BERA_X, pushed);
  } else {
    script.move(BERA, { from: BERA_X, to: ALICE, amount: inBera });
    script.move(X, { from: ALICE, to: BERA_X, amount: outX });
    sync(script, BERA_X, [bera, x]);
  }
}

const index = { ponderSchema: "facts_prices", foldSchema: "fold_prices", finalized: FINALIZED };
let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellMarket(), index);
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface Record_ {
  id: string;
  price: number;
  priceStrategy: string;
  [field: string]: unknown;
}

async function records(addresses: readonly string[], more = ""): Promise<Record_[]> {
  const { status, text } = await gateway.get(`/tokens?addresses=${addresses.join(",")}${more}`);
  expect(status, text).toBe(200);
  return JSON.parse(text) as Record_[];
}
const priceAt = async (token: string, block: number): Promise<number> =>
  (await records([token], `&blockNumber=${block}`))[0]?.price ?? 0;

describe("/tokens", () => {
  it("gives a record per item, in order, with every field", async () => {
    const items = [X.toUpperCase().replace("0X", "0x"), USD, X, UNKNOWN, ZERO, "bera", REWARD, BERA_USD];
    const shown = await records(items, `&blockNumber=${CALM}`);
    expect(shown.map(({ id }) => id)).toEqual([X, USD, X, UNKNOWN, ZERO, "bera", REWARD, BERA_USD]);
    const lastIndexed = new Date(timestampOf(HEAD) * 1_000).toISOString();
    expect(lastIndexed).toMatch(/\.000Z$/);
    const indexed = { decimals: 18, lastIndexed, known: true };
    expect(shown[0]).toEqual({
      id: X,
      symbol: "T",
      name: "T",
      price: 8,
      totalSupply: 1_000_000,
      priceStrategy: "pool",
      ...indexed,
    });
    expect(shown[1]).toMatchObject({ price: 1, priceStrategy: "fixed" });
    expect(shown[3]).toEqual({
      id: UNKNOWN,
      symbol: "",
      name: "",
      decimals: 0,
      price: 0,
      totalSupply: 0,
      priceStrategy: "none",
      lastIndexed,
      known: false,
    });
    expect(shown[4]).toMatchObject({ symbol: "BERA", name: "BERA", price: 4, priceStrategy: "pool", ...indexed });
    expect({ ...shown[5], id: ZERO }).toEqual(shown[4]);
    expect(shown[6]).toMatchObject({ price: 4, priceStrategy: "pool" });
    // 80,000 USD behind 1,000 shares
    expect(shown[7]).toMatchObject({ price: 80, priceStrategy: "vault", totalSupply: 1_000 });
  });

  it("says what has no price, and why a share has none", async () => {
    const [odd, shallow, share, young] = await records([ODD, SHALLOW, X_ODD, BERA_SHALLOW]);
    expect([odd, shallow]).toMatchObject([
      { price: 0, priceStrategy: "none", known: true },
      { price: 0, priceStrategy: "none", known: true },
    ]);
    expect(share).toMatchObject({ price: 0, priceStrategy: "none", unpriced: [ODD] });
    expect(young).toMatchObject({ price: 0, priceStrategy: "none", unpriced: [SHALLOW] });
    expect(odd).not.toHaveProperty("unpriced");
    // before anything was there
    expect((await records([X, BERA_USD], "&blockNumber=1")).map(({ price, known }) => [price, known])).toEqual([
      [0, true],
      [0, false],
    ]);
  });

  it("takes a list as a body, a block by time, and answers HEAD's block without one", async () => {
    const post = async (body: unknown) => {
      const headers = { "content-type": "application/json" };
      const response = await gateway.app.request("/tokens", { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, block: response.headers.get("x-block-number"), body: await response.json() };
    };
    const block = CALM - 10;
    const named = await post({ addresses: [X, X], blockNumber: block });
    expect(named).toEqual({ status: 200, block: String(block), body: await records([X, X], `&blockNumber=${block}`) });
    expect((await post({ addresses: [X], timestamp: timestampOf(block) + 1 })).block).toBe(String(block));
    expect((await post({ addresses: [X] })).block).toBe(String(HEAD));
    expect((await post({ addresses: [] })).status).toBe(400);
    expect((await post({ addresses: "x" })).status).toBe(400);
  });

  it.each([
    ["", "addresses"],
    ["?addresses=", "addresses"],
    [`?addresses=${X},`, "addresses"],
    [`?addresses=${X},0x12`, "item 2"],
    ["?addresses=WBERA", "item 1"],
    [`?addresses=${X}&blockNumber=-1`, "blockNumber"],
    [`?addresses=${X}&blockNumber=1&timestamp=1`, "timestamp"],
    [`?addresses=${X}&timestamp=1`, "timestamp"],
    [`?addresses=${X}&chainId=1`, "chainId"],
    [`?addresses=${Array.from({ length: 10_001 }, () => X).join(",")}`, "10000"],
  ])("refuses '%.60s', naming what is wrong", async (query, named) => {
    const { status, body } = await gateway.get(`/tokens${query}`);
    expect([status, (body.error as { code: string }).code]).toEqual([400, "INVALID_INPUT"]);
    expect((body.error as { message: string }).message).toContain(named);
  });
});

it("of a share that has a fixed price is that one, behind other shares too", async () => {
  const shown = await records([USD, BERA_USD], `&blockNumber=${CALM}`);
  expect(shown).toMatchObject([
    { price: 1, priceStrategy: "fixed" },
    { price: 80, priceStrategy: "vault" },
  ]);
  for (const record of shown) expect(record).not.toHaveProperty("unpriced");
});

describe("a price that is pushed to ten times within one block", () => {
  it("does not move when it is pushed back in the same block", async () => {
    expect(await priceAt(X, CALM + 1)).toBe(8);
  });

  it.each([
    ["below", PUSHED],
    ["above", PUSHED_ABOVE],
  ])("%s the last final block: nothing at the end of that block, less than a hundredth after it", async (_, block) => {
    const before = await priceAt(X, block - 1);
    expect(Math.abs((await priceAt(X, block)) / before - 1)).toBeLessThan(1e-9);
    const after = await priceAt(X, block + 1);
    expect(Math.abs(after / before - 1)).toBeLessThan(0.01);
    expect(after).not.toBe(before);
    // 2 of 1,800 seconds, by hand; one push lies in the window of the other
    const pushes = block === PUSHED ? 1 : 2;
    expect(after / 8).toBeCloseTo(((Number(ROOT) / 1_000) ** 2) ** ((pushes * 2) / 1_800), 6);
  });

  it("leaves the pool's shares at their worth", async () => {
    const before = await priceAt(BERA_X, PUSHED - 1);
    for (const block of [PUSHED, PUSHED + 1, PUSHED_ABOVE])
      expect(Math.abs((await priceAt(BERA_X, block)) / before - 1)).toBeLessThan(0.01);
  });
});

const priceFields = "price { usd usdDouble strategy path block { number } } priceStrategy unpriced";

describe("GraphQL", () => {
  it("says the same as REST, with null for what has no price", async () => {
    const items = [X, ODD, X_ODD, ZERO, UNKNOWN, BERA_USD, X];
    const { tokenPrices } = await gateway.data<{
      tokenPrices: { price: { usdDouble: number } | null; [field: string]: unknown }[];
    }>(
      `{ tokenPrices(addresses: ${JSON.stringify(items)}, block: {number: ${PUSHED}}) {
          id address known symbol name decimals totalSupplyDecimal ${priceFields} } }`,
    );
    const rest = await records(items, `&blockNumber=${PUSHED}`);
    const asRest = tokenPrices.map(
      ({ id, known, symbol, name, decimals, totalSupplyDecimal, price, priceStrategy, unpriced }) => ({
        ...{ id, known, symbol: symbol ?? "", name: name ?? "", decimals: decimals ?? 0 },
        ...{ price: price?.usdDouble ?? 0, priceStrategy, totalSupply: Number(totalSupplyDecimal ?? 0) },
        ...((unpriced as string[]).length > 0 ? { unpriced } : {}),
      }),
    );
    expect(asRest).toEqual(rest.map(({ lastIndexed: _, ...record }) => record));
    expect(tokenPrices[0]?.price).toMatchObject({
      strategy: "pool",
      path: [BERA_USD, BERA_X],
      block: { number: PUSHED },
    });
    expect([tokenPrices[1]?.price, tokenPrices[2]?.price, tokenPrices[4]?.price]).toEqual([null, null, null]);
  });

  it("prices a token at its own block, or at another", async () => {
    const { token } = await gateway.data<{ token: Record<string, unknown> }>(
      `{ token(address: "${X}", block: {number: ${CALM}}) { ${priceFields} early: price(block: {number: 1}) { usd } now: price(block: {latest: true}) { block { number } } } }`,
    );
    expect(token).toEqual({
      price: { usd: "8", usdDouble: 8, strategy: "pool", path: [BERA_USD, BERA_X], block: { number: CALM } },
      priceStrategy: "pool",
      unpriced: [],
      early: null,
      now: { block: { number: HEAD } },
    });
  });

  it("gives a history at blocks evenly spaced, both ends included", async () => {
    const history = (points: number) =>
      `priceHistory(token: "${X}", from: {number: ${PUSHED - 1}}, to: {number: ${PUSHED + 3}}, points: ${points}) {
        token nodes { block { number timestamp } price { usdDouble } priceStrategy } }`;
    const { all, two, one } = await gateway.data<
      Record<string, { nodes: { block: { number: number }; price: { usdDouble: number } }[] }>
    >(`{ all: ${history(24)} two: ${history(2)} one: ${history(1)} }`);
    expect(all?.nodes.map(({ block }) => block.number)).toEqual([0, 1, 2, 3, 4].map((i) => PUSHED - 1 + i));
    expect(two?.nodes.map(({ block }) => block.number)).toEqual([PUSHED - 1, PUSHED + 3]);
    expect(one?.nodes.map(({ block }) => block.number)).toEqual([PUSHED + 3]);
    for (const { block, price } of all?.nodes ?? []) expect(price.usdDouble).toBe(await priceAt(X, block.number));
    for (const points of [0, 101]) {
      const { errors } = await gateway.graphql(`{ ${history(points)} }`);
      expect(errors?.[0]?.extensions?.code).toBe("INVALID_INPUT");
    }
  });

  it("asks the database as often for all tokens as for one", async () => {
    const counted = async (first: number, block: number): Promise<number> => {
      const { count, stop } = countStatements();
      await gateway.data(`{ tokens(first: ${first}, block: {number: ${block}}) { nodes { address ${priceFields} } } }`);
      stop();
      return count();
    };
    expect(await counted(100, 701)).toBe(await counted(1, 702));
  });
});

/** Statements from here on; a page's own are as many whatever its length. */
function countStatements(): { count(): number; stop(): void } {
  const { database: served } = gateway.service;
  const { connect } = served;
  let statements = 0;
  served.connect = async () => {
    const connection = await connect();
    const { rows } = connection;
    connection.rows = ((...query: Parameters<Connection["rows"]>) => {
      statements += 1;
      return rows(...query);
    }) as Connection["rows"];
    return connection;
  };
  return {
    count: () => statements,
    stop: () => {
      served.connect = connect;
    },
  };
}

it("of a block in the place of another of its number are those of the new block, whatever was answered about the old one", async () => {
  const before = await priceAt(X, HEAD);
  const place = { block: HEAD - 1, log_index: 1, tx_index: 0, timestamp: timestampOf(HEAD - 1), pair: BERA_X };
  await database.sql`insert into facts_prices.v2_sync
    ${database.sql({ ...place, reserve0: String(5_000n * E18), reserve1: String(5n * E18) })}`;
  for (const block of [HEAD - 1, HEAD])
    await database.sql`update facts_prices.block set hash = ${hashOf(block, 1)} where number = ${block}`;
  await followFacts(database.sql, index);
  const after = await priceAt(X, HEAD);
  // a thousand times the reserve behind it for the last two of 1,800 seconds: the mean is one of prices
  expect(after / before).toBeGreaterThan(1.001);
  const unknowing = openGateway(database.url, chain);
  const { body } = await unknowing.get(`/tokens?addresses=${X}&blockNumber=${HEAD}`);
  await unknowing.close();
  expect(after).toBe((body as unknown as Record_[])[0]?.price);
});
