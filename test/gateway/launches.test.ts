// The catalogue of launched tokens: records, pages and refusals in both skins, at the head and at earlier blocks.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { volumeOf } from "../../gateway/catalogue/launch-volume.ts";
import { followFacts } from "../support/folded-index.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import {
  AT,
  BOB,
  DEPLOYER,
  E,
  FINALIZED,
  HONEY,
  launchChain,
  launchScript,
  ODD,
  OLD,
  OWN,
  PAIR,
  POOL,
  QUIET,
} from "../support/launch-script.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const index = { ponderSchema: "facts_launch", foldSchema: "fold_launch", finalized: FINALIZED };
let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, launchScript(), index);
  gateway = openGateway(database.url, launchChain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

type Record_ = Record<string, unknown>;
const get = async (path: string) => {
  const { status, body } = await gateway.get(`/launch/31337${path}`);
  return { status, body, error: body.error as { code: string; details: { parameter: string } } | undefined };
};
const list = async (query: string) => {
  const { body } = await get(`/tokens${query}`);
  return { ...body, data: body.data as Record_[] } as { data: Record_[]; count: number; page: number; limit: number };
};
const iso = (block: number) => new Date(timestampOf(block) * 1000).toISOString();
const nothing = { description: null, socials: {}, logoURI: null };

describe("a record", () => {
  it("shows a token that is its own pool and has graduated", async () => {
    const { status, body } = await get(`/tokens/${OWN}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ id: OWN, address: OWN, name: "T", symbol: "T", decimals: 18, totalSupply: 1_000 },
      ...{ poolAddress: OWN, baseToken: HONEY, deployer: DEPLOYER },
      ...{
        createdAt: iso(AT.own),
        createdBlock: AT.own,
        graduated: true,
        graduatedAt: iso(AT.graduated),
        dexPair: PAIR,
      },
      ...{ price: 25, priceUSD: expect.closeTo(25, 9), marketCapUSD: expect.closeTo(25_000, 6) },
      ...{ raised: 2_690, totalRaise: 2_700, progress: 1, volumeUSD: 2_713, unpricedVolume: 0 },
      ...{ holdersCount: 4, swapsCount: 3, ...nothing },
    });
    expect(Object.keys(body)).toEqual(
      "id address name symbol decimals totalSupply poolAddress baseToken deployer createdAt createdBlock graduated graduatedAt dexPair price priceUSD marketCapUSD raised totalRaise progress volumeUSD unpricedVolume holdersCount swapsCount description socials logoURI".split(
        " ",
      ),
    );
  });

  it("shows a token with a pool of its own, by either address, whose base token nothing prices", async () => {
    const { body } = await get(`/tokens/${POOL.toUpperCase().replace("0X", "0x")}`);
    expect(body).toEqual({
      ...{ id: OLD, address: OLD, name: "T", symbol: "T", decimals: 18, totalSupply: 1_000 },
      ...{ poolAddress: POOL, baseToken: ODD, deployer: DEPLOYER },
      ...{ createdAt: iso(AT.old), createdBlock: AT.old, graduated: false, graduatedAt: null, dexPair: null },
      ...{ price: 1.21, priceUSD: null, marketCapUSD: null, raised: 5, totalRaise: 2_700, progress: 5 / 2_700 },
      ...{ volumeUSD: null, unpricedVolume: 5, holdersCount: 1, swapsCount: 1, ...nothing },
    });
    expect((await get(`/tokens/${OLD}`)).body).toEqual(body);
  });

  it("shows a token that nobody has traded", async () => {
    const { body } = await get(`/tokens/${QUIET[0]}`);
    expect(body).toMatchObject({ price: 1, priceUSD: 1, raised: 0, progress: 0, volumeUSD: 0, unpricedVolume: 0 });
    expect(body).toMatchObject({ holdersCount: 0, swapsCount: 0, marketCapUSD: 1_000 });
  });
});

describe("the list", () => {
  it("is in pages, newest first by block and log", async () => {
    const whole = await list("?limit=100");
    expect([whole.count, whole.page, whole.limit]).toEqual([27, 1, 100]);
    expect(whole.data.map(({ id }) => id)).toEqual([...[...QUIET].reverse(), OLD, OWN]);
    const first = await list("");
    expect([first.limit, first.data.length]).toEqual([20, 20]);
    const paged = [];
    for (let page = 1; page <= 4; page++) paged.push(...(await list(`?limit=8&page=${page}`)).data);
    expect(paged).toEqual(whole.data);
    expect(await list("?limit=8&page=5")).toEqual({ data: [], count: 27, page: 5, limit: 8 });
    expect(whole.data.at(-1)).toEqual((await get(`/tokens/${OWN}`)).body);
  });

  it("of some tokens has those that there are, in its own order", async () => {
    const { data, count } = await list(`?addresses=${OWN},${BOB},${POOL},${OWN.toUpperCase().replace("0X", "0x")}`);
    expect([count, data.map(({ id }) => id)]).toEqual([2, [OLD, OWN]]);
    expect(await list(`?addresses=${BOB}`)).toEqual({ data: [], count: 0, page: 1, limit: 20 });
  });

  it.each([
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?limit=ten", "limit"],
    ["?limit=", "limit"],
    ["?page=0", "page"],
    ["?page=-1", "page"],
    ["?page=1.5", "page"],
    ["?addresses=", "addresses"],
    [`?addresses=${OWN},`, "addresses"],
    ["?addresses=0x12", "addresses"],
  ])("refuses %s", async (query, parameter) => {
    const { status, error } = await get(`/tokens${query}`);
    expect([status, error?.code, error?.details.parameter]).toEqual([400, "INVALID_INPUT", parameter]);
  });

  it("ignores parameters that it does not know", async () => {
    expect((await list("?limit=1&sort=up")).data).toHaveLength(1);
  });
});

it("the catalogue refuses what is not there", async () => {
  expect((await get(`/tokens/${BOB}`)).error?.code).toBe("LAUNCH_NOT_FOUND");
  expect((await get(`/tokens/${BOB}`)).status).toBe(404);
  expect((await get(`/tokens/${HONEY}`)).status).toBe(404);
  expect((await get("/tokens/0x12")).error?.details.parameter).toBe("address");
  for (const chain of ["1", "berachain", "-1"]) {
    const { status, body } = await gateway.get(`/launch/${chain}/tokens`);
    expect([status, (body.error as { details: object }).details]).toMatchObject([400, { parameter: "chainId" }]);
  }
});

interface Shown {
  [field: string]: unknown;
}

describe("GraphQL", () => {
  const fields = `token { address name symbol decimals totalSupplyDecimal } pool isOwnPool baseToken { address } deployer
    createdBlock createdAt graduated graduatedBlock graduatedAt dexPair price priceUSD marketCapUSD raised raisedDecimal
    totalRaise progress volume volumeUSD unpricedVolume holdersCount swapsCount lastTradeAt block { number }
    curve { sqrtPa sqrtPb sqrtPrice tokensInPool tokenReserve baseReserve }`;
  const launchAt = async (address: string, block: number) =>
    (
      await gateway.data<{ launch: Shown }>(
        `{ launch(address: "${address}", block: {number: ${block}}) { ${fields} } }`,
      )
    ).launch;

  it("says the same as REST", async () => {
    const { data } = await list("?limit=100");
    const { launches } = await gateway.data<{ launches: { totalCount: number; nodes: Shown[] } }>(
      `{ launches { totalCount nodes { ${fields} } } }`,
    );
    expect(launches.totalCount).toBe(27);
    const asNumber = (text: unknown) => (text === null ? null : Number(text));
    const inWhole = (raw: unknown) => Number(`${raw}e-18`);
    const shown = launches.nodes.map((node) => {
      const token = node.token as Shown;
      return {
        ...{
          id: token.address,
          address: token.address,
          name: token.name,
          symbol: token.symbol,
          decimals: token.decimals,
        },
        totalSupply: asNumber(token.totalSupplyDecimal),
        ...{ poolAddress: node.pool, baseToken: (node.baseToken as Shown).address, deployer: node.deployer },
        createdAt: new Date(Number(node.createdAt) * 1000).toISOString(),
        ...{ createdBlock: node.createdBlock, graduated: node.graduated },
        graduatedAt: node.graduatedAt === null ? null : new Date(Number(node.graduatedAt) * 1000).toISOString(),
        ...{ dexPair: node.dexPair, price: asNumber(node.price), priceUSD: asNumber(node.priceUSD) },
        ...{
          marketCapUSD: asNumber(node.marketCapUSD),
          raised: inWhole(node.raised),
          totalRaise: inWhole(node.totalRaise),
        },
        ...{
          progress: node.progress,
          volumeUSD: asNumber(node.volumeUSD),
          unpricedVolume: inWhole(node.unpricedVolume),
        },
        ...{ holdersCount: node.holdersCount, swapsCount: node.swapsCount, ...nothing },
      };
    });
    expect(shown).toEqual(data);
  });

  it.each([
    [AT.own, { price: "1", raised: "0", progress: 0, holdersCount: 0, swapsCount: 0, volume: "0", volumeUSD: "0" }],
    [AT.bought, { price: "1.21", raised: `${10n * E}`, holdersCount: 1, swapsCount: 1, volumeUSD: "10" }],
    [AT.quiet, { price: "1.21", raised: `${10n * E}`, holdersCount: 1, swapsCount: 1, graduatedBlock: null }],
    [AT.sold, { price: "1.1025", raised: `${7n * E}`, holdersCount: 2, swapsCount: 2, volumeUSD: "13", dexPair: null }],
    [AT.graduated, { price: "25", raised: `${2_690n * E}`, progress: 1, graduatedBlock: AT.graduated, dexPair: PAIR }],
  ])("shows a token as it was at block %i", async (block, expected) => {
    expect(await launchAt(OWN, block)).toMatchObject({ ...expected, block: { number: block }, isOwnPool: true });
  });

  it("keeps the curve as it was at its end", async () => {
    const { curve } = await launchAt(OWN, AT.head);
    const range = { sqrtPa: `${E}`, sqrtPb: `${3n * E}`, tokensInPool: `${900n * E}` };
    expect(curve).toEqual({
      ...range,
      sqrtPrice: `${3n * E}`,
      tokenReserve: `${2n * E}`,
      baseReserve: `${2_690n * E}`,
    });
  });

  it("knows nothing of a launch before its block", async () => {
    const { errors } = await gateway.graphql(`{ launch(address: "${OWN}", block: {number: 1}) { pool } }`);
    expect(errors?.[0]?.extensions?.code).toBe("LAUNCH_NOT_FOUND");
    const { launches } = await gateway.data<{ launches: { nodes: object[] } }>(
      `{ launches(block: {number: ${AT.old}}) { nodes { pool } } }`,
    );
    expect(launches.nodes).toEqual([{ pool: POOL }, { pool: OWN }]);
  });

  it("pages on the block that it began with, and can leave out what has not graduated", async () => {
    const page = (more: string) =>
      gateway.data<{ launches: { nodes: { pool: string }[]; pageInfo: { endCursor: string; hasNextPage: boolean } } }>(
        `{ launches(first: 10, block: {number: ${AT.sold}}${more}) { nodes { pool } pageInfo { endCursor hasNextPage } } }`,
      );
    const pools: string[] = [];
    for (let after = ""; ; ) {
      const { launches } = await page(after);
      pools.push(...launches.nodes.map(({ pool }) => pool));
      if (!launches.pageInfo.hasNextPage) break;
      after = `, after: "${launches.pageInfo.endCursor}"`;
    }
    expect(pools).toEqual([...[...QUIET].reverse(), POOL, OWN]);
    const { of, not } = await gateway.data<{ of: { nodes: object[] }; not: { totalCount: number } }>(
      "{ of: launches(graduated: true) { nodes { pool } } not: launches(graduated: false) { totalCount } }",
    );
    expect([of.nodes, not.totalCount]).toEqual([[{ pool: OWN }], 26]);
  });
});

it("the token list has graduated tokens for wallets", async () => {
  const { status, body } = await get("/tokenList.json");
  expect([status, body]).toEqual([
    200,
    {
      name: "Launched on fixture",
      timestamp: iso(AT.graduated),
      version: { major: 1, minor: 1, patch: 0 },
      tokens: [{ chainId: 31337, address: OWN, name: "T", symbol: "T", decimals: 18 }],
    },
  ]);
});

describe("a volume", () => {
  const trades = [1, 2, 3].map((block) => ({ block, timestamp: block, base: 10n * E }));
  const curve = { baseToken: HONEY, trades } as unknown as Parameters<typeof volumeOf>[0];
  const usd = (dollars: bigint) => dollars * 10n ** 36n;

  it("leaves out, and names, what had no price", () => {
    const volume = volumeOf(curve, 18, (_, block) => (block === 2 ? null : usd(BigInt(block))));
    expect(volume).toEqual({ base: 30n * E, usd: usd(40n), unpriced: 10n * E, isWhole: true });
  });

  it("is unknown when no trade had a price, and until all have been looked up", () => {
    const unpriced = { base: 30n * E, usd: undefined, isWhole: true };
    expect(volumeOf(curve, 18, () => null)).toEqual({ ...unpriced, unpriced: 30n * E });
    expect(volumeOf(curve, undefined, () => usd(1n))).toEqual({ ...unpriced, unpriced: 30n * E });
    expect(volumeOf(curve, 18, (_, block) => (block < 3 ? usd(1n) : undefined))).toEqual({
      ...unpriced,
      ...{ unpriced: 0n, isWhole: false },
    });
  });

  it("of no trades is zero", () => {
    expect(volumeOf({ ...curve, trades: [] }, 18, () => undefined)).toEqual({
      ...{ base: 0n, usd: 0n, unpriced: 0n, isWhole: true },
    });
  });
});

it("the catalogue goes back with the chain when that replaces the blocks of a graduation", async () => {
  expect((await get(`/tokens/${OWN}`)).body).toMatchObject({ graduated: true, swapsCount: 3 });
  const tables = ["launch_pool", "launch_swap", "launch_sync", "v2_pair_created", "v2_sync", "erc20_transfer"];
  for (const table of tables)
    await database.sql`delete from facts_launch.${database.sql(table)} where block >= ${AT.graduated}`;
  for (let block = AT.graduated; block <= AT.head; block++)
    await database.sql`update facts_launch.block set hash = ${hashOf(block, 1)} where number = ${block}`;
  await followFacts(database.sql, index);
  const after = { graduated: false, dexPair: null, swapsCount: 2, raised: 7, volumeUSD: 13, holdersCount: 2 };
  expect((await get(`/tokens/${OWN}`)).body).toMatchObject(after);
  expect((await get("/tokenList.json")).body).toMatchObject({ version: { minor: 0 }, tokens: [] });
});
