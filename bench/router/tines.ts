// @sushiswap/tines with its defaults over the same pools.
import type { Pool, V3Pool } from "../../core/router/pool.ts";
import type { Peers } from "./peers.ts";
import type { Query, World } from "./world.ts";

interface Token {
  address: string;
  symbol: string;
  name: string;
  decimals: number;
  chainId: number;
}

export interface TinesLeg {
  poolAddress: string;
  tokenFrom: Token;
  assumedAmountIn: number;
}

export interface TinesRoute {
  status: string;
  amountOut: number;
  legs: TinesLeg[];
}

interface Tines {
  ConstantProductRPool: new (...state: unknown[]) => unknown;
  UniV3Pool: new (...state: unknown[]) => unknown;
  findMultiRouteExactIn(
    from: Token,
    to: Token,
    amount: bigint,
    pools: unknown[],
    base: Token,
    gasPrice: number,
  ): TinesRoute;
}

/** Asks the peer; `gasPrice` in smallest units of the world's first token for a unit of gas. */
export type AskTines = (query: Query, gasPrice: number) => TinesRoute | undefined;

export function tines(peers: Peers, world: World): AskTines {
  const peer = peers.load("@sushiswap/tines") as Tines;
  const tokens = new Map(
    world.tokens.map(({ address, symbol, decimals }) => {
      return [address, { address, symbol, name: symbol, decimals, chainId: 1 }] as const;
    }),
  );
  const pools = world.pools.map((pool) => peerPool(peer, pool, tokens));
  const base = tokens.get(world.tokens[0]?.address ?? "") as Token;
  return ({ tokenIn, tokenOut, amountIn }, gasPrice) => {
    const [from, to] = [tokens.get(tokenIn.address), tokens.get(tokenOut.address)];
    if (from === undefined || to === undefined) return undefined;
    const route = peer.findMultiRouteExactIn(from, to, amountIn, pools, base, gasPrice);
    return route.status === "Success" ? route : undefined;
  };
}

function peerPool(peer: Tines, pool: Pool, tokens: ReadonlyMap<string, Token>): unknown {
  const [token0, token1] = [tokens.get(pool.token0), tokens.get(pool.token1)];
  const fee = pool.fee / 1e6;
  if (pool.kind === "v2") {
    return new peer.ConstantProductRPool(pool.address, token0, token1, fee, pool.reserve0, pool.reserve1);
  }
  const { address, tick, liquidity, sqrtPriceX96 } = pool;
  const [held0, held1] = held(pool);
  const ticks = pool.ticks.map((each) => ({ index: each.tick, DLiquidity: each.liquidityNet }));
  return new peer.UniV3Pool(address, token0, token1, fee, held0, held1, tick, liquidity, sqrtPriceX96, ticks);
}

/** About what a pool's contract would hold, which the peer needs. */
function held({ ticks, sqrtPriceX96 }: V3Pool): [bigint, bigint] {
  const root = Number(sqrtPriceX96) / 2 ** 96;
  let [liquidity, amount0, amount1] = [0, 0, 0];
  ticks.slice(0, -1).forEach(({ tick, liquidityNet }, i) => {
    liquidity += Number(liquidityNet);
    const [lower, upper] = [tick, ticks[i + 1]?.tick ?? tick].map((at) => 1.0001 ** (at / 2)) as [number, number];
    const at = Math.min(Math.max(root, lower), upper);
    amount0 += liquidity * (1 / at - 1 / upper);
    amount1 += liquidity * (at - lower);
  });
  return [BigInt(Math.floor(amount0)), BigInt(Math.floor(amount1))];
}
