// What an incentive pays, beside the real @uniswap/v3-staker: random stakes, unstakes and restakes in several incentives at once,
// while swaps move the price through their ranges.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Abi, type Address, encodeDeployData, type Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nonfungiblePositionManagerAbi, uniswapV3PoolAbi } from "../../devnet/artifacts/abis.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { startTestChain, type TestChain } from "../devnet/contracts/test-chain.ts";
import { type EndedStake, type Incentive, stakerRewards } from "./staker-payouts.ts";

const STEPS = 420;
const POSITIONS = 9;
const random = seedRandom("staker");
const path = createRequire(import.meta.url).resolve(
  "@uniswap/v3-staker/artifacts/contracts/UniswapV3Staker.sol/UniswapV3Staker.json",
);
const artifact = JSON.parse(readFileSync(path, "utf8")) as { abi: Abi; bytecode: Hex };

let t: TestChain;
let [staker, pool, rewardToken] = [] as unknown as [Address, Address, Address];
beforeAll(async () => {
  t = await startTestChain();
});
afterAll(() => t?.stop());

interface Key {
  rewardToken: Address;
  pool: Address;
  startTime: bigint;
  endTime: bigint;
  refundee: Address;
}
interface Offered extends Incentive {
  key: Key;
  ended: EndedStake[];
  /** What the contract has paid, in the order of `ended`. */
  paid: bigint[];
  staked: Map<bigint, { initial: bigint; liquidity: bigint }>;
}
interface Token {
  id: bigint;
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
}

const now = async () => (await t.chain.client.getBlock()).timestamp;

async function inside({ tickLower, tickUpper }: Token): Promise<bigint> {
  const args = [tickLower, tickUpper];
  return (await t.read<bigint[]>({ to: pool, abi: uniswapV3PoolAbi, call: "snapshotCumulativesInside", args }))[1]!;
}

async function mint(tokens: [Address, Address], i: number): Promise<Token> {
  const owner = t.account(1);
  const manager = { to: t.at.v3.uniswap.positionManager, abi: nonfungiblePositionManagerAbi };
  const tickLower = -60 * random.between(1, 60);
  const tickUpper = 60 * random.between(1, 60);
  const [token0, token1] = tokens;
  const amount = 10n ** BigInt(random.between(17, 21));
  const params = {
    ...{ token0, token1, fee: 3000, tickLower, tickUpper, amount0Desired: amount, amount1Desired: amount },
    ...{ amount0Min: 0n, amount1Min: 0n, recipient: owner, deadline: 10n ** 12n },
  };
  await t.act({ ...manager, call: "mint", args: [params], from: owner });
  const id = BigInt(i + 1);
  const position = await t.read<bigint[]>({ ...manager, call: "positions", args: [id] });
  await t.act({ ...manager, call: "safeTransferFrom", args: [owner, staker, id], from: owner });
  return { id, tickLower, tickUpper, liquidity: position[7]! };
}

async function offer(seconds: { lead: bigint; lasts: bigint }, reward: bigint): Promise<Offered> {
  const startTime = (await now()) + seconds.lead;
  const endTime = startTime + seconds.lasts;
  const key = { rewardToken, pool, startTime, endTime, refundee: t.account(0) };
  const call = { to: staker, abi: artifact.abi, call: "createIncentive", args: [key, reward], from: t.account(1) };
  await t.act(call);
  return { key, startTime, endTime, reward, ended: [], paid: [], staked: new Map() };
}

const act = (call: string, args: readonly unknown[]) =>
  t.act({ to: staker, abi: artifact.abi, call, args, from: t.account(1), seconds: random.between(1, 30) });

const owed = () => {
  const args = [rewardToken, t.account(1)];
  return t.read<bigint>({ to: staker, abi: artifact.abi, call: "rewards", args });
};

async function stake({ key, staked }: Offered, token: Token): Promise<void> {
  await act("stakeToken", [key, token.id]);
  staked.set(token.id, { initial: await inside(token), liquidity: token.liquidity });
}

async function unstake({ key, staked, ended, paid }: Offered, token: Token): Promise<void> {
  const { initial, liquidity } = staked.get(token.id)!;
  const before = await owed();
  await act("unstakeToken", [key, token.id]);
  staked.delete(token.id);
  paid.push((await owed()) - before);
  ended.push({
    ...{ owner: t.account(1), liquidity, secondsPerLiquidityInsideInitialX128: initial },
    secondsPerLiquidityInsideX128: await inside(token),
    timestamp: await now(),
  });
}

async function playOn(offers: readonly Offered[], tokens: readonly Token[]): Promise<void> {
  const chosen = random.pick(offers);
  const token = random.pick(tokens);
  const time = await now();
  if (random.chance(0.35)) {
    await t.swap(pool, random.chance(0.5), 10n ** BigInt(random.between(18, 21)));
  } else if (chosen.staked.has(token.id)) await unstake(chosen, token);
  // a block comes at most 30 seconds after the one before it
  else if (time >= chosen.startTime && time + 31n < chosen.endTime) await stake(chosen, token);
}

it("pays what the contract pays, to the wei, for every stake that ended", { timeout: 400_000 }, async () => {
  const { tokens: all, v3 } = t.at;
  const tokens: [Address, Address] = all.ibgt < all.kdk ? [all.ibgt, all.kdk] : [all.kdk, all.ibgt];
  rewardToken = all.honey;
  pool = await t.openPool("uniswap", tokens, 10n ** 18n);
  const args = [v3.uniswap.factory, v3.uniswap.positionManager, 10n ** 6n, 10n ** 9n];
  staker = await t.chain.create(t.account(0), encodeDeployData({ ...artifact, args }));
  await t.chain.seal();
  for (const token of tokens)
    for (const spender of [v3.uniswap.positionManager, t.at.poolCaller]) await t.fund(token, t.account(1), spender);
  await t.fund(rewardToken, t.account(1), staker);
  const held: Token[] = [];
  for (let i = 0; i < POSITIONS; i++) held.push(await mint(tokens, i));
  const offers = [
    await offer({ lead: 10n, lasts: 1_500n }, 10n ** 21n + 7n),
    await offer({ lead: 300n, lasts: 2_500n }, 999_999_937n),
    await offer({ lead: 20n, lasts: 90_000n }, 10n ** 24n),
  ];
  for (let i = 0; i < STEPS; i++) await playOn(offers, held);
  // those that are left, some after the end of their incentive
  for (const one of offers) for (const token of held.filter(({ id }) => one.staked.has(id))) await unstake(one, token);

  const stakes = offers.reduce((sum, { ended }) => sum + ended.length, 0);
  expect(stakes).toBeGreaterThanOrEqual(50);
  expect(
    offers.filter(({ ended, endTime }) => ended.some(({ timestamp }) => timestamp > endTime)).length,
  ).toBeGreaterThan(0);
  for (const one of offers) {
    const { payouts, unclaimed } = stakerRewards(one, one.ended);
    expect(payouts.map(({ reward }) => reward)).toEqual(one.paid);
    expect(one.paid.some((paid) => paid > 0n)).toBe(true);
    expect(unclaimed + one.paid.reduce((sum, paid) => sum + paid, 0n)).toBe(one.reward);
  }
  console.log(`${stakes} stakes ended: ${offers.map(({ ended }) => ended.length).join(", ")}`);
});
