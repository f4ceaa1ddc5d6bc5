// Prices of v2 pairs during a price window, by the reserves that they logged. Tokens sent to a pair are not
// part of its reserves until it logs them so, and so move no price.
import { v2Reports } from "../../core/reported/reported-state.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { type Report, readReported } from "../history/reported-at.ts";
import type { V2Pair } from "../protocols/v2/pairs-at.ts";
import type { PriceWindow, WindowedPool } from "./window.ts";

export async function v2Moments(
  context: Pick<OperationContext, "snapshot">,
  pairs: readonly V2Pair[],
  { point, window }: { point: BlockPoint; window: PriceWindow },
): Promise<WindowedPool[]> {
  if (pairs.length === 0) return [];
  const reports = await readReported(context, v2Reports, { point, ranges: window.ranges });
  return pairs.map(({ address, token0, token1 }) => ({
    address,
    token0,
    token1,
    moments: (reports.get(address) ?? []).map((report) => momentOf(report, window)),
  }));
}

function momentOf({ block, values }: Report, window: PriceWindow): WindowedPool["moments"][number] {
  const { reserve0 = 0n, reserve1 = 0n } = values;
  const isEmpty = reserve0 === 0n || reserve1 === 0n;
  return {
    block,
    since: window.timeOf(block),
    price: isEmpty ? undefined : { numerator: reserve1, denominator: reserve0 },
    depth0: reserve0,
    depth1: reserve1,
  };
}
