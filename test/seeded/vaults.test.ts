// Every island and pair of the list, every farm, reward vault and bault over them, against their contracts; and what they pay
// against raw logs and contract reads.
// VAULT_BLOCKS=200 compares more, VAULT_SEED another choice.
import type { Sql } from "postgres";
import { type Address, type PublicClient, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import type { FarmRecord, VaultRecord } from "../../gateway/catalogue/vault-record.ts";
import { openCountingGateway } from "../support/counting-gateway.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { type RawLogs, readRawLogs, tookProtocolFee } from "../support/reference-lp-fees.ts";
import { type Bench, baseAprByHand, farmAprByHand, feesByHand, tvlByHand } from "../support/vault-aprs-by-hand.ts";
import { compareWithContracts, listAt } from "../support/vault-reads.ts";
import { openSeededGateway, openSeededSql, seeded, seededChain, seededClient } from "./seeded-index.ts";

const BLOCKS = Number(process.env.VAULT_BLOCKS ?? 20);
const SEED = process.env.VAULT_SEED ?? "vaults";
/** The first pairs. */
const FIRST_BLOCK = 100;
const WEEK = 604_800;

const chain = seededChain();
const { head, finalized, ponderSchema } = seeded;
let gateway: TestGateway;
let client: PublicClient;
let sql: Sql;
/** Of each block from 0 on. */
let times: number[];
let logs: RawLogs;
let pairs: Address[];
let blocks: number[];

beforeAll(async () => {
  gateway = openSeededGateway();
  client = seededClient();
  sql = openSeededSql();
  const rows = await sql`select timestamp from ${sql(ponderSchema)}.block order by number`;
  times = rows.map(({ timestamp }) => Number(timestamp));
  const random = seedRandom(SEED);
  const drawn = Array.from({ length: BLOCKS }, () => random.between(FIRST_BLOCK, head));
  blocks = [...new Set([...drawn, finalized, finalized + 1, head])].sort((a, b) => a - b);
  const vaults = (await listAt(gateway.service, head)).entries.map(({ vault }) => vault);
  const islands = vaults.filter(({ provider }) => provider === "kodiak");
  pairs = vaults.flatMap(({ provider, address }) => (provider === "v2" ? [address] : []));
  logs = await readRawLogs(client, {
    islands: islands.map(({ address }) => address),
    pools: [...new Set(islands.map(({ pool }) => pool))],
    pairs,
    distributor: chain.rewardVaults?.distributor?.address ?? zeroAddress,
  });
});
afterAll(async () => {
  await gateway.close();
  await sql.end({ timeout: 2 });
});

const ofKind = (vaults: readonly VaultRecord[], kind: FarmRecord["kind"]) =>
  [
    ...new Set(vaults.flatMap(({ farms }) => farms.filter((farm) => farm.kind === kind).map((one) => one.address))),
  ].sort();

async function announced(kind: FarmRecord["kind"], block: number): Promise<string[]> {
  const rows = await sql`
    select vault from ${sql(ponderSchema)}.vault_created where kind = ${kind} and block <= ${block} order by vault`;
  return rows.map(({ vault }) => vault);
}

describe("the list of pools", () => {
  test("has every island and pair, and says of each what its contracts say", async () => {
    const compared = new Map<string, number>();
    const wrong: string[] = [];
    for (const block of blocks) {
      const page = await listAt(gateway.service, block);
      const pools = await sql`
        select island as address from ${sql(ponderSchema)}.island_created where block <= ${block}
        union all select pair from ${sql(ponderSchema)}.v2_pair_created where block <= ${block} order by address`;
      const vaults = page.entries.map(({ vault }) => vault);
      expect(vaults.map(({ address }) => address).sort()).toEqual(pools.map(({ address }) => address));
      for (const kind of ["reward-vault", "farm"] as const)
        expect(ofKind(vaults, kind), kind).toEqual(await announced(kind, block));
      wrong.push(...(await compareWithContracts({ client, chain }, page, compared)));
    }
    const counts = [...compared].map((one) => one.join(" ")).join(", ");
    console.log(`blocks ${blocks.join(" ")}; VAULT_SEED=${SEED}; ${counts}`);
    expect(wrong.slice(0, 20)).toEqual([]);
    for (const view of ["getUnderlyingBalances", "balanceOf", "getAllRewardRates", "incentives", "totalAssets"])
      expect(compared.get(view) ?? 0, view).toBeGreaterThan(blocks.length / 2);
  });

  test("costs as many statements for many pools as for few", async () => {
    const counting = openCountingGateway(seeded.databaseUrl, chain);
    const ask = async (block: number, limit: number) => {
      const query = `{ vaults(block: {number: ${block}}, limit: ${limit}) { count nodes { id tvl aprDetail { feesUSD }
        token0 { symbol priceUSD } farms { address apr rewards { token { symbol } amountUSD } } baults { apy } } } }`;
      const { data, statements } = await counting.ask(query);
      return { count: (data as { vaults: { count: number } }).vaults.count, statements: statements.length };
    };
    try {
      // the first question of a process finds out what state the index is in, in a transaction
      await counting.ask("{ status { state } }");
      // there is one of everything by the first of them; no other test has asked for either
      const few = await ask(401, 1);
      const many = await ask(finalized - 7, 1_000);
      expect(many.count).toBeGreaterThan(few.count);
      // one statement for each pool would be too many
      expect(few.count).toBeGreaterThan(MOST_STATEMENTS - USUAL_STATEMENTS);
      expect(few.statements).toBeLessThanOrEqual(MOST_STATEMENTS);
      expect(many.statements).toBeLessThanOrEqual(MOST_STATEMENTS);
      console.log(`${few.count} and ${many.count} pools: ${few.statements} and ${many.statements} statements`);
    } finally {
      await counting.close();
    }
  });
});

/** None is for a single pool. Statements with the same text that are sent in the same moment are joined: a few more or fewer from run to run. */
const USUAL_STATEMENTS = 41;
const MOST_STATEMENTS = 48;

/** The last block at or before the time a week ago; -1 where there was none. */
function weekBefore(block: number): number {
  const earliest = (times[block] ?? 0) - WEEK;
  return times.findLastIndex((time) => time <= earliest);
}

const percent = (value: bigint | undefined): number | undefined =>
  value === undefined ? undefined : Number(`${value}e-36`);

/** Doubles of the same numbers, added in another order. */
const isNear = (a: number | undefined, b: number | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)));

const seen = { island: 0, pair: 0, young: 0, unpriced: 0, "reward-vault": 0, farm: 0, ended: 0, nested: 0 };

function countFarm({ now }: Bench, farm: FarmRecord, apr: number | undefined): void {
  if (apr !== undefined && apr > 0) seen[farm.kind] += 1;
  if (farm.through && apr !== undefined && apr > 0) seen.nested += 1;
  const hasRate = (farm.pays ?? []).some(({ rate }) => rate > 0n);
  if (farm.kind === "farm" && hasRate && now >= Number(farm.periodFinish)) seen.ended += 1;
}

function countPool({ now }: Bench, vault: VaultRecord, apr: number | undefined): void {
  if (apr === undefined) seen.unpriced += 1;
  if (apr === undefined || apr === 0) return;
  seen[vault.provider === "v2" ? "pair" : "island"] += 1;
  if (now - vault.createdAt < WEEK) seen.young += 1;
}

async function breachesOf(bench: Bench, vault: VaultRecord): Promise<string[]> {
  const fees = await feesByHand(bench, vault);
  const apr = baseAprByHand(bench, vault, fees);
  countPool(bench, vault, apr);
  const compared: [what: string, answered: number | undefined, byHand: number | undefined][] = [
    ["tvl", percent(vault.tvl), tvlByHand(bench, vault)],
    // of exactly these fees, so that rounding of single collections makes no difference here
    ["apr", percent(vault.apr), vault.fees && baseAprByHand(bench, vault, vault.fees)],
  ];
  for (const farm of vault.farms) {
    const byHand = farmAprByHand(bench, vault, farm);
    countFarm(bench, farm, byHand);
    compared.push([`apr of ${farm.address}`, percent(farm.apr), byHand]);
  }
  const wrong = compared.filter(([, answered, byHand]) => !isNear(answered, byHand)).map((one) => one.join(" "));
  const offs = fees.map((fee, i) => fee - (vault.fees?.[i as 0 | 1] ?? -1n));
  // each of many collections is rounded down by itself here
  if (offs.some((off) => off > 1n || off < -100n)) wrong.push(`fees ${vault.fees} ${fees}`);
  return wrong.map((one) => `${vault.address} at ${bench.page.point.block}: ${one}`);
}

describe("what pools and farms pay", () => {
  test("is what raw logs and contract reads give", async () => {
    const wrong: string[] = [];
    for (const block of blocks) {
      const page = await listAt(gateway.service, block);
      const window = { after: weekBefore(block), upTo: block };
      const bench: Bench = { client, chain, logs, page, window, now: times[block] ?? 0 };
      for (const { vault } of page.entries) wrong.push(...(await breachesOf(bench, vault)));
    }
    console.log(JSON.stringify(seen));
    expect(wrong.slice(0, 20)).toEqual([]);
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
  });
});

/**
 * Liquidity events of a pair after some swap, alone in their block, so that what the contracts say at the ends of blocks is
 * said of them.
 */
function telling(pair: Address): { block: number; isCharged: boolean }[] {
  const events = logs.liquidity.get(pair) ?? [];
  const swaps = logs.swaps.get(pair) ?? [];
  return events.flatMap(({ block, kind, minted }, i) => {
    const before = events[i - 1]?.block;
    if (before === undefined || before === block || events[i + 1]?.block === block) return [];
    const hasSwaps = swaps.some((swap) => swap.block > before && swap.block < block);
    return hasSwaps ? [{ block, isCharged: minted > (kind === "Mint" ? 1 : 0) }] : [];
  });
}

describe("the protocol's part of a pair's fees", () => {
  test("shows in shares exactly where the contracts took it", async () => {
    const factory = chain.v2?.factory.address ?? zeroAddress;
    const found = { charged: 0, free: 0 };
    for (const pair of pairs) {
      for (const { block, isCharged } of telling(pair)) {
        const { feeTo, kLastBefore } = await tookProtocolFee(client, { factory, pair, block });
        expect(isCharged, `${pair} at ${block}`).toBe(feeTo !== zeroAddress && kLastBefore > 0n);
        found[isCharged ? "charged" : "free"] += 1;
      }
    }
    console.log(JSON.stringify(found));
    expect(found.free).toBeGreaterThan(0);
    expect(found.charged).toBeGreaterThan(0);
  });
});
