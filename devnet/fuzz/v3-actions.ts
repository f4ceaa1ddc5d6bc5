// What happens in a randomised world: every entry point of pool and position manager, aimed at the places where
// rounding and boundaries matter. What the contracts refuse leaves no event, and does not matter.
import { type Address, encodeFunctionData, maxUint128 } from "viem";
import { getAmountsForLiquidity } from "../../core/math/liquidity-amounts.ts";
import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO } from "../../core/math/tick-math.ts";
import type { NftState } from "../../core/v3/position-manager.ts";
import type { V3World } from "../../core/v3/reducer.ts";
import type { PoolState, PositionState } from "../../core/v3/state.ts";
import { readArtifact } from "../compile/artifacts.ts";
import { kodiakArtifacts } from "../compile/kodiak-v3.ts";
import type { Random } from "../scenario/random.ts";
import { chooseRange, priceNear } from "./v3-choices.ts";
import type { FuzzPool, Setting } from "./v3-setting.ts";

export interface Scene {
  setting: Setting;
  worlds: Record<FuzzPool["flavour"], V3World>;
  random: Random;
}

interface Cast extends Scene {
  pool: FuzzPool;
  state: PoolState;
  account: Address;
}

type Act = (cast: Cast) => void | Promise<void>;

const managerAbi = readArtifact("NonfungiblePositionManager").abi;
const callerAbi = readArtifact("PoolCaller").abi;
const poolAbi = readArtifact("UniswapV3Pool").abi;
const DEADLINE = 2n ** 40n;

/** How often each act is drawn. */
const acts: readonly [weight: number, act: Act][] = [
  [40, swap],
  [12, mintNft],
  [7, increaseNft],
  [9, decreaseNft],
  [7, collectNft],
  [3, leaveNft],
  [3, transferNft],
  [8, mintDirect],
  [8, burnDirect],
  [6, collectDirect],
  [6, flash],
  [4, setFeeProtocol],
  [3, collectProtocol],
];
const urn = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));

/** Queues one random act for the next block. */
export async function actAtRandom(scene: Scene): Promise<void> {
  const { setting, worlds, random } = scene;
  const pool = random.pick(setting.pools);
  const state = worlds[pool.flavour].pools.get(pool.address);
  if (state === undefined) throw new Error(`no state of pool ${pool.address}`);
  const act = random.pick(urn);
  await act({ ...scene, pool, state, account: random.pick(setting.accounts) });
}

/** Queues a position over the whole range in most pools, so that their prices have something to move through. */
export function actFirst(scene: Scene): void {
  const { setting, worlds, random } = scene;
  for (const pool of setting.pools) {
    const state = worlds[pool.flavour].pools.get(pool.address);
    if (state === undefined || random.chance(0.3)) continue;
    const edge = Math.trunc(MAX_TICK / pool.tickSpacing) * pool.tickSpacing;
    const liquidity = random.amount(10n ** 12n, 10n ** BigInt(random.between(13, 22)));
    const args = [pool.address, setting.accounts[0], -edge, edge, liquidity];
    const cast = { ...scene, pool, state, account: random.pick(setting.accounts) };
    send(cast, { to: setting.caller, abi: callerAbi, call: "mintDirect", args });
  }
}

interface Sending {
  to: Address;
  abi: Setting["probeAbi"];
  call: string;
  args: readonly unknown[];
  from?: Address;
}

function send({ setting, account }: Cast, { to, abi, call, args, from = account }: Sending): void {
  const data = encodeFunctionData({ abi: abi as typeof poolAbi, functionName: call, args });
  setting.chain.queue({ from, to, data, reverts: "maybe" });
}

/** A magnitude first, then digits: 1 wei is as likely as 10^24. */
function amountOf(random: Random, decades = 24): bigint {
  const top = 10n ** BigInt(random.between(0, decades));
  return random.chance(0.1) ? BigInt(random.between(1, 3)) : random.amount(1n, top);
}

function swap(cast: Cast): void {
  const { random, pool, state, setting, account } = cast;
  const zeroForOne = random.chance(0.5);
  const size = random.chance(0.2) ? 10n ** 30n : amountOf(random);
  const amount = random.chance(0.4) ? -size : size;
  const end = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  const isFree = random.chance(state.liquidity === 0n ? 0.02 : 0.35) && size < 10n ** 30n;
  const limit = isFree ? end : priceNear({ state, random, zeroForOne });
  const args = [pool.address, account, zeroForOne, amount, limit];
  send(cast, { to: setting.caller, abi: callerAbi, call: "swapDirect", args });
}

function nftsOf({ worlds, pool, state }: Cast): NftState[] {
  return [...worlds[pool.flavour].manager.nfts.values()].filter((nft) => nft.pool === state);
}

/** Amounts for some liquidity in a range, sometimes lopsided. */
function desiredOf({ state, random }: Cast, { tickLower, tickUpper }: { tickLower: number; tickUpper: number }) {
  const liquidity = amountOf(random);
  const [lower, upper] = [getSqrtRatioAtTick(tickLower), getSqrtRatioAtTick(tickUpper)];
  const { amount0, amount1 } = getAmountsForLiquidity(state.sqrtPriceX96, lower, upper, liquidity);
  const spare = () => BigInt(random.pick([1, 1, 2, 1000]));
  return { amount0Desired: amount0 * spare() + 1n, amount1Desired: amount1 * spare() + 1n };
}

function mintNft(cast: Cast): void {
  const { random, pool, state, account } = cast;
  const [tickLower, tickUpper] = chooseRange({ state, random });
  const params = {
    token0: pool.token0,
    token1: pool.token1,
    fee: pool.fee,
    tickLower,
    tickUpper,
    ...desiredOf(cast, { tickLower, tickUpper }),
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: random.chance(0.8) ? account : random.pick(cast.setting.accounts),
    deadline: DEADLINE,
  };
  send(cast, { to: pool.manager, abi: managerAbi, call: "mint", args: [params] });
}

function increaseNft(cast: Cast): void {
  const { random, pool } = cast;
  const nfts = nftsOf(cast);
  if (nfts.length === 0) return;
  const nft = random.pick(nfts);
  const { tokenId } = nft;
  const params = { tokenId, ...desiredOf(cast, nft), amount0Min: 0n, amount1Min: 0n, deadline: DEADLINE };
  send(cast, { to: pool.manager, abi: managerAbi, call: "increaseLiquidity", args: [params] });
}

function partOf(random: Random, whole: bigint): bigint {
  if (random.chance(0.4)) return whole;
  return random.chance(0.1) ? 1n : (whole * BigInt(random.between(1, 999))) / 1000n;
}

function decreaseOf(nft: NftState, liquidity: bigint): object {
  return { tokenId: nft.tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: DEADLINE };
}

function decreaseNft(cast: Cast): void {
  const nfts = nftsOf(cast);
  if (nfts.length === 0) return;
  const nft = cast.random.pick(nfts);
  const args = [decreaseOf(nft, partOf(cast.random, nft.liquidity))];
  send(cast, { to: cast.pool.manager, abi: managerAbi, call: "decreaseLiquidity", args, from: nft.owner as Address });
}

function collectOf(random: Random, nft: NftState): object {
  const most = () => (random.chance(0.6) ? maxUint128 : amountOf(random, 20));
  return { tokenId: nft.tokenId, recipient: nft.owner, amount0Max: most(), amount1Max: most() };
}

function collectNft(cast: Cast): void {
  const nfts = nftsOf(cast);
  if (nfts.length === 0) return;
  const nft = cast.random.pick(nfts);
  const args = [collectOf(cast.random, nft)];
  send(cast, { to: cast.pool.manager, abi: managerAbi, call: "collect", args, from: nft.owner as Address });
}

/** Takes everything out, collects and burns in one transaction; or does only most of that. */
function leaveNft(cast: Cast): void {
  const nfts = nftsOf(cast);
  if (nfts.length === 0) return;
  const nft = cast.random.pick(nfts);
  const encode = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: managerAbi, functionName, args });
  const everything = { tokenId: nft.tokenId, recipient: nft.owner, amount0Max: maxUint128, amount1Max: maxUint128 };
  const calls = [
    ...(nft.liquidity > 0n ? [encode("decreaseLiquidity", [decreaseOf(nft, nft.liquidity)])] : []),
    encode("collect", [everything]),
    ...(cast.random.chance(0.8) ? [encode("burn", [nft.tokenId])] : []),
  ];
  send(cast, { to: cast.pool.manager, abi: managerAbi, call: "multicall", args: [calls], from: nft.owner as Address });
}

function transferNft(cast: Cast): void {
  const nfts = nftsOf(cast);
  if (nfts.length === 0) return;
  const { owner, tokenId } = cast.random.pick(nfts);
  const args = [owner, cast.random.pick(cast.setting.accounts), tokenId];
  send(cast, { to: cast.pool.manager, abi: managerAbi, call: "transferFrom", args, from: owner as Address });
}

/** A position of the pool itself; now and then it is given to the manager, which must not affect the manager's token ids. */
function mintDirect(cast: Cast): void {
  const { random, pool, state, setting, account } = cast;
  const [tickLower, tickUpper] = chooseRange({ state, random });
  const owner = random.chance(0.15) ? pool.manager : account;
  const args = [pool.address, owner, tickLower, tickUpper, amountOf(random, 26)];
  send(cast, { to: setting.caller, abi: callerAbi, call: "mintDirect", args });
}

function directPosition({ state, pool, random }: Cast): PositionState | undefined {
  const positions = [...state.positions.values()].filter(({ owner }) => owner !== pool.manager);
  return positions.length === 0 ? undefined : random.pick(positions);
}

function burnDirect(cast: Cast): void {
  const position = directPosition(cast);
  if (position === undefined) return;
  const { owner, tickLower, tickUpper, liquidity } = position;
  const args = [tickLower, tickUpper, cast.random.chance(0.3) ? 0n : partOf(cast.random, liquidity)];
  send(cast, { to: cast.pool.address, abi: poolAbi, call: "burn", args, from: owner as Address });
}

function collectDirect(cast: Cast): void {
  const { random, pool } = cast;
  const position = directPosition(cast);
  if (position === undefined) return;
  const { owner, tickLower, tickUpper } = position;
  const most = () => (random.chance(0.6) ? maxUint128 : amountOf(random, 20));
  const args = [owner, tickLower, tickUpper, most(), most()];
  send(cast, { to: pool.address, abi: poolAbi, call: "collect", args, from: owner as Address });
}

function flash(cast: Cast): void {
  const { random, pool, setting } = cast;
  const amount = () => (random.chance(0.3) ? 0n : amountOf(random, 12));
  const args = [pool.address, amount(), amount(), random.chance(0.5) ? 0n : amountOf(random, 15)];
  send(cast, { to: setting.caller, abi: callerAbi, call: "borrow", args });
}

async function setFeeProtocol(cast: Cast): Promise<void> {
  const { random, pool, setting } = cast;
  const isKodiak = pool.flavour === "kodiak";
  const setting0 = () => (random.chance(0.25) ? 0 : isKodiak ? random.between(1000, 4000) : random.between(4, 10));
  const abi = isKodiak ? (await kodiakArtifacts()).pool.abi : poolAbi;
  const from = setting.accounts[0] as Address;
  send(cast, { to: pool.address, abi, call: "setFeeProtocol", args: [setting0(), setting0()], from });
}

function collectProtocol(cast: Cast): void {
  const { random, pool, setting } = cast;
  const most = () => (random.chance(0.5) ? maxUint128 : amountOf(random, 18));
  const from = setting.accounts[0] as Address;
  send(cast, { to: pool.address, abi: poolAbi, call: "collectProtocol", args: [from, most(), most()], from });
}
