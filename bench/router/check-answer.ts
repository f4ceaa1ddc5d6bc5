// Whether an answer is right: its legs, carried out one after the other in pools that swap step by step as the contracts do,
// must pay what it says to the wei; and the same pools in another order must lead to the same answer.
import { findRoute } from "../../core/router/find-route.ts";
import type { Graph } from "../../core/router/graph.ts";
import type { Pool } from "../../core/router/pool.ts";
import type { RouteRequest } from "../../core/router/request.ts";
import type { Hop, Route } from "../../core/router/route.ts";
import { LoopPool } from "./loop-pool.ts";

const MILLION = 1_000_000n;

/** What is wrong with an answer to an `exactIn` question; undefined when nothing is. */
export function wrongIn(request: RouteRequest, route: Route): string | undefined {
  const pools = new Map<Pool, Swapper>();
  let [sold, bought] = [0n, 0n];
  for (const { hops, amountIn } of route.legs) {
    let [token, amount] = [request.tokenIn, amountIn];
    sold += amountIn;
    for (const hop of hops) {
      if (hop.tokenIn !== token || hop.amountIn !== amount) return `${placeOf(hop)} is not fed by what comes before it`;
      const paid = swapperOf(pools, hop.pool).sell(hop.pool.token0 === token, amount);
      if (paid !== hop.amountOut) return `${placeOf(hop)} pays ${paid}, not ${hop.amountOut}`;
      [token, amount] = [hop.tokenOut, paid];
    }
    if (token !== request.tokenOut) return `a leg ends at ${token}`;
    bought += amount;
  }
  if (sold !== request.amount) return `its legs sell ${sold}, not ${request.amount}`;
  return bought === route.quote ? undefined : `its legs pay ${bought}, not ${route.quote}`;
}

/** The same for the graph of the same pools in another order. */
export function differsIn(request: RouteRequest, route: Route | undefined, reordered: Graph): string | undefined {
  const again = findRoute(reordered, request);
  const described = (of: Route | undefined) =>
    of?.legs.map(({ hops, amountIn }) => [amountIn, ...hops.map(({ pool }) => pool.address)].join(" ")).join(", ");
  const [one, other] = [described(route), described(again)];
  return one === other ? undefined : `in another order of the pools the answer is ${other}, not ${one}`;
}

const placeOf = ({ pool, tokenIn }: Hop): string => `pool ${pool.address} sold ${tokenIn}`;

interface Swapper {
  sell(zeroForOne: boolean, amount: bigint): bigint;
}

function swapperOf(pools: Map<Pool, Swapper>, pool: Pool): Swapper {
  const found = pools.get(pool);
  if (found !== undefined) return found;
  const made = pool.kind === "v3" ? new LoopPool(pool) : pairOf(pool);
  pools.set(pool, made);
  return made;
}

/** v2-periphery UniswapV2Library.sol `getAmountOut` */
function pairOf({ reserve0, reserve1, fee }: Pool & { kind: "v2" }): Swapper {
  const reserves: [bigint, bigint] = [reserve0, reserve1];
  return {
    sell(zeroForOne, amount) {
      const [into, from] = zeroForOne ? ([0, 1] as const) : ([1, 0] as const);
      const lessFee = amount * (MILLION - BigInt(fee));
      const paid = (lessFee * reserves[from]) / (reserves[into] * MILLION + lessFee);
      reserves[into] += amount;
      reserves[from] -= paid;
      return paid;
    },
  };
}
