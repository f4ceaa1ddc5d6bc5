// Pools of all kinds side by side, by what lies in them.
import type { Address } from "../parameters.ts";
import type { MarketAt } from "../questions/markets.ts";
import { poolsPage } from "../questions/pools.ts";
import { marketHoldings } from "../questions/series.ts";
import type { TokenAt } from "../questions/tokens.ts";
import { FIRST_PAGE, vaultsPage } from "../questions/vaults.ts";
import { knownTokens, tvlOf } from "./known-tokens.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

/** A v3 pool or a v2 pair. */
export interface ShownPool {
  address: Address;
  protocol: "v2" | "v3";
  token0: Address;
  token1: Address;
  /** In 1/1,000,000. */
  fee: number | undefined;
  /** USD × 10^36 of what it holds; undefined while a price is missing. */
  tvl: bigint | undefined;
}

/** v3 pools that are considered, the oldest ones. */
export const MOST_POOLS = 200;

interface TopPools {
  pools: readonly ShownPool[];
  /** Of these, where they are known. */
  tokens: ReadonlyMap<Address, Pick<TokenAt, "token">>;
  /** v3 pools and v2 pairs there are. */
  count: number;
  /** Whether there are v3 pools that were not considered. */
  hasMore: boolean;
}

/**
 * The `count` pools with the highest known TVL, largest first.
 * @throws what knownTokens, poolsPage and vaultsPage throw
 */
export async function topPools(request: ViewRequest, at: ShownBlock, count: number): Promise<TopPools> {
  const { ask } = request;
  const block = atBlock(at);
  const v3 = await ask(poolsPage, { block, first: MOST_POOLS });
  const keys = v3.entries.map(({ pool: { address, token0, token1 } }) => ({ address, token0, token1 }) as MarketAt);
  const held = await ask(marketHoldings, { keys, point: at });
  const tokens = await knownTokens(
    request,
    at,
    keys.flatMap(({ token0, token1 }) => [token0, token1]),
  );
  const pools = v3.entries.map(({ pool: { address, token0, token1, fee } }, i): ShownPool => {
    return { address, protocol: "v3", token0, token1, fee, tvl: tvlOf(tokens, { token0, token1 }, held[i]) };
  });
  const page = { ...FIRST_PAGE, limit: Number.MAX_SAFE_INTEGER };
  // without a limit, as pairs are counted: the question works all of them out anyway
  const vaults = await ask(vaultsPage, { block, user: undefined, filter: {}, page });
  const pairs = vaults.entries
    .filter(({ vault }) => vault.provider === "v2")
    .map(({ vault: { address, token0, token1, feeTier, tvl } }): ShownPool => {
      return { address, protocol: "v2", token0, token1, fee: feeTier, tvl };
    });
  return {
    pools: [...pools, ...pairs].sort((a, b) => compare(b.tvl ?? -1n, a.tvl ?? -1n)).slice(0, count),
    tokens: new Map([...[...vaults.tokens].map(([address, token]) => [address, { token }] as const), ...tokens]),
    count: v3.totalCount + pairs.length,
    hasMore: v3.hasNextPage,
  };
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
