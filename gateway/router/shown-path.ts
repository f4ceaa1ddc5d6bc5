// A route's pools and tokens in the fields of the public interface, for router quotes and swap quotes in both skins.
import type { Hop, Leg } from "../../core/router/route.ts";
import type { Address } from "../parameters.ts";
import type { RouteToken } from "./router-state.ts";

interface Shown {
  tokens: ReadonlyMap<Address, RouteToken>;
  chainId: number;
}

/** One leg as the public interface shows a path: the amounts at its two ends only. */
export function pathOf({ hops, amountIn, amountOut }: Leg, shown: Shown) {
  return hops.map((hop, i) => ({
    ...hopOf(hop, shown),
    ...(i === 0 ? { amountIn: String(amountIn) } : {}),
    ...(i === hops.length - 1 ? { amountOut: String(amountOut) } : {}),
  }));
}

/** A pool on the way and its state. */
export function hopOf({ pool, tokenIn, tokenOut }: Pick<Hop, "pool" | "tokenIn" | "tokenOut">, shown: Shown) {
  const ends = { tokenIn: tokenOf(tokenIn, shown), tokenOut: tokenOf(tokenOut, shown) };
  const fee = String(pool.fee);
  if (pool.kind === "v2")
    return {
      type: "v2-pool",
      address: pool.address,
      ...ends,
      fee,
      reserve0: { token: tokenOf(pool.token0, shown), quotient: String(pool.reserve0) },
      reserve1: { token: tokenOf(pool.token1, shown), quotient: String(pool.reserve1) },
      ...(pool.unsynced0 ? { unsynced0: String(pool.unsynced0) } : {}),
      ...(pool.unsynced1 ? { unsynced1: String(pool.unsynced1) } : {}),
    };
  return {
    type: "v3-pool",
    address: pool.address,
    ...ends,
    fee,
    liquidity: String(pool.liquidity),
    sqrtRatioX96: String(pool.sqrtPriceX96),
    tickCurrent: String(pool.tick),
  };
}

export function tokenOf(address: string, { tokens, chainId }: Shown) {
  const { decimals, symbol } = tokens.get(address as Address) ?? {};
  return { chainId, decimals: decimals === undefined ? null : String(decimals), address, symbol: symbol ?? null };
}
