// Pools of all kinds side by side, by what lies in them.
import type { Address } from "../parameters.ts";
import { usdValue } from "../prices/price.ts";
import type { MarketAt } from "../questions/markets.ts";
import { poolsPage } from "../questions/pools.ts";
import { marketHoldings } from "../questions/series.ts";
import { pricesOf } from "../questions/token-prices.ts";
import type { TokenAt } from "../questions/tokens.ts";
import { FIRST_PAGE, vaultsPage } from "../questions/vaults.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

/** A v3 pool or a v2 pair. */
export interface ShownPool {
  address: Address;
  protocol: "v2" | "v3";
  token0: Address;
  token1: Address;
  /** In 1/1,000,000. */
  fee: number | undefined;
  /** USD × USD_SCALE of what it holds; undefined while a price is missing. */
  tvl: bigint | undefined;
}

/** v3 pools looked at; older ones come first, and more than these are told to be there. */
const MOST_POOLS = 200;

export interface TopPools {
  pools: readonly ShownPool[];
  /** v3 pools and v2 pairs there are. */
  count: number;
}

/**
 * The `count` pools with the highest known TVL, largest first.
 * @throws what poolsPage, pricesOf and vaultsPage throw
 */
export async function topPools(
  { ask }: Pick<ViewRequest, "ask">,
  { at, known, count }: { at: ShownBlock; known: ReadonlyMap<Address, TokenAt>; count: number },
): Promise<TopPools> {
  const block = atBlock(at);
  const v3 = await ask(poolsPage, { block, first: MOST_POOLS });
  const keys = v3.entries.map(({ pool: { address, token0, token1 } }) => ({ address, token0, token1 }) as MarketAt);
  const held = await ask(marketHoldings, { keys, point: at });
  const tokens = [...new Set(keys.flatMap(({ token0, token1 }) => [token0, token1]))];
  const { prices } = await ask(pricesOf, { tokens, block });
  const worth = (token: Address, amount: bigint): bigint | undefined => {
    const [price, decimals] = [prices.get(token), known.get(token)?.token.metadata?.decimals];
    return price === undefined || decimals === undefined ? undefined : usdValue(price, amount, decimals);
  };
  const pools = v3.entries.map(({ pool: { address, token0, token1, fee } }, i): ShownPool => {
    const [amount0, amount1] = held[i] ?? [0n, 0n];
    const [usd0, usd1] = [worth(token0, amount0), worth(token1, amount1)];
    const tvl = usd0 === undefined || usd1 === undefined ? undefined : usd0 + usd1;
    return { address, protocol: "v3", token0, token1, fee, tvl };
  });
  const vaults = await ask(vaultsPage, { block, user: undefined, filter: {}, page: { ...FIRST_PAGE, limit: 1_000 } });
  const pairs = vaults.entries
    .filter(({ vault }) => vault.provider === "v2")
    .map(({ vault: { address, token0, token1, feeTier, tvl } }): ShownPool => {
      return { address, protocol: "v2", token0, token1, fee: feeTier, tvl };
    });
  const all = [...pools, ...pairs].sort((a, b) => compare(b.tvl ?? -1n, a.tvl ?? -1n));
  return { pools: all.slice(0, count), count: v3.totalCount + pairs.length };
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
