// Every log of every protocol on the seeded devnet is one row, with the log's own values: none missing, none twice,
// none that precedes its factory's announcement lost, in the backfill and in live blocks.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadChain } from "../chains/load.ts";
import { type SeededDevnet, startSeededDevnet } from "../devnet/scenario/seeded.ts";
import { onStage } from "../devnet/scenario/stage.ts";
import { accountAt, invoke, ownerOf, readView } from "../devnet/scenario/world.ts";
import { freePort } from "./core/free-port.ts";
import { addressesOf, type ChainLog, logsOf, type Rule, rules } from "./facts-census.ts";
import { type Indexer, startIndexer } from "./facts-indexer.ts";
import { argumentsOf, valueFor } from "./facts-values.ts";
import { startTestDatabase, type TestDatabase } from "./support/test-database.ts";

/** Far enough into the scenario for every table: one launch has graduated, another is over a token of its own past. */
const STEPS = 720;

let devnet: SeededDevnet;
let database: TestDatabase;
let folder: string;
let indexer: Indexer;
let logs: ChainLog[];

const chainHead = async () => {
  const { number, hash } = await devnet.chain.client.getBlock();
  return { number: Number(number), hash };
};

/** The rest of `chains/devnet.json` with vaults listed that a factory announces as well. */
function chainWith(more: object): object {
  const { named } = devnet.world.stage;
  const listed = [
    { address: onStage(named, "bault free"), kind: "erc4626" },
    { address: onStage(named, "infrared five"), kind: "staking" },
  ].map((vault) => ({ ...vault, asset: zeroAddress, startBlock: 0 }));
  const chain = loadChain("devnet");
  return { ...chain, externalVaults: [...chain.externalVaults, ...listed], ...more };
}

async function startOn(name: string, more: object): Promise<Indexer> {
  return startIndexer({
    chain: chainWith(more),
    folder: join(folder, name),
    sql: database.sql,
    databaseUrl: database.url,
    rpcUrl: devnet.rpcUrl,
    port: await freePort(),
  });
}

async function readLogs(): Promise<ChainLog[]> {
  return devnet.chain.rpc<ChainLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-facts-"));
  [devnet, database] = await Promise.all([
    startSeededDevnet({ port: await freePort(), steps: STEPS }),
    startTestDatabase(),
  ]);
  indexer = await startOn("all", {});
  await indexer.waitFor(await chainHead());
  logs = await readLogs();
}, 400_000);
afterAll(async () => {
  await indexer?.stop();
  await database?.stop();
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Rules by the table and kind that their logs become. */
const shelves = new Map<string, Rule[]>();
for (const rule of rules) {
  const shelf = [rule.table, rule.kind ?? ""].join(" ");
  shelves.set(shelf, [...(shelves.get(shelf) ?? []), rule]);
}

async function placesIn(table: string, kind?: string): Promise<string[]> {
  const { sql } = database;
  const rows = await sql`select block || '/' || log_index as place from ${sql(indexer.schema)}.${sql(table)}
    ${kind ? sql`where kind = ${kind}` : sql``}`;
  return rows.map(({ place }) => String(place)).sort();
}

/** Of every shelf: logs without a row, rows without a log. */
async function differences(): Promise<string[]> {
  const found: string[] = [];
  for (const [shelf, [first, ...others]] of shelves) {
    if (first === undefined) continue;
    const expected = [first, ...others].flatMap((rule) => logsOf(rule, indexer.chain, logs));
    // A vault that is listed and announced is there by two rules, with one log.
    const wanted = [...new Set(expected)].sort();
    const rows = await placesIn(first.table, first.kind);
    if (JSON.stringify(rows) !== JSON.stringify(wanted))
      found.push(`${shelf}: ${wanted.length} logs, ${rows.length} rows`);
  }
  return found;
}

describe("backfill", () => {
  test("rows are logs, in every table", async () => {
    expect(await differences()).toEqual([]);
  });

  test("every table has rows", async () => {
    const empty: string[] = [];
    for (const table of new Set(rules.map((rule) => rule.table)))
      if ((await placesIn(table)).length === 0) empty.push(table);
    expect(empty).toEqual([]);
  });

  test("no log of a known contract but approvals is without a rule", () => {
    const known = new Set(
      rules.flatMap(({ emitter }) => [...(emitter ? addressesOf(emitter, indexer.chain, logs) : [])]),
    );
    const covered = new Set(rules.flatMap((rule) => logsOf(rule, indexer.chain, logs)));
    const uncovered = logs.filter(
      (log) => known.has(log.address) && !covered.has(`${Number(log.blockNumber)}/${Number(log.logIndex)}`),
    );
    expect(new Set(uncovered.map((log) => argumentsOf(log)?.name))).toEqual(new Set(["Approval"]));
  });

  test("there are at most 30 fact tables", async () => {
    const [row] = await database.sql`select count(*)::int as n from pg_tables
      where schemaname = ${indexer.schema} and tablename !~ '^_'`;
    expect(row?.n).toBe(new Set(rules.map((rule) => rule.table)).size + 1);
    expect(row?.n).toBeLessThanOrEqual(30);
  });
});

/** Columns that are not of the event itself. */
const ours = new Set(["block", "log_index", "tx_index", "timestamp", "kind", "protocol", "event"]);

/** The values of a row that come from its log, as text. */
const valuesIn = (row: Record<string, unknown>): string[] =>
  Object.entries(row)
    .filter(([column, value]) => !ours.has(column) && value !== null)
    .flatMap(([column, value]) => (column === "args" ? Object.values(value as object) : [value]))
    .map((value) => String(value).toLowerCase())
    .sort();

/** What such a row must hold: the address and the arguments of its log. */
function valuesOf(log: ChainLog, { table, kind }: { table: string; kind: unknown }): string[] {
  const told = Object.values(argumentsOf(log)?.args ?? {});
  if (kind === "distributed") return told.sort(); // the distributor is not the vault
  if (kind === "redeemed") return [...told, log.address, log.address].sort(); // the token is the vault, too
  const liquidity = table === "v3_liquidity" && kind === "collect" ? ["0"] : []; // a collect moves none
  return [...told, ...liquidity, log.address].sort();
}

/** What a row has that its log has not told, or has told otherwise. */
function errorsIn(row: Record<string, unknown>, table: string, log: ChainLog): string[] {
  const { args } = argumentsOf(log) ?? { args: {} };
  const misplaced = Object.entries(row).flatMap(([column, value]) => {
    if (ours.has(column) || value === null || column === "args") return [];
    const told = valueFor(column, args);
    return told === undefined || told === String(value) ? [] : [`${table}.${column}: ${value}, not ${told}`];
  });
  const [values, expected] = [valuesIn(row).join(), valuesOf(log, { table, kind: row.kind }).join()];
  return values === expected ? misplaced : [...misplaced, `${table}: ${values}, not ${expected}`];
}

describe("values", () => {
  test("a row has its log's address and arguments, each in its column, and nothing else", async () => {
    const { sql } = database;
    const logAt = new Map(logs.map((log) => [`${Number(log.blockNumber)}/${Number(log.logIndex)}`, log]));
    const wrong: string[] = [];
    for (const table of new Set(rules.map((rule) => rule.table)))
      for (const row of await sql`select * from ${sql(indexer.schema)}.${sql(table)}`) {
        const log = logAt.get(`${row.block}/${row.log_index}`);
        wrong.push(...(log ? errorsIn(row, table, log) : [`${table}: ${row.block}/${row.log_index} is no log`]));
      }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  test("places and times are the blocks'", async () => {
    const { sql } = database;
    for (const table of new Set(rules.map((rule) => rule.table)))
      expect(
        await sql`select f.block from ${sql(indexer.schema)}.${sql(table)} f
          left join ${sql(indexer.schema)}.block b on b.number = f.block and b.timestamp = f.timestamp
          where b.number is null`,
      ).toHaveLength(0);
  });
});

/** An account with a stake in `vault`. */
async function someStaker(vault: Address): Promise<Address> {
  for (const log of logs.filter(({ address }) => address === vault)) {
    const account = `0x${log.topics[1]?.slice(26)}` as Address;
    const call = { name: "InfraredVault", to: vault, call: "balanceOf", args: [account] } as const;
    if (log.topics.length === 2 && (await readView<bigint>(devnet.world, call)) > 0n) return account;
  }
  throw new Error(`nobody has a stake in ${vault}`);
}

describe("live blocks", () => {
  test("contracts that are made and act in one live block, before their factory tells of them, lose no log", async () => {
    const { world, chain } = devnet;
    const { at, stage } = world;
    const from = accountAt(world.actors, 92);
    const elder = onStage(stage.named, "elder");
    const before = rules.map((rule) => logsOf(rule, indexer.chain, logs).length);
    const params = { baseToken: at.tokens.wbera, sqrtPa: 10n ** 15n, sqrtPb: 3n * 10n ** 15n, vestingPeriod: 0n };
    const launch = [params, at.launch.tokenImplementation, "Live", "LIVE", 0n];
    const farm = [at.farms.implementation, ownerOf(world), elder, [at.tokens.kdk], [1n]];
    const [pool] = [...stage.v3.values()];
    if (pool === undefined) throw new Error("no pool on stage");
    const range = [pool.baseTick - 10 * pool.tickSpacing, pool.baseTick + 10 * pool.tickSpacing];
    const island = [pool.address, zeroAddress, zeroAddress, 0, ...range];
    const [low, high] = [elder, at.tokens.ohm].sort() as [Address, Address];

    const factory = { name: "LaunchFactory", to: at.launch.factory } as const;
    invoke(world, { ...factory, call: "deployPandaTokenWithBera", args: launch, value: 10n ** 18n, from });
    invoke(world, { name: "FarmFactory", to: at.farms.factory, call: "deployFarm", args: farm, from: ownerOf(world) });
    invoke(world, { name: "IslandFactory", to: at.islands.factory, call: "deployVaultForPool", args: island, from });
    invoke(world, { name: "InfraredCore", to: at.infrared.core, call: "registerVault", args: [elder], from });
    invoke(world, { name: "UniswapV2Factory", to: at.v2.factory, call: "createPair", args: [low, high], from });
    const v3 = { name: "UniswapV3Factory", to: at.v3.uniswap.factory } as const;
    invoke(world, { ...v3, call: "createPool", args: [low, high, 500], from });
    await chain.seal(2);
    const made = await readView<Address>(world, { ...v3, call: "getPool", args: [low, high, 500] });
    const live = { name: "UniswapV3Pool", to: made, from } as const;
    invoke(world, { ...live, call: "initialize", args: [1n << 96n] });
    invoke(world, { ...live, call: "increaseObservationCardinalityNext", args: [4] });
    const staker = await someStaker(onStage(stage.named, "infrared five"));
    invoke(world, { name: "InfraredVault", to: onStage(stage.named, "infrared five"), call: "exit", from: staker });
    const vault = onStage(stage.named, "reward vault five");
    invoke(world, { name: "RewardVault", to: vault, call: "setOperator", args: [elder], from });
    await chain.seal(2);

    await indexer.waitFor(await chainHead());
    logs = await readLogs();
    const after = rules.map((rule) => logsOf(rule, indexer.chain, logs).length);
    const grown = rules
      .filter((_, index) => (after[index] ?? 0) > (before[index] ?? 0))
      .map(({ signature }) => signature);
    for (const name of [
      "PandaDeployed",
      "PoolInitialized",
      "Sync",
      "FarmDeployed",
      "RewardTokenAdded",
      "IslandCreated",
    ])
      expect(grown.join(" ")).toContain(`${name}(`);
    for (const name of [
      "UpdateManagerParams",
      "NewVault",
      "VaultCreated",
      "PairCreated",
      "PoolCreated",
      "OperatorSet",
      "Withdrawn",
    ])
      expect(grown.join(" ")).toContain(`${name}(`);
    expect(await differences()).toEqual([]);
  });
});

describe("a list of tokens instead of all", () => {
  test("has those tokens and everything the protocols issue", async () => {
    await indexer.stop();
    const { weth, ohm } = devnet.world.at.tokens;
    const [island] = [...devnet.world.stage.islands.values()];
    const tokens = [weth, ohm, island?.address].map((address) => ({ address, startBlock: 0 }));
    indexer = await startOn("listed", { tokens });
    await indexer.waitFor(await chainHead());
    const issued = (["v2Pair", "island", "bault", "erc4626", "launchPool"] as const).flatMap((emitter) => [
      ...addressesOf(emitter, indexer.chain, logs),
    ]);
    const tracked = new Set<string>([weth, ohm, ...issued]);
    const transfer: Rule = { table: "erc20_transfer", signature: "Transfer(address,address,uint256)", topics: 3 };
    const wanted = logsOf(
      transfer,
      indexer.chain,
      logs.filter(({ address }) => tracked.has(address)),
    ).sort();
    expect(wanted.length).toBeGreaterThan(1_000);
    expect(await placesIn("erc20_transfer")).toEqual(wanted);
  });
});
