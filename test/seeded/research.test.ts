// The questions of docs/research.md over the seeded devnet: each is answered as the document shows, without a lake as with one,
// and by other means with the same numbers. WRITE_RESEARCH=1 writes the answers into the document.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { type Address, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openTestSql, type TestAnswer, type TestSql } from "../support/sql-engine.ts";
import { giniOf, providersAt, readPool, sumOf, walletsAt } from "./research-by-hand.ts";
import { researchQuestions, tableOf, writeTables } from "./research-document.ts";
import {
  openSeededGateway,
  openSeededSql,
  type SeededLake,
  seeded,
  seededChain,
  seededClient,
  seededLake,
} from "./seeded-index.ts";

const MOST_ROWS = 8;
const HONEY = "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0";
const WBERA = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const CUB = "0xca7358340a93fbcf01b8a9cff4566d1262afd515";
const POOL = "0x3f4851d220fe842bcbf1cb743db1010f4862bb3c";
const ENOUGH = 6_000_000n * 10n ** 18n;

const questions = researchQuestions();
const client = seededClient();
let db: Sql;
let gateway: TestGateway;
let made: SeededLake;
let sql: TestSql;
let withoutLake: { sql: TestSql; folder: string };
const answers = new Map<number, TestAnswer>();

beforeAll(async () => {
  db = openSeededSql();
  gateway = openSeededGateway();
  const chain = seededChain();
  made = await seededLake();
  const place = { databaseUrl: seeded.databaseUrl, chainId: chain.chainId, service: gateway.service };
  sql = await openTestSql({ ...place, lakeFolder: made.folder });
  const folder = mkdtempSync(join(tmpdir(), "tidemark-no-lake-"));
  withoutLake = { folder, sql: await openTestSql({ ...place, lakeFolder: folder }) };
  for (const { number, sql: text } of questions) answers.set(number, await sql.ask(text));
  if (process.env.WRITE_RESEARCH)
    writeTables(new Map([...answers].map(([number, answer]) => [number, tableOf(answer)])));
});
afterAll(async () => {
  await Promise.all([sql?.close(), withoutLake?.sql.close()]);
  await Promise.all([gateway?.close(), db?.end({ timeout: 2 })]);
  if (withoutLake) rmSync(withoutLake.folder, { recursive: true, force: true });
});

type Row = Record<string, string>;

/** Amounts are text in answers; other columns are whatever they are. */
const rowsOf = (number: number): Row[] => answers.get(number)?.rows as Row[];
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const get = async (path: string) => (await gateway.get(path)).body as Record<string, Row[]> & Record<string, string>;
const largestFirst = (held: Map<string, bigint>): [string, bigint][] =>
  [...held].sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x < y ? 1 : -1));

describe("docs/research.md", () => {
  test("has ten questions, answered from several segments of a lake and from what is newer", () => {
    expect(questions.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(made.manifest.segments.length).toBeGreaterThan(2);
    expect(made.manifest.segments.at(-1)?.last).toBeGreaterThan(1_200);
    expect(made.manifest.segments.at(-1)?.last).toBeLessThan(1_600);
  });

  test.each(questions.map((one) => [one.number, one.title, one] as const))(
    "shows the answer of %i: %s",
    async (number, _, { sql: text, table }) => {
      const answer = answers.get(number) as TestAnswer;
      expect(answer.rows.length).toBeGreaterThan(3);
      expect(answer.rows.length).toBeLessThanOrEqual(MOST_ROWS);
      if (!process.env.WRITE_RESEARCH) expect(tableOf(answer)).toBe(table);
      expect(await withoutLake.sql.rows(text)).toEqual(answer.rows);
    },
  );
});

describe("worked out another way", () => {
  test("the largest holders are those of the transfers added up, and have what balanceOf says", async () => {
    const blocks = [400, 800, 1200, 1600];
    const expected = (await walletsAt(db, HONEY, blocks)).flatMap((held, i) =>
      largestFirst(held)
        .slice(0, 2)
        .map(([account, amount], place) => ({
          ...{ block: blocks[i], rank: place + 1, account, amount: String(amount) },
          percent: rounded((100 * Number(amount)) / Number(sumOf(held.values())), 2),
        })),
    );
    expect(rowsOf(1)).toEqual(expected);
    const abi = parseAbi(["function balanceOf(address) view returns (uint256)"]);
    for (const { block, account, amount } of rowsOf(1)) {
      const call = { address: HONEY, abi, functionName: "balanceOf", args: [account as Address] } as const;
      expect(await client.readContract({ ...call, blockNumber: BigInt(String(block)) })).toBe(BigInt(String(amount)));
    }
  });

  test("accounts that came and left are those of /changes, and the rest of the wallets did not change", async () => {
    const { results } = await get(`/balances/${HONEY}/changes?fromBlock=1000&toBlock=1200`);
    const [first] = await walletsAt(db, HONEY, [1000]);
    const changed = new Set(results?.map(({ account }) => account));
    const unchanged = [...(first as Map<string, bigint>)].filter(([account]) => !changed.has(account));
    const groups = new Map<string, { accounts: number; before: bigint; after: bigint }>();
    const count = (name: string, before: bigint, after: bigint) => {
      const group = groups.get(name) ?? { accounts: 0, before: 0n, after: 0n };
      groups.set(name, { accounts: group.accounts + 1, before: group.before + before, after: group.after + after });
    };
    for (const row of results ?? []) {
      const [before, after] = [BigInt(String(row.before)), BigInt(String(row.after))];
      if (before === 0n) count("entered", before, after);
      else if (after === 0n) count("left", before, after);
      else count(after > before ? "has more" : "has less", before, after);
    }
    for (const [, amount] of unchanged) count("unchanged", amount, amount);
    const expected = [...groups]
      .sort(([, a], [, b]) => (a.after - a.before < b.after - b.before ? -1 : 1))
      .map(([change, { accounts, before, after }]) => ({
        ...{ change, accounts, before: String(before), after: String(after) },
        difference: String(after - before),
      }));
    expect(rowsOf(2)).toEqual(expected);
  });

  test("Gini's coefficients are the mean differences between wallets", async () => {
    const blocks =
      await db`select number, timestamp from ${db(seeded.ponderSchema)}.block where number <= 1600 order by number`;
    const weeks = new Map(blocks.map(({ number, timestamp }) => [Math.floor(timestamp / 604_800), Number(number)]));
    const ends = [...weeks.values()];
    const expected = (await walletsAt(db, HONEY, ends)).map((held, i) => ({
      ...{ block: ends[i], wallets: held.size, held: String(sumOf(held.values())) },
      gini: rounded(giniOf([...held.values()]), 4),
    }));
    expect(rowsOf(3)).toEqual(expected);
  });

  test("accounts with liquidity in range are those that the pool's and the managers' contracts name", async () => {
    for (const row of rowsOf(4)) {
      const pool = await readPool({ sql: db, client }, POOL, Number(row.block));
      const owners = providersAt(pool, pool.tick);
      expect(row.in_range).toBe(String(pool.liquidity));
      expect(sumOf(owners.map(([, liquidity]) => liquidity))).toBe(pool.liquidity);
      const shares = owners.map(([, liquidity]) => Number(liquidity) / Number(pool.liquidity));
      expect(row).toMatchObject({
        owners: owners.length,
        largest_share: rounded(Math.max(...shares), 4),
        herfindahl: rounded(
          shares.reduce((sum, share) => sum + share ** 2, 0),
          4,
        ),
      });
    }
  });

  test("accounts in range at another price are those whose positions in the contracts hold it", async () => {
    const pool = await readPool({ sql: db, client }, POOL, 1200);
    const [now, other] = [pool.tick, Math.floor(Math.log(4.5) / Math.log(1.0001))].map((tick) =>
      providersAt(pool, tick),
    );
    const shown = (column: string) =>
      rowsOf(5).flatMap((row) => (row[column] === "0" ? [] : [[row.owner, row[column]]]));
    const asText = (owners: typeof now) => owners?.map(([owner, liquidity]) => [owner, String(liquidity)]);
    expect(shown("in_range")).toEqual(asText(now));
    expect(shown("in_range_at_4_5")).toEqual(asText(other));
    expect(other?.length).toBeGreaterThan(0);
    expect(other?.length).toBeLessThan(now?.length ?? 0);
  });

  test("accounts that held enough throughout did so at each of 201 blocks", async () => {
    const blocks = Array.from({ length: 201 }, (_, i) => 1000 + i);
    const states = await walletsAt(db, CUB, blocks);
    const pools = await db`select pool from ${db(seeded.ponderSchema)}.launch_pool where kind = 'deployed'`;
    const isPool = new Set(pools.map(({ pool }) => String(pool)));
    const [first, last] = [states[0], states.at(-1)] as [Map<string, bigint>, Map<string, bigint>];
    const expected = largestFirst(first).flatMap(([account, before]) => {
      const after = last.get(account) ?? 0n;
      if (isPool.has(account) || before < ENOUGH || after < ENOUGH) return [];
      const [least = 0n] = states.map((held) => held.get(account) ?? 0n).sort((a, b) => (a < b ? -1 : 1));
      return [
        { account, at_1000: String(before), at_1200: String(after), least: String(least), throughout: least >= ENOUGH },
      ];
    });
    const byAccount = (a: { account?: string }, b: { account?: string }) =>
      String(a.account).localeCompare(String(b.account));
    expect([...rowsOf(6)].sort(byAccount)).toEqual(expected.sort(byAccount));
    expect(expected.map(({ throughout }) => throughout)).toContain(false);
  });

  test("averages have the numerators of /time-weighted", async () => {
    const path = `/balances/${WBERA}/time-weighted?fromBlock=1000&toBlock=1199&lookThrough=false`;
    const { results } = await get(path);
    expect(rowsOf(7)).toEqual(
      results?.slice(0, 8).map(({ account, numerator, averageRoundedDown }) => ({
        ...{ account, numerator, average_rounded_down: averageRoundedDown },
      })),
    );
  });

  test("first buyers are those of the launch's swaps in their order, with what /at-blocks says that they have", async () => {
    const swaps = await db`
      select "to" as account, block, token_out::text as bought from ${db(seeded.ponderSchema)}.launch_swap
       where pool = ${CUB} and token_out > 0 and block <= 1600 order by block, log_index`;
    const buyers = [...new Set(swaps.map(({ account }) => String(account)))].slice(0, 8);
    const { text } = await gateway.get(`/balances/${CUB}/at-blocks?blocks=1600&users=${buyers.join(",")}&format=csv`);
    const held = new Map(text.split("\n").map((line) => [line.split(",")[1], line.split(",")[2]]));
    const expected = buyers.map((account) => {
      const own = swaps.filter((swap) => swap.account === account);
      const bought = sumOf(own.map((swap) => BigInt(swap.bought)));
      const holds = String(held.get(account));
      const percent = rounded((100 * Number(holds)) / Number(bought), 1);
      return { account, first_block: own[0]?.block, bought: String(bought), holds, percent };
    });
    expect(rowsOf(8)).toEqual(expected);
  });

  test("what sits where is what /distribution says, and adds up to the supply", async () => {
    const names: Record<string, string> = {
      ...{ balance: "wallets", "v2-pool": "v2 pools", "v3-position": "v3 positions", island: "islands" },
      ...{ farm: "farms", reward_vault: "reward vaults", external_vaults: "other vaults" },
    };
    for (const block of [400, 1600]) {
      const { sources, unattributed, supply } = await get(`/balances/${WBERA}/distribution?blockNumber=${block}`);
      const expected = new Map(Object.values(names).map((name) => [name, "0"]));
      for (const { source, amount } of sources ?? []) expected.set(String(names[String(source)]), String(amount));
      expected.set("nobody's", String(sumOf((unattributed ?? []).map(({ amount }) => BigInt(String(amount))))));
      const shown = rowsOf(9).map((row) => [row.place, row[`at_${block}`]] as const);
      expect(new Map(shown)).toEqual(expected);
      expect(sumOf(shown.map(([, amount]) => BigInt(String(amount))))).toBe(BigInt(String(supply)));
    }
  });

  test("volumes and fees are those of the swaps one by one, with prices after the last", async () => {
    const facts = db(seeded.ponderSchema);
    const swaps = await db`
      select s.timestamp, p.fee, s.amount0::text, s.amount1::text, s.sqrt_price_x96::text as root
        from ${facts}.v3_swap s join ${facts}.v3_pool_created p on p.pool = s.pool
       where p.token0 = ${WBERA} and p.token1 = ${HONEY} order by s.block, s.log_index`;
    const size = (amount: bigint) => (amount < 0n ? -amount : amount);
    for (const row of rowsOf(10)) {
      const own = swaps.filter(
        ({ timestamp, fee }) =>
          new Date(timestamp * 1000).toISOString().startsWith(String(row.day)) &&
          fee / 10_000 === Number(row.fee_percent),
      );
      const totals = (column: "amount0" | "amount1") => ({
        volume: String(sumOf(own.map((swap) => size(BigInt(swap[column]))))),
        fees: String(
          sumOf(
            own.map((swap) =>
              BigInt(swap[column]) > 0n ? (BigInt(swap[column]) * BigInt(swap.fee)) / 1_000_000n : 0n,
            ),
          ),
        ),
      });
      const [wbera, honey] = [totals("amount0"), totals("amount1")];
      expect(row).toEqual({
        ...{ day: row.day, fee_percent: row.fee_percent, swaps: own.length },
        ...{ volume_wbera: wbera.volume, volume_honey: honey.volume, fees_wbera: wbera.fees, fees_honey: honey.fees },
        price: rounded((Number(own.at(-1)?.root) / 2 ** 96) ** 2, 6),
      });
    }
  });
});
