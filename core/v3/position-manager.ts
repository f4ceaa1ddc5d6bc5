// The manager's token ids. The manager keeps its own account of each id beside the pool's account of all ids on one
// range together, from the pool's fee growth at that moment. It logs right after the pool, so the pool's position
// already holds that growth when the manager's fact arrives.
// v3-periphery contracts/NonfungiblePositionManager.sol
import type { PositionPoint } from "../concentrated/position-amounts.ts";
import type { FactPlace } from "../fact-place.ts";
import { feesEarnedRoundingDown } from "../math/tick.ts";
import { ZERO_ADDRESS } from "../zero-address.ts";
import type {
  CollectTokenFact,
  DecreaseLiquidityFact,
  IncreaseLiquidityFact,
  ManagerFact,
  MintFact,
  TransferTokenFact,
} from "./facts.ts";
import { ReplayMismatchError, requireEqual } from "./replay-mismatch.ts";
import { emptyClaim, findPosition, type PoolState, type PositionState } from "./state.ts";

export interface NftState extends PositionPoint {
  readonly tokenId: bigint;
  owner: string;
  readonly pool: PoolState;
  readonly tickLower: number;
  readonly tickUpper: number;
}

export interface ManagerState {
  /** The position manager's address, lower-case. */
  readonly manager: string;
  readonly nfts: Map<bigint, NftState>;
  /** The last `Mint` that the manager made, until its `IncreaseLiquidity`: it names pool and range of a new token id. */
  lastMint: { fact: MintFact; pool: PoolState } | undefined;
  /** The last token id that came into being, until its first `IncreaseLiquidity`. */
  newborn: TransferTokenFact | undefined;
  readonly changed: Map<bigint, NftState>;
}

export function createManager(manager: string): ManagerState {
  return { manager, nfts: new Map(), lastMint: undefined, newborn: undefined, changed: new Map() };
}

/** Remembers a `Mint` that the manager made for itself; anyone else may mint to it without owning a token id. */
export function rememberManagerMint(state: ManagerState, pool: PoolState, fact: MintFact): void {
  if (fact.sender === state.manager && fact.owner === state.manager) state.lastMint = { fact, pool };
}

/**
 * Applies one fact of the manager. Throws {@link ReplayMismatchError} against the token id's pool, or
 * {@link UnknownTokenIdError}. While the pool is stopped only owners change.
 */
export function applyManagerFact(state: ManagerState, fact: ManagerFact): void {
  try {
    if (fact.kind === "transferToken") transfer(state, fact);
    else applyToToken(state, fact);
  } finally {
    // where the next Mint is of a pool that no fact names, its token id is not one of this pool
    if (fact.kind === "increaseLiquidity") state.lastMint = undefined;
  }
}

function applyToToken(state: ManagerState, fact: Exclude<ManagerFact, TransferTokenFact>): void {
  const existing = state.nfts.get(fact.tokenId);
  const nft = existing ?? (fact.kind === "increaseLiquidity" ? born(state, fact) : undefined);
  if (nft === undefined) throw new UnknownTokenIdError(fact);
  // its owner can pass it on or burn it, even if its pool is stopped
  if (existing === undefined) state.changed.set(nft.tokenId, nft);
  if (nft.pool.stopped !== undefined) return;
  const at = { ...fact, pool: nft.pool.pool };
  const position = findPosition(nft.pool, { owner: state.manager, ...rangeOf(nft) });
  if (position === undefined) {
    throw new ReplayMismatchError(at, { field: "position", expected: `token ${nft.tokenId}`, replayed: "none" });
  }
  if (fact.kind === "increaseLiquidity") increase(state, { nft, position, fact, at });
  else if (fact.kind === "decreaseLiquidity") decrease({ nft, position, fact, at });
  else collect({ nft, position, fact, at });
  state.changed.set(nft.tokenId, nft);
}

interface Change<Fact> {
  nft: NftState;
  /** The pool's account of all ids on this range. */
  position: PositionState;
  fact: Fact;
  at: FactPlace & { pool: string };
}

function increase(state: ManagerState, { nft, position, fact, at }: Change<IncreaseLiquidityFact>): void {
  const minted = state.lastMint?.fact;
  const isOurs =
    minted !== undefined &&
    minted.pool === at.pool &&
    minted.block === fact.block &&
    minted.txIndex === fact.txIndex &&
    minted.tickLower === nft.tickLower &&
    minted.tickUpper === nft.tickUpper;
  requireEqual(at, {
    field: "liquidity of the Mint before",
    expected: fact.liquidity,
    replayed: isOurs ? minted.amount : 0n,
  });
  creditFees(nft, position);
  nft.liquidity += fact.liquidity;
}

function decrease({ nft, position, fact, at }: Change<DecreaseLiquidityFact>): void {
  if (fact.liquidity > nft.liquidity) {
    throw new ReplayMismatchError(at, {
      field: "liquidity",
      expected: fact.liquidity,
      replayed: `at most ${nft.liquidity}`,
    });
  }
  creditFees(nft, position);
  nft.tokensOwed0 = BigInt.asUintN(128, nft.tokensOwed0 + fact.amount0);
  nft.tokensOwed1 = BigInt.asUintN(128, nft.tokensOwed1 + fact.amount1);
  nft.liquidity -= fact.liquidity;
}

function collect({ nft, position, fact, at }: Change<CollectTokenFact>): void {
  // the manager pokes the pool only while the id has liquidity, and only then looks at the growth
  const { fees0, fees1 } = nft.liquidity > 0n ? feesSince(nft, position) : { fees0: 0n, fees1: 0n };
  const owed0 = BigInt.asUintN(128, nft.tokensOwed0 + fees0);
  const owed1 = BigInt.asUintN(128, nft.tokensOwed1 + fees1);
  if (fact.amount0 > owed0 || fact.amount1 > owed1) {
    throw new ReplayMismatchError(at, {
      field: "amount0 and amount1",
      expected: `${fact.amount0} and ${fact.amount1}`,
      replayed: `at most ${owed0} and ${owed1}`,
    });
  }
  if (nft.liquidity > 0n) creditFees(nft, position);
  nft.tokensOwed0 -= fact.amount0;
  nft.tokensOwed1 -= fact.amount1;
}

/** Fees of the id since its last touch become owed, wrapping at 2^128. */
function creditFees(nft: NftState, position: PositionState): void {
  const { fees0, fees1 } = feesSince(nft, position);
  nft.tokensOwed0 = BigInt.asUintN(128, nft.tokensOwed0 + fees0);
  nft.tokensOwed1 = BigInt.asUintN(128, nft.tokensOwed1 + fees1);
  nft.feeGrowthInside0LastX128 = position.feeGrowthInside0LastX128;
  nft.feeGrowthInside1LastX128 = position.feeGrowthInside1LastX128;
}

function feesSince(nft: NftState, position: PositionState): { fees0: bigint; fees1: bigint } {
  const { feeGrowthInside0LastX128, feeGrowthInside1LastX128 } = position;
  return {
    fees0: feesEarnedRoundingDown(feeGrowthInside0LastX128, nft.feeGrowthInside0LastX128, nft.liquidity),
    fees1: feesEarnedRoundingDown(feeGrowthInside1LastX128, nft.feeGrowthInside1LastX128, nft.liquidity),
  };
}

/**
 * The id's first `IncreaseLiquidity`: logs before it, in the same transaction, are the pool's `Mint` and the id's `Transfer`
 * from zero.
 */
function born(state: ManagerState, fact: IncreaseLiquidityFact): NftState | undefined {
  const { newborn, lastMint } = state;
  const isOfOne = newborn?.txIndex === fact.txIndex && lastMint?.fact.txIndex === fact.txIndex;
  if (newborn?.tokenId !== fact.tokenId || lastMint === undefined || !isOfOne) return undefined;
  state.newborn = undefined;
  const nft: NftState = {
    tokenId: fact.tokenId,
    owner: newborn.to,
    pool: lastMint.pool,
    ...rangeOf(lastMint.fact),
    ...emptyClaim,
  };
  state.nfts.set(fact.tokenId, nft);
  return nft;
}

function transfer(state: ManagerState, fact: TransferTokenFact): void {
  if (fact.from === ZERO_ADDRESS) {
    state.newborn = fact;
    return;
  }
  const nft = state.nfts.get(fact.tokenId);
  if (nft === undefined) throw new UnknownTokenIdError(fact);
  if (fact.to === ZERO_ADDRESS) {
    if (nft.pool.stopped === undefined) requireCleared(nft, fact);
    state.nfts.delete(fact.tokenId);
  }
  nft.owner = fact.to;
  state.changed.set(fact.tokenId, nft);
}

/** Only an id without liquidity and without anything owed can be burnt. */
function requireCleared(nft: NftState, fact: TransferTokenFact): void {
  const at = { ...fact, pool: nft.pool.pool };
  for (const field of ["liquidity", "tokensOwed0", "tokensOwed1"] as const) {
    requireEqual(at, { field, expected: 0n, replayed: nft[field] });
  }
}

function rangeOf({ tickLower, tickUpper }: { tickLower: number; tickUpper: number }) {
  return { tickLower, tickUpper };
}

/** A token id whose beginning was not among the facts: they are incomplete or out of order. */
export class UnknownTokenIdError extends Error {
  constructor({ kind, tokenId, block, logIndex }: ManagerFact) {
    super(`${kind} of token id ${tokenId} at block ${block}, log ${logIndex}: no Mint and Transfer came before it.`);
    this.name = "UnknownTokenIdError";
  }
}
