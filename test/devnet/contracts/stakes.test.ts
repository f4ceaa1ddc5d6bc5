// Everything that stakes: reward vaults, farms, baults and Infrared-like vaults, with their rates and events.
import { type Address, encodePacked, keccak256, parseEventLogs } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  baultAbi,
  baultFactoryAbi,
  distributorAbi,
  farmAbi,
  farmFactoryAbi,
  infraredCoreAbi,
  infraredVaultAbi,
  mintableTokenAbi,
  rewardVaultAbi,
  rewardVaultFactoryAbi,
} from "../../../devnet/artifacts/abis.ts";
import { type Act, startTestChain, type TestChain, topicsOf } from "./test-chain.ts";

const DAY = 86_400;
const ONE = 10n ** 18n;

let t: TestChain;
let lp: Address;
let vault: Address;
beforeAll(async () => {
  t = await startTestChain();
  lp = t.at.tokens.kdk;
  vault = await createVault(lp);
});
afterAll(() => t?.stop());

async function createVault(token: Address): Promise<Address> {
  const { factory } = t.at.rewardVaults;
  await t.act({ to: factory, abi: rewardVaultFactoryAbi, call: "createRewardVault", args: [token] });
  const made = await t.read<Address>({ to: factory, abi: rewardVaultFactoryAbi, call: "getVault", args: [token] });
  return made.toLowerCase() as Address;
}

const inVault = (call: string, args: readonly unknown[], more: Partial<Act> = {}) =>
  t.act({ to: vault, abi: rewardVaultAbi, call, args, ...more });
const ofVault = <T>(call: string, args: readonly unknown[] = []): Promise<T> =>
  t.read<T>({ to: vault, abi: rewardVaultAbi, call, args });
const distribute = (amount: bigint, seconds = 2) => {
  const args = ["0x1234", 1n, vault, amount];
  return t.act({ to: t.at.rewardVaults.distributor, abi: distributorAbi, call: "distributeFor", args, seconds });
};

describe("a reward vault", () => {
  test("a delegated stake is the account's, and only the delegate can take it out", async () => {
    const [account, delegate] = [t.account(2), t.account(3)];
    await t.fund(lp, delegate, vault);
    const held = await t.balance(lp, delegate);
    const receipt = await inVault("delegateStake", [account, 5n * ONE], { from: delegate });
    const names = parseEventLogs({ abi: rewardVaultAbi, logs: receipt.logs }).map((log) => log.eventName);
    expect(names).toEqual(["Staked", "DelegateStaked"]);
    expect([await ofVault("balanceOf", [account]), await ofVault("balanceOf", [delegate])]).toEqual([5n * ONE, 0n]);
    await inVault("withdraw", [1n], { from: account, reverts: true });
    await inVault("delegateWithdraw", [account, 2n * ONE], { from: delegate });
    expect(await ofVault("balanceOf", [account])).toBe(3n * ONE);
    expect(held - (await t.balance(lp, delegate))).toBe(3n * ONE);
  });

  test("a stake on behalf can be withdrawn by its account", async () => {
    await inVault("stakeOnBehalf", [t.account(4), ONE], { from: t.account(3) });
    await inVault("withdraw", [ONE], { from: t.account(4) });
    expect(await t.balance(lp, t.account(4))).toBe(ONE);
  });

  test("rewards: 7 days at first, RewardAdded scaled and with the leftover of a running period", async () => {
    const first = await distribute(7n * ONE);
    const [added] = parseEventLogs({ abi: rewardVaultAbi, eventName: "RewardAdded", logs: first.logs });
    expect(added?.args.reward).toBe(7n * ONE * ONE);
    const rate = (7n * ONE * ONE) / BigInt(7 * DAY);
    expect(await ofVault("rewardRate")).toBe(rate);
    const finish = await ofVault<bigint>("periodFinish");
    const second = await distribute(7n * ONE, 2 * DAY);
    const { timestamp } = await t.chain.client.getBlock();
    const [again] = parseEventLogs({ abi: rewardVaultAbi, eventName: "RewardAdded", logs: second.logs });
    expect(again?.args.reward).toBe(7n * ONE * ONE + (finish - timestamp) * rate);
    // The account is the vault's only staker: two days of the first rate are its own, less what division dropped.
    const earned = await ofVault<bigint>("earned", [t.account(2)]);
    expect((rate * BigInt(2 * DAY)) / ONE - earned).toBeLessThanOrEqual(10n);
    await inVault("getReward", [t.account(2), t.account(6)], { from: t.account(2) });
    expect(await t.balance(t.at.rewardVaults.rewardToken, t.account(6))).toBeGreaterThanOrEqual(earned);
  });

  test("rewards that find nobody staked wait for the first stake", async () => {
    vault = await createVault(t.at.tokens.yeet);
    await distribute(ONE);
    expect([await ofVault("rewardRate"), await ofVault("periodFinish")]).toEqual([0n, 0n]);
    await t.fund(t.at.tokens.yeet, t.account(2), vault);
    await inVault("stake", [ONE], { from: t.account(2) });
    expect(await ofVault("rewardRate")).toBe((ONE * ONE) / BigInt(7 * DAY));
  });

  test("incentives are whitelisted, added, paid out in step with rewards, and removed", async () => {
    const { honey } = t.at.tokens;
    await inVault("whitelistIncentiveToken", [honey, ONE, t.account(5)]);
    await t.fund(honey, t.account(5), vault);
    await inVault("addIncentive", [honey, 10n * ONE, 2n * ONE], { from: t.account(5) });
    const receipt = await distribute(3n * ONE);
    const parts = parseEventLogs({ abi: rewardVaultAbi, logs: receipt.logs })
      .filter(({ eventName }) => eventName.endsWith("IncentivesProcessed"))
      .map(({ args }) => (args as { amount: bigint }).amount);
    expect(parts).toEqual([(6n * ONE) / 10n, (54n * ONE) / 10n]);
    const before = await t.balance(honey, t.account(5));
    await inVault("removeIncentiveToken", [honey]);
    expect((await t.balance(honey, t.account(5))) - before).toBe(4n * ONE);
  });
});

describe("a farm", () => {
  let farm: Address;
  const user = (): Address => t.account(2);
  const inFarm = (call: string, args: readonly unknown[] = [], more: Partial<Act> = {}) =>
    t.act({ to: farm, abi: farmAbi, call, args, ...more });
  const ofFarm = <T>(call: string, args: readonly unknown[] = []): Promise<T> =>
    t.read<T>({ to: farm, abi: farmAbi, call, args });

  test("is deployed with rates that no event shows", async () => {
    const { factory, implementation } = t.at.farms;
    const args = [implementation, t.account(0), lp, [t.at.tokens.honey], [ONE]];
    const receipt = await t.act({ to: factory, abi: farmFactoryAbi, call: "deployFarm", args });
    const [deployed] = parseEventLogs({ abi: farmFactoryAbi, eventName: "FarmDeployed", logs: receipt.logs });
    farm = (deployed?.args.farm ?? "0x").toLowerCase() as Address;
    const own = parseEventLogs({ abi: farmAbi, logs: receipt.logs }).map((log) => log.eventName);
    expect(own).toEqual(["RewardTokenAdded"]);
    expect(await ofFarm("getAllRewardRates")).toEqual([ONE]);
    const funds = [farm, 30n * BigInt(DAY) * ONE];
    await t.act({ to: t.at.tokens.honey, abi: mintableTokenAbi, call: "mint", args: funds });
    await inFarm("startFarm");
  });

  test("a longer lock weighs more, up to three times", async () => {
    for (const index of [2, 3]) await t.fund(lp, t.account(index), farm);
    const receipt = await inFarm("stakeLocked", [ONE, BigInt(15 * DAY)], { from: user() });
    const [staked] = parseEventLogs({ abi: farmAbi, eventName: "StakeLocked", logs: receipt.logs });
    const { timestamp } = await t.chain.client.getBlock();
    const packed = encodePacked(["address", "uint256", "uint256", "uint256"], [user(), timestamp, ONE, 0n]);
    expect(staked?.args.kek_id).toBe(keccak256(packed));
    await inFarm("stakeLocked", [ONE, 0n], { from: t.account(3) });
    expect(await ofFarm("combinedWeightOf", [user()])).toBe(2n * ONE);
    expect(await ofFarm("totalCombinedWeight")).toBe(3n * ONE);
    await inFarm("withdrawLocked", [keccak256(packed)], { from: user(), reverts: true });
  });

  test("rewards split by weight; a period that cannot be paid for again ends at rate 0 when someone syncs", async () => {
    const before = await ofFarm<bigint[]>("earned", [user()]);
    await inFarm("sync", [], { seconds: 3 * DAY });
    const after = await ofFarm<bigint[]>("earned", [user()]);
    const share = (BigInt(3 * DAY) * ONE * 2n) / 3n;
    expect(share - ((after[0] ?? 0n) - (before[0] ?? 0n))).toBeLessThanOrEqual(1n);
    const ended = await inFarm("sync", [], { seconds: 30 * DAY });
    const [zero] = parseEventLogs({ abi: farmAbi, eventName: "RewardRateUpdated", logs: ended.logs });
    expect(zero?.args.newRate).toBe(0n);
    // of what is staked, once for all reward tokens: KodiakFarm.sol, _retroCatchUp
    const renewed = parseEventLogs({ abi: farmAbi, eventName: "RewardsPeriodRenewed", logs: ended.logs });
    expect(renewed.map(({ args }) => args.token.toLowerCase())).toEqual([lp]);
    expect(topicsOf(ended, farm)).toHaveLength(2);
  });

  test("stakes come back 1:1, an emergency one too, with WithdrawLocked", async () => {
    const before = await t.balance(lp, t.account(3));
    const [stake] = await ofFarm<{ kek_id: string }[]>("lockedStakesOf", [t.account(3)]);
    const receipt = await inFarm("emergencyWithdraw", [stake?.kek_id], { from: t.account(3) });
    const names = parseEventLogs({ abi: farmAbi, logs: receipt.logs }).map((log) => log.eventName);
    expect(names).toContain("WithdrawLocked");
    expect(names).not.toContain("RewardPaid");
    expect((await t.balance(lp, t.account(3))) - before).toBe(ONE);
    await inFarm("withdrawLockedAll", [], { from: user() });
    expect(await ofFarm("totalLiquidityLocked")).toBe(0n);
  });
});

describe("vaults over the reward vault", () => {
  test("a bault's assets are its stake; bounty and exit fee raise the price of a share", async () => {
    vault = await createVault(lp);
    const { baultFactory } = t.at.vaults;
    const deployed = await t.act({ to: baultFactory, abi: baultFactoryAbi, call: "deployBault", args: [lp, "KDK"] });
    const [log] = parseEventLogs({ abi: baultFactoryAbi, eventName: "BaultDeployed", logs: deployed.logs });
    const bault = (log?.args.bault ?? "0x").toLowerCase() as Address;
    const act = (call: string, args: readonly unknown[], more: Partial<Act> = {}) =>
      t.act({ to: bault, abi: baultAbi, call, args, ...more });
    const of = <T>(call: string, args: readonly unknown[] = []) => t.read<T>({ to: bault, abi: baultAbi, call, args });
    for (const index of [2, 3]) await t.fund(lp, t.account(index), bault);
    await act("setExitFeeBps", [3]);
    await act("setBounty", [ONE / 10n]);
    await act("setCompoundFeeBps", [500]);

    await act("deposit", [10n * ONE, t.account(2)], { from: t.account(2) });
    expect(await of("totalAssets")).toBe(10n * ONE);
    expect(await ofVault("balanceOf", [bault])).toBe(10n * ONE);
    await distribute(ONE, DAY);
    const claimed = await act("claimBgt", [t.account(7)], { from: t.account(3) });
    const [compounded] = parseEventLogs({ abi: baultAbi, eventName: "BgtClaimed", logs: claimed.logs });
    expect(compounded?.args.compoundAmount).toBe(((ONE / 10n) * 95n) / 100n);
    expect(compounded?.args.tokenToRecipient).toBe(await t.balance(t.at.rewardVaults.rewardToken, t.account(7)));
    expect(await of("convertToAssets", [ONE])).toBe(1009500000000000000n);

    const shares = 4n * ONE;
    const gross = await of<bigint>("convertToAssets", [shares]);
    const fee = (gross * 3n + 9999n) / 10000n;
    expect(await of("previewRedeem", [shares])).toBe(gross - fee);
    const left = await act("redeem", [shares, t.account(8), t.account(2)], { from: t.account(2) });
    const [paid] = parseEventLogs({ abi: baultAbi, eventName: "ExitFeePaid", logs: left.logs });
    expect(paid?.args).toEqual({ assets: gross - fee, fee });
    expect(await t.balance(lp, t.account(8))).toBe(gross - fee);
    expect(await of<bigint>("convertToAssets", [ONE])).toBeGreaterThan(1009500000000000000n);
    const wanted = await of<bigint>("maxWithdraw", [t.account(2)]);
    await act("withdraw", [wanted, t.account(9), t.account(2)], { from: t.account(2) });
    expect(await t.balance(lp, t.account(9))).toBe(wanted);
  });

  test("an infrared vault stakes on under its own address and pays its own rewards", async () => {
    const { core } = t.at.infrared;
    const act = (to: Address, call: Pick<Act, "call" | "args" | "from" | "seconds">) =>
      t.act({ to, abi: to === core ? infraredCoreAbi : infraredVaultAbi, ...call });
    const made = await act(core, { call: "registerVault", args: [lp] });
    const [log] = parseEventLogs({ abi: infraredCoreAbi, eventName: "NewVault", logs: made.logs });
    const own = (log?.args._vault ?? "0x").toLowerCase() as Address;
    await t.fund(lp, t.account(2), own);
    const staked = await act(own, { call: "stake", args: [ONE], from: t.account(2) });
    const stakes = parseEventLogs({ abi: rewardVaultAbi, eventName: "Staked", logs: staked.logs });
    expect(stakes.map(({ address, args }) => [address, args.account.toLowerCase()])).toEqual([
      [vault, own],
      [own, t.account(2).toLowerCase()],
    ]);
    const { ibgt } = t.at.tokens;
    await act(core, { call: "addReward", args: [lp, ibgt, BigInt(DAY)] });
    await t.fund(ibgt, t.account(0), core);
    await act(core, { call: "addIncentives", args: [lp, ibgt, BigInt(DAY) * ONE] });
    await act(own, { call: "getReward", args: [], from: t.account(2), seconds: 100 });
    expect(await t.balance(ibgt, t.account(2))).toBe(100n * ONE);
    await act(core, { call: "harvestVault", args: [lp], from: t.account(2), seconds: DAY });
    expect(await t.balance(t.at.rewardVaults.rewardToken, core)).toBeGreaterThan(0n);
    await act(own, { call: "withdraw", args: [ONE], from: t.account(2) });
    expect(await ofVault("balanceOf", [own])).toBe(0n);
  });
});
