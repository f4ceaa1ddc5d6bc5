// What launch curves ask at the block: tokens that are still sold along one.
import { curvePrice } from "../../core/launch/curve.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import { launchCurves } from "../../core/told/told-state.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { readTold } from "../ledger/told-at.ts";
import type { Address } from "../parameters.ts";

export interface RunningCurve {
  pool: Address;
  token: Address;
  base: Address;
  /** Raw base units per raw token unit: the contract's own price. */
  price: Fraction;
  /** Raw base units raised. */
  raised: bigint;
}

/** Curves that have not graduated by the end of the block, in order of their beginning. */
export async function runningCurves(
  { chain, snapshot }: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<RunningCurve[]> {
  if (!chain.launch) return [];
  const pools = await snapshot.withFacts(({ prepared, schemas }) => {
    const facts = `${schemas.ponder}.launch_pool`;
    return prepared<{ pool: Address; token: Address; base: Address }>(
      `select pool, token, base_token as base from ${facts} i
        where kind = 'initialized' and block <= $1::int4
          and not exists (select from ${facts} g where g.kind = 'graduated' and g.pool = i.pool and g.block <= $1::int4)
        order by block, log_index`,
      [String(point.block)],
    );
  });
  if (pools.length === 0) return [];
  const told = await readTold({ snapshot }, launchCurves, { point });
  return pools.flatMap((one) => {
    const { sqrt_price: sqrtPrice = 0n, base_reserve: raised = 0n } = told.get(one.pool)?.at(-1)?.values ?? {};
    return sqrtPrice === 0n ? [] : [{ ...one, price: curvePrice(sqrtPrice), raised }];
  });
}
