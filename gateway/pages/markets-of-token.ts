// Pools and vaults that hold a token, as a page about it names them.
import type { Address } from "../parameters.ts";
import { poolsPage, type V3PoolsPage } from "../questions/pools.ts";
import { type TokenAt, tokenAt } from "../questions/tokens.ts";
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

/** @throws what poolsPage, vaultsPage and tokenAt throw */
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
  for (const { pool } of pools.entries)
    for (const address of [pool.token0, pool.token1] as Address[])
      if (!known.has(address)) known.set(address, await ask(tokenAt, { token: address, block }));
  return { pools, vaults, known };
}
