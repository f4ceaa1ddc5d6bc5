// What may happen to a v3 pool, one act at a time: each logs what the contracts would have logged. Pools that go forward
// decide the swaps, and the reducer, run along, what can be burnt and collected.
import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MIN_SQRT_RATIO } from "../../core/math/tick-math.ts";
import type { V3Fact } from "../../core/v3/facts.ts";
import type { NftState } from "../../core/v3/position-manager.ts";
import { applyFact, type V3World } from "../../core/v3/reducer.ts";
import type { PoolState } from "../../core/v3/state.ts";
import type { Random } from "../../devnet/scenario/random.ts";
import type { V3Deployment } from "../../fold/v3/deployments.ts";
import type { ForwardPool } from "../core/v3-forward-pool.ts";
import type { LoggedFact } from "./v3-fact-tables.ts";

const ZERO = "0x0000000000000000000000000000000000000000";
export const V3_OWNERS = [1, 2, 3, 4].map((n) => `0xaa${n.toString(16).padStart(38, "0")}`);

export type Draft = V3Fact extends infer F
  ? F extends V3Fact
    ? Omit<F, "block" | "logIndex" | "txIndex">
    : never
  : never;

/** Logs facts block by block, giving each its place. */
export class Scribe {
  readonly facts: LoggedFact[] = [];
  block = 10;
  tx = 0;
  #logs = 0;

  nextBlock(blocks: number): void {
    this.block += blocks;
    this.tx = 0;
    this.#logs = 0;
  }

  takeLog(): number {
    this.#logs += 2;
    return this.#logs - 1;
  }

  /** Logs a fact and applies it to its world, which must take it. */
  log(world: V3World, contract: string, draft: Draft | V3Fact): void {
    const fact = { ...draft, block: this.block, logIndex: this.#logs, txIndex: this.tx } as V3Fact;
    this.#logs += 1 + (this.#logs % 3);
    const mismatch = applyFact(world, fact);
    if (mismatch !== undefined) throw mismatch;
    this.facts.push({ contract, fact });
  }
}

/** One pool, and what is needed to act on it. */
export interface Stage {
  random: Random;
  scribe: Scribe;
  world: V3World;
  forward: ForwardPool;
  pool: PoolState;
  deployment: V3Deployment;
  /** Next token id, by deployment. */
  ids: Map<V3Deployment, bigint>;
}

export type Act = (stage: Stage) => void;

export const say = ({ scribe, world, pool }: Stage, fact: V3Fact): void => scribe.log(world, pool.pool, fact);
const sayManager = ({ scribe, world, deployment }: Stage, draft: Draft): void =>
  scribe.log(world, deployment.manager, draft);

const size = (random: Random): bigint => random.amount(1n, 10n ** BigInt(random.between(1, 22)));

/** A range near the price. */
export function range({ random, forward, pool: { tickSpacing } }: Stage): [number, number] {
  const middle = Math.round(forward.tick / tickSpacing / 4) * 4;
  const lower = middle + random.between(-6, 3) * 2;
  return [lower * tickSpacing, (lower + random.pick([1, 2, 4, 40])) * tickSpacing];
}

const swap: Act = (stage) => {
  const { random, forward } = stage;
  const zeroForOne = random.chance(0.5);
  const ticks = [...forward.ticks.keys(), forward.tick + random.between(-300, 300)];
  const near = getSqrtRatioAtTick(random.pick(ticks));
  const isAhead = zeroForOne ? near < forward.price : near > forward.price;
  const far = getSqrtRatioAtTick(forward.tick + (zeroForOne ? -2000 : 2000));
  const limit = isAhead ? near : far;
  if (limit <= MIN_SQRT_RATIO || limit >= MAX_SQRT_RATIO) return;
  const amount = size(random);
  const order = { zeroForOne, amountSpecified: random.chance(0.4) ? -amount : amount, sqrtPriceLimitX96: limit };
  for (const fact of forward.swap(order)) say(stage, fact);
};

export function mintFor(stage: Stage, owner: string, at: [number, number]): bigint {
  const amount = size(stage.random);
  say(stage, { ...stage.forward.mint(at[0], at[1], amount), sender: owner, owner } as V3Fact);
  return amount;
}

const mint: Act = (stage) => void mintFor(stage, stage.random.pick(V3_OWNERS), range(stage));

const ownPositions = ({ pool, deployment }: Stage) =>
  [...pool.positions.values()].filter(({ owner }) => owner !== deployment.manager);

const burn: Act = (stage) => {
  const held = ownPositions(stage).filter(({ liquidity }) => liquidity > 0n);
  if (held.length === 0) return;
  const { owner, tickLower, tickUpper, liquidity } = stage.random.pick(held);
  const amount = stage.random.pick([0n, liquidity, liquidity, (liquidity + 1n) / 2n]);
  say(stage, { ...stage.forward.burn(tickLower, tickUpper, amount), owner } as V3Fact);
};

const collect: Act = (stage) => {
  const positions = ownPositions(stage);
  if (positions.length === 0) return;
  const { owner, tickLower, tickUpper, tokensOwed0, tokensOwed1 } = stage.random.pick(positions);
  const amount0 = stage.random.chance(0.7) ? tokensOwed0 : tokensOwed0 / 3n;
  const place = { pool: stage.pool.pool, owner, tickLower, tickUpper };
  stage.scribe.log(stage.world, stage.pool.pool, { kind: "collect", ...place, amount0, amount1: tokensOwed1 });
};

const flash: Act = (stage) => {
  if (stage.forward.liquidity === 0n) return;
  say(stage, stage.forward.flash([size(stage.random) / 1000n, size(stage.random) / 1000n]));
};

const setFee: Act = (stage) => {
  const one = () => stage.random.pick(stage.pool.flavour === "kodiak" ? [0, 1000, 3500, 4000] : [0, 4, 7, 10]);
  say(stage, stage.forward.setFeeProtocol(one(), one()));
};

const collectFee: Act = (stage) => {
  const [held0, held1] = stage.forward.protocolFees;
  if (held0 > 1n && held1 > 1n) say(stage, stage.forward.collectProtocol(held0 - 1n, held1 / 2n));
};

const nftsOf = ({ world, pool }: Stage): NftState[] =>
  [...world.manager.nfts.values()].filter((nft) => nft.pool === pool);

const newToken: Act = (stage) => {
  const { deployment, ids, random } = stage;
  const tokenId = ids.get(deployment) ?? 1n;
  ids.set(deployment, tokenId + 1n);
  const liquidity = mintFor(stage, deployment.manager, range(stage));
  sayManager(stage, { kind: "transferToken", tokenId, from: ZERO, to: random.pick(V3_OWNERS) });
  sayManager(stage, { kind: "increaseLiquidity", tokenId, liquidity, amount0: 0n, amount1: 0n });
};

const increase: Act = (stage) => {
  const nfts = nftsOf(stage);
  if (nfts.length === 0) return;
  const { tokenId, tickLower, tickUpper } = stage.random.pick(nfts);
  const liquidity = mintFor(stage, stage.deployment.manager, [tickLower, tickUpper]);
  sayManager(stage, { kind: "increaseLiquidity", tokenId, liquidity, amount0: 0n, amount1: 0n });
};

function managerBurn(
  stage: Stage,
  { tickLower, tickUpper }: NftState,
  amount: bigint,
): { amount0: bigint; amount1: bigint } {
  const fact = stage.forward.burn(tickLower, tickUpper, amount);
  say(stage, { ...fact, owner: stage.deployment.manager } as V3Fact);
  return fact as V3Fact & { kind: "burn" };
}

const decrease: Act = (stage) => {
  const nfts = nftsOf(stage).filter(({ liquidity }) => liquidity > 0n);
  if (nfts.length === 0) return;
  const nft = stage.random.pick(nfts);
  const liquidity = stage.random.chance(0.6) ? nft.liquidity : (nft.liquidity + 1n) / 2n;
  const { amount0, amount1 } = managerBurn(stage, nft, liquidity);
  sayManager(stage, { kind: "decreaseLiquidity", tokenId: nft.tokenId, liquidity, amount0, amount1 });
};

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const collectToken: Act = (stage) => {
  const nfts = nftsOf(stage);
  if (nfts.length === 0) return;
  const nft = stage.random.pick(nfts);
  const { tokenId, tickLower, tickUpper, tokensOwed0: amount0, tokensOwed1: amount1 } = nft;
  if (nft.liquidity > 0n) managerBurn(stage, nft, 0n);
  const owner = stage.deployment.manager;
  const held = [...stage.pool.positions.values()].find(
    (position) => position.owner === owner && position.tickLower === tickLower && position.tickUpper === tickUpper,
  );
  const paid = { amount0: least(amount0, held!.tokensOwed0), amount1: least(amount1, held!.tokensOwed1) };
  const place = { pool: stage.pool.pool, owner, tickLower, tickUpper };
  stage.scribe.log(stage.world, stage.pool.pool, { kind: "collect", ...place, ...paid });
  sayManager(stage, { kind: "collectToken", tokenId, amount0, amount1 });
};

const passOn: Act = (stage) => {
  const nfts = nftsOf(stage);
  if (nfts.length === 0) return;
  const { tokenId, owner, liquidity, tokensOwed0, tokensOwed1 } = stage.random.pick(nfts);
  const isClear = liquidity + tokensOwed0 + tokensOwed1 === 0n;
  sayManager(stage, { kind: "transferToken", tokenId, from: owner, to: isClear ? ZERO : stage.random.pick(V3_OWNERS) });
};

/** Each as often as it is listed. */
export const V3_ACTS: readonly Act[] = [
  ...[swap, swap, swap, swap, swap, swap, mint, mint, burn, burn, collect, flash],
  ...[setFee, collectFee, newToken, newToken, increase, decrease, decrease, collectToken, collectToken, passOn, passOn],
];
