// What launch curves ask at the block: tokens that are still sold along one.
import { curvePrice } from "../../core/launch/curve.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import { launchReports } from "../../core/reported/reported-state.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { readReported } from "../history/reported-at.ts";
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

/** As pools do, one of `broken` tokens prices nothing. */
export const soundCurves = (curves: readonly RunningCurve[], broken: ReadonlySet<Address>): readonly RunningCurve[] =>
  curves.filter(({ token, base }) => !broken.has(token) && !broken.has(base));

type Reader = Pick<OperationContext, "chain" | "snapshot">;

/** Curves that have not graduated by the end of the block, in order of their beginning. */
export async function runningCurves(context: Reader, point: BlockPoint): Promise<RunningCurve[]> {
  return (await runningCurvesOver(context, [point]))(point.block);
}

/** The same at each of `points`, which ascend: all read at once, returned by block. */
export async function runningCurvesOver(
  { chain, snapshot }: Reader,
  points: readonly BlockPoint[],
): Promise<(block: number) => RunningCurve[]> {
  const last = points.at(-1);
  if (!chain.launch || !last) return () => [];
  const { fold } = snapshot;
  const pools = await snapshot.prepared<Announced>(
    `select pool, token, base_token as base, block as since,
            (select min(block) from ${fold}.launch_pool g where g.kind = 'graduated' and g.pool = i.pool) as until
       from ${fold}.launch_pool i where kind = 'initialized' and block <= $1::int4 order by block, log_index`,
    [String(last.block)],
  );
  if (pools.length === 0) return () => [];
  const ranges = points.map(({ block }) => ({ first: block, last: block }));
  const reports = await readReported({ snapshot }, launchReports, { point: last, ranges });
  return (block) =>
    pools.flatMap(({ pool, token, base, since, until }) => {
      if (since > block || (until !== null && until <= block)) return [];
      const report = reports.get(pool)?.findLast((one) => one.block <= block);
      const { sqrt_price: sqrtPrice = 0n, base_reserve: raised = 0n } = report?.values ?? {};
      return sqrtPrice === 0n ? [] : [{ pool, token, base, price: curvePrice(sqrtPrice), raised }];
    });
}

interface Announced {
  pool: Address;
  token: Address;
  base: Address;
  since: number;
  /** The block in which it graduated. */
  until: number | null;
}
