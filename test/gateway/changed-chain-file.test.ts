// Gateways that are started with a changed chain file, over the index that was made before and over the one that is made of it.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sourcesText, withSources } from "../../chains/sources.ts";
import { changeLive } from "../../fold/revision.ts";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { routerQuery } from "../support/router-questions.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [A, B, PAIR] = [1, 2, 3].map(tokenOf) as [string, string, string];
const [DEV, BOB, FACTORY, ROUTER] = [1, 2, 70, 71].map(accountOf) as [string, string, string, string];

const before = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  v2: { factory: { address: FACTORY, startBlock: 0 }, router: ROUTER },
});
const withoutPairs = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0 });

/** DEV has three quarters of the pair's shares, BOB the rest. */
function tellPair(): Script {
  const script = new Script();
  for (const token of [A, B]) script.mint(token, DEV, 1_000_000n);
  script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0: A, token1: B, ordinal: 1 });
  script.nextBlock();
  for (const token of [A, B]) script.move(token, { from: DEV, to: PAIR, amount: 100_000n });
  script.mint(PAIR, ZERO, 1_000n);
  script.mint(PAIR, DEV, 74_000n);
  script.mint(PAIR, BOB, 25_000n);
  script.tell("v2_sync", { pair: PAIR, reserve0: "100000", reserve1: "100000" });
  script.nextBlock();
  script.move(B, { from: DEV, to: BOB, amount: 5n });
  return script;
}

const oldIndex = { ponderSchema: "facts_old", foldSchema: "fold_old", finalized: 1, chain: before };
const newIndex = { ponderSchema: "facts_new", foldSchema: "fold_new", finalized: 1, chain: withoutPairs };

let database: TestDatabase;
const opened: TestGateway[] = [];

function gatewayOf(chain: typeof before): TestGateway {
  const gateway = openGateway(database.url, chain);
  opened.push(gateway);
  return gateway;
}

const balancesOf = async ({ get }: TestGateway): Promise<Record<string, unknown>> => {
  const { body } = await get(`/balances/${A}?blockNumber=2`);
  return body;
};

const pointGatewaysAt = ({ ponderSchema, foldSchema }: typeof oldIndex): Promise<void> =>
  changeLive(database.sql, SCRIPT_CHAIN_ID, {
    change: "update tidemark.live set ponder_schema = $1, fold_schema = $2, since = now()",
    parameters: [ponderSchema, foldSchema],
  });

beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellPair(), newIndex);
  await buildScripted(database.sql, tellPair(), oldIndex);
});
afterAll(async () => {
  await Promise.all(opened.map((gateway) => gateway.close()));
  await database.stop();
});

describe("a chain file that was changed", () => {
  it("does not change what an index holds that was made before", async () => {
    await pointGatewaysAt(oldIndex);
    const expected = await balancesOf(gatewayOf(before));
    expect(JSON.stringify(expected)).toContain(BOB);
    expect(await balancesOf(gatewayOf(withoutPairs))).toEqual(expected);
  });

  it("holds from the moment when gateways are pointed at the index that was made of it", async () => {
    await pointGatewaysAt(oldIndex);
    const gateway = gatewayOf(withoutPairs);
    const first = await balancesOf(gateway);
    await pointGatewaysAt(newIndex);
    const then = await balancesOf(gateway);
    expect(JSON.stringify(then)).not.toContain(BOB);
    expect(then).toEqual(await balancesOf(gatewayOf(withoutPairs)));
    await pointGatewaysAt(oldIndex);
    expect(await balancesOf(gateway)).toEqual(first);
  });

  it("lets no block be answered that is not in the index, and all that are", async () => {
    await pointGatewaysAt(oldIndex);
    const later = gatewayOf(chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 3 }));
    expect(await balancesOf(later)).toEqual(await balancesOf(gatewayOf(before)));
    expect((await later.get("/status")).body.firstBlock).toBe(0);
  });

  it("does not change what the explorer shows of such an index", async () => {
    await pointGatewaysAt(oldIndex);
    const pageOf = async ({ service }: TestGateway, path: string) => {
      const app = createApp(service, pino({ level: "silent" }), { pages });
      return (await app.request(`/explore/${SCRIPT_CHAIN_ID}${path}`)).text();
    };
    const later = chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 3 });
    for (const path of [`/token/${A}/history?block=2`, `/account/${DEV}?block=2`]) {
      const page = await pageOf(gatewayOf(later), path);
      expect(page).toContain(">2<");
      expect(page).toBe(await pageOf(gatewayOf(before), path));
    }
  });

  it("is what quotes go by, too", async () => {
    await pointGatewaysAt(oldIndex);
    const question = `/router/quote?${routerQuery({ tokenInAddress: A, tokenOutAddress: B, amount: 1_000 })}`;
    const { status, body } = await gatewayOf(withoutPairs).get(question);
    expect({ status, body }).toEqual({ status: 200, body: (await gatewayOf(before).get(question)).body });
  });

  it("has tags of its own where only what it says of the same contracts was corrected", async () => {
    await pointGatewaysAt(oldIndex);
    const gateway = gatewayOf(before);
    const tag = async () => (await gateway.get(`/balances/${A}?blockNumber=2`)).headers.get("etag");
    const setSources = (chain: typeof before) =>
      database.sql`update fold_old.meta set sources = ${sourcesText(chain)}, revision = revision + 1`;
    const first = await tag();
    await setSources({ ...before, v2: before.v2 && { ...before.v2, swapFee: 2500 } });
    expect(await tag()).not.toBe(first);
    await setSources(before);
    expect(await tag()).toBe(first);
  });

  it("answers by the file alone where a fold of an older version does not say what it was made of", async () => {
    await pointGatewaysAt(oldIndex);
    await database.sql.unsafe("alter table fold_old.meta rename column sources to other");
    try {
      expect(JSON.stringify(await balancesOf(gatewayOf(withoutPairs)))).not.toContain(BOB);
    } finally {
      await database.sql.unsafe("alter table fold_old.meta rename column other to sources");
    }
  });
});

describe("a chain as an index has it", () => {
  it("is the chain file where both index the same, with what was corrected besides", () => {
    const corrected = { ...before, v2: before.v2 && { ...before.v2, swapFee: 2500 } };
    expect(withSources(corrected, sourcesText(before))).toBe(corrected);
  });

  it("has the sources of the index and everything else of the chain file", () => {
    const changed = { ...withoutPairs, nativeSymbol: "XYZ", startBlock: 7 };
    const { v2, startBlock, nativeSymbol } = withSources(changed, sourcesText(before));
    expect({ v2, startBlock, nativeSymbol }).toEqual({ v2: before.v2, startBlock: 0, nativeSymbol: "XYZ" });
  });

  it("is the chain file where what the index says cannot be read", () => {
    expect(withSources(before, JSON.stringify({ startBlock: "none" }))).toBe(before);
    expect(withSources(before, undefined)).toBe(before);
  });
});
