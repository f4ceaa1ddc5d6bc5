// Pools and vaults that hold a token, as a page about it names them.

import type { Address } from "../parameters.ts";
import { poolsPage, type V3PoolsPage } from "../questions/pools.ts";
import { tokensAmong } from "../questions/token-details.ts";
import type { TokenAt } from "../questions/tokens.ts";
import { FIRST_PAGE, type VaultsPage, vaultsPage } from "../questions/vaults.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

/** Of each kind; that there are more is said. */
export const MARKETS_SHOWN = 8;

export interface MarketsOfToken {
  /** v3 pools in order of creation. */
  pools: V3PoolsPage;
  /** Islands and v2 pairs of the token, or whose share it is, the largest first. */
  vaults: VaultsPage;
  /** Their tokens, where they are known. */
  known: ReadonlyMap<Address, Pick<TokenAt, "token">>;
}

/** @throws what poolsPage and vaultsPage throw */
export async function marketsOfToken(
  { ask }: Pick<ViewRequest, "ask">,
  at: ShownBlock,
  token: Address,
): Promise<MarketsOfToken> {
  const block = atBlock(at);
  const pools = await ask(poolsPage, { token, block, first: MARKETS_SHOWN });
  const page = { ...FIRST_PAGE, limit: MARKETS_SHOWN };
  const vaults = await ask(vaultsPage, { block, user: undefined, filter: { search: token }, page });
  const known = new Map([...vaults.tokens].map(([address, state]) => [address, { token: state }]));
  const addresses = pools.entries.flatMap(({ pool }) => [pool.token0, pool.token1] as Address[]);
  // anyone can make a pool of an address that no token is at: it has no metadata, and is no reason to show nothing
  const keys = [...new Set(addresses)].filter((address) => !known.has(address));
  for (const state of await ask(tokensAmong, { keys, point: at })) known.set(state.address, { token: state });
  return { pools, vaults, known };
}
