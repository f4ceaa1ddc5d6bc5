// What is built on pools does occur on the seeded chain: every protocol's events, and the nestings an index must see through.
import { type Abi, type Address, type Hex, type Log, toEventHash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import {
  baultAbi,
  baultFactoryAbi,
  farmAbi,
  farmFactoryAbi,
  infraredCoreAbi,
  islandAbi,
  islandFactoryAbi,
  launchFactoryAbi,
  launchPoolAbi,
  rewardVaultAbi,
  rewardVaultFactoryAbi,
} from "../../devnet/artifacts/abis.ts";
import { onStage } from "../../devnet/scenario/stage.ts";
import { readView } from "../../devnet/scenario/world.ts";
import { type OpenedDevnet, openSeededDevnet } from "./seeded-index.ts";

const ZERO_TOPIC = `0x${"0".repeat(64)}`;
const TRANSFER = toEventHash("Transfer(address,address,uint256)");

let devnet: OpenedDevnet;
let logs: Log[];
beforeAll(async () => {
  devnet = await openSeededDevnet();
  logs = await devnet.chain.rpc<Log[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
});

function topicOf(abi: Abi, name: string): Hex {
  const event = abi.find((item) => item.type === "event" && item.name === name);
  if (event?.type !== "event") throw new Error(`no event ${name}`);
  return toEventHash(event);
}

const count = (abi: Abi | readonly unknown[], name: string): number => {
  const topic = topicOf(abi as Abi, name);
  return logs.filter((log) => log.topics[0] === topic).length;
};

describe.each([
  ["islands", islandAbi, { Minted: 40, Burned: 5, Rebalance: 5, FeesEarned: 10, UpdateManagerParams: 2 }],
  ["island factory", islandFactoryAbi, { IslandCreated: 10, IslandFeeSet: 2 }],
  [
    "reward vaults",
    rewardVaultAbi,
    { Staked: 20, Withdrawn: 3, DelegateStaked: 3, DelegateWithdrawn: 1, RewardAdded: 20 },
  ],
  ["incentives", rewardVaultAbi, { IncentiveAdded: 1, IncentivesProcessed: 1, IncentiveTokenWhitelisted: 4 }],
  ["reward vault factory", rewardVaultFactoryAbi, { VaultCreated: 5 }],
  [
    "farms",
    farmAbi,
    { StakeLocked: 8, WithdrawLocked: 1, FarmStarted: 4, RewardsPeriodRenewed: 1, RewardRateUpdated: 1 },
  ],
  ["farm factory", farmFactoryAbi, { FarmDeployed: 4 }],
  ["baults", baultAbi, { Deposit: 5, Withdraw: 2, BgtClaimed: 2, ExitFeePaid: 1 }],
  ["bault factory", baultFactoryAbi, { BaultDeployed: 2 }],
  ["infrared", infraredCoreAbi, { NewVault: 3 }],
  ["launches", launchPoolAbi, { PoolInitialized: 2, LiquidityMoved: 1 }],
  ["launch factory", launchFactoryAbi, { PandaDeployed: 2 }],
] as const)("%s", (_, abi, least) => {
  test.each(Object.entries(least))("log %s", (name, times) => {
    expect(count(abi, name)).toBeGreaterThanOrEqual(times);
  });
});

const balance = (token: Address, account: Address): Promise<bigint> =>
  readView<bigint>(devnet, { name: "MintableToken", to: token, call: "balanceOf", args: [account] });
const island = (name: string): Address => onStage(devnet.world.stage.islands, name).address;
const named = (name: string): Address => onStage(devnet.world.stage.named, name);

test("an island's first mint leaves shares with the zero address", () => {
  const dead = logs.filter(
    ({ topics, data }) =>
      topics[0] === TRANSFER && topics[1] === ZERO_TOPIC && topics[2] === ZERO_TOPIC && BigInt(data) === 1_000n,
  );
  expect(dead.length).toBeGreaterThanOrEqual(10);
});

test("two islands hold each other's shares through their pools", async () => {
  expect(await balance(island("island cycle y"), named("pool under cycle x"))).toBeGreaterThan(0n);
  expect(await balance(island("island cycle x"), named("pool under cycle y"))).toBeGreaterThan(0n);
  const [amount0, amount1] = await readView<readonly [bigint, bigint]>(devnet, {
    name: "Island",
    to: island("island cycle x"),
    call: "getUnderlyingBalances",
  });
  expect([amount0 > 0n, amount1 > 0n]).toEqual([true, true]);
});

test("a farm holds bault shares over a reward vault over an island", async () => {
  expect(await balance(named("bault free"), named("farm bault"))).toBeGreaterThan(0n);
  expect(await balance(named("reward vault free"), named("bault free"))).toBeGreaterThan(0n);
  expect(await balance(island("island free"), named("reward vault free"))).toBeGreaterThan(0n);
  expect(await balance(named("reward vault five"), named("infrared five"))).toBeGreaterThan(0n);
});
