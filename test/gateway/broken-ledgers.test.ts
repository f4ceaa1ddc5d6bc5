// What depends on a token whose ledger broke: once the break is final the ledger is gone at every block, so what a pool holds of the
// token must be reported as unknown, not as nothing.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { breakLedger, tellPair } from "../support/broken-pair.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const E18 = 10n ** 18n;
/** One breaks below the last final block, one above it. */
const [HONEY, BROKEN, BREAKING] = [tokenOf(1), tokenOf(2), tokenOf(3)];
const [BROKEN_PAIR, BREAKING_PAIR, POOL] = [tokenOf(101), tokenOf(102), tokenOf(103)];
const [ALICE, FACTORY] = [accountOf(1), accountOf(90)];
const AT = { pools: 2, broken: 5, finalized: 6, breaking: 8, head: 9 } as const;

const place = (address: string) => ({ address, startBlock: 0 });
const chain = chainFixture({
  chainId: SCRIPT_CHAIN_ID,
  startBlock: 0,
  stables: [{ address: HONEY, priceUsd: "1" }],
  v2: { factory: place(FACTORY), router: FACTORY },
  launch: { factory: place(FACTORY) },
});

function tellLaunch(script: Script): void {
  script.nextTransaction();
  script.tell("launch_sync", { pool: POOL, token_reserve: "900", base_reserve: "0", sqrt_price: `${E18}` });
  const range = { sqrt_pa: `${E18}`, sqrt_pb: `${3n * E18}`, vesting_period: "0", data: "0x", deployer: ALICE };
  script.tell("launch_pool", { pool: POOL, kind: "initialized", token: BROKEN, base_token: HONEY, ...range });
}

function tellWorld(): Script {
  const script = new Script();
  while (script.nextBlock() < AT.head) {
    if (script.block === AT.pools) {
      tellPair(script, { factory: FACTORY, pair: BROKEN_PAIR, stable: HONEY, token: BROKEN });
      tellPair(script, { factory: FACTORY, pair: BREAKING_PAIR, stable: HONEY, token: BREAKING });
      tellLaunch(script);
    }
    if (script.block === AT.broken) breakLedger(script, BROKEN);
    if (script.block === AT.breaking) breakLedger(script, BREAKING);
  }
  return script;
}

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  const schemas = { ponderSchema: "facts_broken", foldSchema: "fold_broken" };
  await buildScripted(database.sql, tellWorld(), { ...schemas, finalized: AT.finalized });
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

async function get<T>(path: string): Promise<T> {
  const { status, text } = await gateway.get(path);
  expect(status, text).toBe(200);
  return JSON.parse(text) as T;
}

const vaultAt = (id: string, block: number) => get<Record<string, unknown>>(`/vaults/${id}?blockNumber=${block}`);
const sharePriceAt = async (share: string, block: number) =>
  (await get<Record<string, unknown>[]>(`/tokens?addresses=${share}&blockNumber=${block}`))[0];

/** TVL by the series of the market, as of the block. */
async function seriesTvlAt(pair: string, block: number): Promise<string | null | undefined> {
  const time = timestampOf(block);
  const { facts } = await gateway.data<{ facts: { markets: { nodes: { series: { tvlUSD: string | null }[] }[] } } }>(
    `{ facts(block: {number: ${block}}) { markets(where: {address: ["${pair}"]}) { nodes {
         series(interval: day, from: ${time}, to: ${time}) { tvlUSD } } } } }`,
  );
  return facts.markets.nodes[0]?.series[0]?.tvlUSD;
}

interface ShareMoment {
  block: { number: number };
  supply: string;
  parts: { token: string; amount: string }[];
}
async function partsOver(share: string): Promise<number[]> {
  const { shareHistory } = await gateway.data<{ shareHistory: { nodes: ShareMoment[] } }>(
    `{ shareHistory(share: "${share}", from: {number: ${AT.pools}}, to: {number: ${AT.head}}) {
         nodes { block { number } supply parts { token amount } } } }`,
  );
  return shareHistory.nodes.flatMap(({ block, parts }) => (parts.length > 0 ? [block.number] : []));
}

async function pricesOver(share: string): Promise<number[]> {
  const { priceHistory } = await gateway.data<{
    priceHistory: { nodes: { block: { number: number }; price: unknown }[] };
  }>(
    `{ priceHistory(token: "${share}", from: {number: ${AT.pools}}, to: {number: ${AT.head}}) {
         nodes { block { number } price { usd } } } }`,
  );
  return priceHistory.nodes.flatMap(({ block, price }) => (price === null ? [] : [block.number]));
}

const blocksBetween = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("once the break of a token's ledger is final", () => {
  it.each([AT.pools, AT.broken - 1, AT.broken, AT.head])(
    "what a pool holds and the price of its shares are unknown at block %s",
    async (block) => {
      expect(await vaultAt(BROKEN_PAIR, block)).toMatchObject({
        ...{ tvl: null, amount0: null, amount1: null, apr: null, unpriced: expect.arrayContaining([BROKEN]) },
        tokenLp: { price: null },
      });
      expect(await sharePriceAt(BROKEN_PAIR, block)).toMatchObject({
        ...{ price: 0, priceStrategy: "none", unpriced: [BROKEN_PAIR] },
      });
      expect(await seriesTvlAt(BROKEN_PAIR, block)).toBeNull();
    },
  );

  it("the past of a share is unknown", async () => {
    expect(await partsOver(BROKEN_PAIR)).toEqual([]);
    expect(await pricesOver(BROKEN_PAIR)).toEqual([]);
  });

  it("no curve that sells it gives it a price from the break on, as no pool does", async () => {
    const strategyAt = async (block: number) => (await sharePriceAt(BROKEN, block))?.priceStrategy;
    expect(await strategyAt(AT.broken - 1)).toBe("pool");
    for (const block of [AT.broken, AT.finalized, AT.head]) expect(await strategyAt(block)).toBe("none");
    expect(await pricesOver(BROKEN)).toEqual(blocksBetween(AT.pools, AT.broken - 1));
  });

  it("a launch does not say that nobody holds it", async () => {
    const { body } = await gateway.get(`/launch/31337/tokens/${POOL}`);
    expect(body).toMatchObject({ totalSupply: null, holdersCount: null });
    const { launch } = await gateway.data<{ launch: unknown }>(
      `{ launch(address: "${POOL}", block: {number: ${AT.pools}}) { holdersCount } }`,
    );
    expect(launch).toEqual({ holdersCount: null });
  });

  it("the other pools are untouched", async () => {
    expect(await vaultAt(BREAKING_PAIR, AT.broken)).toMatchObject({ tvl: 20_000, amount1: 5_000, unpriced: [] });
  });
});

describe("while the break of a token's ledger may still be replaced", () => {
  it("everything is known at the blocks before it, and nothing from it on", async () => {
    const before = AT.breaking - 1;
    expect(await vaultAt(BREAKING_PAIR, before)).toMatchObject({ tvl: 20_000, amount1: 5_000, tokenLp: { price: 20 } });
    expect(await seriesTvlAt(BREAKING_PAIR, before)).toBe("20000");
    expect(await vaultAt(BREAKING_PAIR, AT.breaking)).toMatchObject({ tvl: null, tokenLp: { price: null } });
    expect(await seriesTvlAt(BREAKING_PAIR, AT.breaking)).toBeNull();
    expect(await partsOver(BREAKING_PAIR)).toEqual(blocksBetween(AT.pools, before));
    expect(await pricesOver(BREAKING_PAIR)).toEqual(blocksBetween(AT.pools, before));
  });
});
