// What happens in live blocks is as whole as what was there before: contracts that are made and act in one block, before
// their factory announces them. And the same chain with a list of tokens instead of all.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onStage } from "../../devnet/scenario/stage.ts";
import { accountAt, invoke, ownerOf, readView } from "../../devnet/scenario/world.ts";
import { type SeededDevnet, startSeededDevnet } from "../../devnet/seeded.ts";
import { ponderProgram } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { chainListingTwice } from "../support/listed-twice.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { addressesOf, type ChainLog, logsOf, type Rule, rules } from "./census.ts";
import { factDifferences, placesIn } from "./comparison.ts";
import { type Indexer, startIndexer } from "./indexer.ts";

/** Far enough into the scenario for somebody to have a stake in every kind of vault. */
const STEPS = 440;

let devnet: SeededDevnet;
let database: TestDatabase;
let folder: string;
let indexer: Indexer;
let logs: ChainLog[];

const chainHead = async () => {
  const { number, hash } = await devnet.chain.client.getBlock();
  return { number: Number(number), hash };
};

async function startOn(name: string, more: object): Promise<Indexer> {
  return startIndexer({
    chain: chainListingTwice(devnet.world.stage, more),
    folder: join(folder, name),
    sql: database.sql,
    databaseUrl: database.url,
    rpcUrl: devnet.rpcUrl,
    port: await freePort(),
    program: ponderProgram,
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

const tables = () => ({ sql: database.sql, schema: indexer.schema });

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
  test("contracts that are made and act in one live block, before their factory announces them, lose no log", async () => {
    const { world, chain } = devnet;
    const { at, stage } = world;
    const from = accountAt(world.actors, 92);
    const elder = onStage(stage.named, "elder");
    expect(await factDifferences(tables(), indexer.chain, logs)).toEqual([]);
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
    expect(await factDifferences(tables(), indexer.chain, logs)).toEqual([]);
  });
});

describe("reward vaults by their factory alone", () => {
  test("have all their stakes, and nothing of what the chain file does not name", async () => {
    await indexer.stop();
    const { factory } = indexer.chain.rewardVaults ?? {};
    indexer = await startOn("stakes", { rewardVaults: { factory } });
    expect(indexer.chain.rewardVaults).toEqual({ factory, distributor: null, beraChef: null, rewardToken: null });
    await indexer.waitFor(await chainHead());
    expect(await factDifferences(tables(), indexer.chain, logs)).toEqual([]);
    expect((await placesIn(tables(), "stake", "delegate_stake")).length).toBeGreaterThan(0);
    expect(await placesIn(tables(), "reward", "distributed")).toEqual([]);
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
    const issued = (["v2Pair", "island", "bault", "erc4626", "queuedVault", "launchPool"] as const).flatMap(
      (emitter) => [...addressesOf(emitter, indexer.chain, logs)],
    );
    const tracked = new Set<string>([weth, ohm, ...issued]);
    const transfer: Rule = { table: "erc20_transfer", signature: "Transfer(address,address,uint256)", topics: 3 };
    const wanted = logsOf(
      transfer,
      indexer.chain,
      logs.filter(({ address }) => tracked.has(address)),
    ).sort();
    expect(wanted.length).toBeGreaterThan(500);
    expect(await placesIn(tables(), "erc20_transfer")).toEqual(wanted);
  });
});
