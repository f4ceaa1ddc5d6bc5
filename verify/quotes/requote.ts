// What a route pays given its pairs' own balances, where the quote did not know them.
import { type Address, erc20Abi } from "viem";
import type { Pool, V2Pool } from "../../core/router/pool.ts";
import { quoteLegs } from "../../core/router/quote-path.ts";
import type { RouterQuote } from "../../gateway/router/quote.ts";
import type { ChainCopy } from "../exit/chain-copy.ts";

/** The output of an `exactIn`; undefined where every balance was known, or nothing comes out. */
export async function requotedOutput(copy: ChainCopy, { legs, type }: RouterQuote): Promise<bigint | undefined> {
  const unknown = new Set(legs.flatMap(({ hops }) => hops.map(({ pool }) => pool)).filter(isUnknown));
  if (type !== "exactIn" || unknown.size === 0) return undefined;
  const weighed = new Map<Pool, Pool>();
  for (const pair of unknown) weighed.set(pair, await weigh(copy, pair));
  const paths = legs.map(({ hops, amountIn: amount }) => {
    const path = hops.map(({ pool, tokenIn }) => ({ pool: weighed.get(pool) ?? pool, tokenIn }));
    return { path, amount };
  });
  return quoteLegs(paths, "exactIn")?.reduce((sum, { amountOut }) => sum + amountOut, 0n);
}

const isUnknown = (pool: Pool): pool is V2Pool =>
  pool.kind === "v2" && (pool.unsynced0 === undefined || pool.unsynced1 === undefined);

async function weigh({ client }: ChainCopy, pair: V2Pool): Promise<V2Pool> {
  const held = (token: string) =>
    client.readContract({
      ...{ address: token as Address, abi: erc20Abi, functionName: "balanceOf" },
      args: [pair.address as Address],
    });
  const [held0, held1] = [await held(pair.token0), await held(pair.token1)];
  return { ...pair, unsynced0: held0 - pair.reserve0, unsynced1: held1 - pair.reserve1 };
}
