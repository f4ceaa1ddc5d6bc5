// The pool's facts that touch neither positions nor ticks, and the dispatch of all of them.
// v3-core UniswapV3Pool.sol `initialize`, `flash`, `setFeeProtocol`, `collectProtocol`

import { protocolFeeRoundingDown } from "../concentrated/protocol-fee.ts";
import { getTickAtSqrtRatio } from "../math/tick-math.ts";
import type { CollectProtocolFact, FlashFact, InitializeFact, PoolFact, SetFeeProtocolFact } from "./facts.ts";
import { applyBurn, applyCollect, applyMint } from "./modify-position.ts";
import { ReplayMismatchError, requireEqual } from "./replay-mismatch.ts";
import { replaySwap } from "./replay-swap.ts";
import type { PoolState } from "./state.ts";

/** Applies one fact to its pool, or throws {@link ReplayMismatchError} and leaves the pool as it was. */
export function applyPoolFact(pool: PoolState, fact: PoolFact): void {
  if (pool.earned !== undefined && fact.kind !== "swap") {
    throw new ReplayMismatchError(fact, { field: "kind", expected: fact.kind, replayed: "swap" });
  }
  if (pool.sqrtPriceX96 === 0n && fact.kind !== "initialize") {
    throw new ReplayMismatchError(fact, { field: "kind", expected: fact.kind, replayed: "initialize" });
  }
  switch (fact.kind) {
    case "initialize":
      initialize(pool, fact);
      break;
    case "mint":
      applyMint(pool, fact);
      break;
    case "burn":
      applyBurn(pool, fact);
      break;
    case "swap":
      replaySwap(pool, fact);
      break;
    case "collect":
      applyCollect(pool, fact);
      break;
    case "flash":
      flash(pool, fact);
      break;
    case "setFeeProtocol":
      setFeeProtocol(pool, fact);
      break;
    case "collectProtocol":
      collectProtocol(pool, fact);
      break;
    case "protocolFeesEarned":
      pool.earned = { amount0: fact.amount0, amount1: fact.amount1 };
      break;
  }
}

function initialize(pool: PoolState, fact: InitializeFact): void {
  requireEqual(fact, { field: "sqrtPriceX96 before", expected: 0n, replayed: pool.sqrtPriceX96 });
  requireEqual(fact, { field: "tick", expected: fact.tick, replayed: getTickAtSqrtRatio(fact.sqrtPriceX96) });
  pool.sqrtPriceX96 = fact.sqrtPriceX96;
  pool.tick = fact.tick;
  pool.feeProtocol0 = pool.initialFeeProtocol0;
  pool.feeProtocol1 = pool.initialFeeProtocol1;
  pool.hasChanged = true;
}

/** What a flash paid beyond its loan is a fee: the protocol's part first, the rest to the liquidity in range. */
function flash(pool: PoolState, fact: FlashFact): void {
  if (pool.liquidity === 0n) {
    throw new ReplayMismatchError(fact, { field: "liquidity", expected: "above 0", replayed: 0n });
  }
  const protocol0 = protocolFeeRoundingDown(pool.flavour, pool.feeProtocol0, fact.paid0);
  const protocol1 = protocolFeeRoundingDown(pool.flavour, pool.feeProtocol1, fact.paid1);
  pool.protocolFees0 = BigInt.asUintN(128, pool.protocolFees0 + protocol0);
  pool.protocolFees1 = BigInt.asUintN(128, pool.protocolFees1 + protocol1);
  const growth0 = ((fact.paid0 - protocol0) << 128n) / pool.liquidity;
  const growth1 = ((fact.paid1 - protocol1) << 128n) / pool.liquidity;
  pool.feeGrowthGlobal0X128 = BigInt.asUintN(256, pool.feeGrowthGlobal0X128 + growth0);
  pool.feeGrowthGlobal1X128 = BigInt.asUintN(256, pool.feeGrowthGlobal1X128 + growth1);
  pool.hasChanged = true;
}

function setFeeProtocol(pool: PoolState, fact: SetFeeProtocolFact): void {
  requireEqual(fact, { field: "feeProtocol0Old", expected: fact.feeProtocol0Old, replayed: pool.feeProtocol0 });
  requireEqual(fact, { field: "feeProtocol1Old", expected: fact.feeProtocol1Old, replayed: pool.feeProtocol1 });
  pool.feeProtocol0 = fact.feeProtocol0New;
  pool.feeProtocol1 = fact.feeProtocol1New;
  pool.hasChanged = true;
}

/** The contract keeps the last wei of a full collection before it logs: the event's amounts are what left. */
function collectProtocol(pool: PoolState, fact: CollectProtocolFact): void {
  requireAtMost(fact, { field: "amount0", expected: fact.amount0, held: pool.protocolFees0 });
  requireAtMost(fact, { field: "amount1", expected: fact.amount1, held: pool.protocolFees1 });
  pool.protocolFees0 -= fact.amount0;
  pool.protocolFees1 -= fact.amount1;
  pool.hasChanged = true;
}

function requireAtMost(fact: CollectProtocolFact, amount: { field: string; expected: bigint; held: bigint }): void {
  const { field, expected, held } = amount;
  if (expected > held) throw new ReplayMismatchError(fact, { field, expected, replayed: `at most ${held}` });
}
