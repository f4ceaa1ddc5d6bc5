// Which shares decide what some tokens are worth: themselves, if they are any, and those that stand behind them.
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { allIslands } from "../protocols/island/islands-at.ts";
import type { V2Pair } from "../protocols/v2/pairs-at.ts";
import { pricedAs } from "./settle-prices.ts";
import { announcedBaults, everyVault, type Vault } from "./vault-shares.ts";

export interface SharesBehind {
  shares: ReadonlySet<Address>;
  pairs: readonly V2Pair[];
  islands: readonly Address[];
  vaults(block: number): Vault[];
  /** The shares and all that stands behind them. */
  tokens: ReadonlySet<Address>;
}

/** Of all shares that there are at `last`. */
export async function readSharesBehind(
  context: OperationContext,
  { last, pairs, tokens }: { last: BlockPoint; pairs: readonly V2Pair[]; tokens: readonly Address[] },
): Promise<SharesBehind> {
  const { chain } = context;
  const islands = chain.islands ? await allIslands(asOf(context.snapshot, last)) : [];
  const announced = await announcedBaults(context, last);
  const parts = new Map<Address, Address[]>();
  const add = (share: Address, behind: readonly Address[]) =>
    parts.set(share, [...(parts.get(share) ?? []), ...behind]);
  for (const { address, token0, token1 } of [...pairs, ...islands]) add(address, [token0, token1]);
  for (const { share, asset } of announced) add(share, [asset]);
  for (const { address, asset } of chain.externalVaults) add(address, [asset]);
  const found = new Set(tokens.flatMap((token) => [token, pricedAs(chain, token) as Address]));
  // what is added meanwhile is walked too
  for (const token of found) for (const part of parts.get(token) ?? []) found.add(part);
  const isMeant = (share: Address) => found.has(share);
  return {
    shares: new Set([...found].filter((token) => parts.has(token))),
    pairs: pairs.filter(({ address }) => isMeant(address)),
    islands: islands.flatMap(({ address }) => (isMeant(address) ? [address] : [])),
    vaults: (block) => everyVault(chain, announced, block).filter(({ share }) => isMeant(share)),
    tokens: found,
  };
}
