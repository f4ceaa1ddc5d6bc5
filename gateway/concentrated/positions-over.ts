// Positions of all pools, or of one, in an order that pages can go on from: pools as they were created, and in a pool token
// ids by number, then direct positions by owner and range. What is read for a page does not depend on how many came before.
import type { AsOf } from "../history/as-of.ts";
import type { Address } from "../parameters.ts";
import type { V3Pool } from "./pool.ts";
import { poolsAfter, poolsAmong } from "./pools-at.ts";
import { type FoundPosition, foundIn } from "./positions-at.ts";
import { countOfPools, nextOfPools, type StoredRow } from "./stored-rows.ts";

/** A position's place in that order. */
export type PositionPlace =
  | { pool: Address; tokenId: bigint }
  | { pool: Address; owner: Address; tickLower: number; tickUpper: number };

export const placeOfPosition = ({ pool, id, manager, row }: FoundPosition): PositionPlace =>
  manager === undefined
    ? { pool: pool.address, owner: row.owner as Address, tickLower: row.tickLower, tickUpper: row.tickUpper }
    : { pool: pool.address, tokenId: id };

/** Pools read at first, and by how much that grows when a page needs more: pools may be large or empty. */
const FIRST_POOLS = 1;
const GROWTH = 8;

interface Wanted {
  /** Where the page before ended; its pool is there at the block. */
  after: PositionPlace | undefined;
  limit: number;
}

/** The next positions that are worth anything; fewer than `limit` at the end. */
export async function nextPositions(at: AsOf, { after, limit }: Wanted): Promise<FoundPosition[]> {
  let last = after?.pool;
  const found = last === undefined ? [] : await nextInPools(at, await poolsAmong(at, [last]), { after, limit });
  for (let pools = FIRST_POOLS; found.length < limit; pools *= GROWTH) {
    const next: readonly V3Pool[] = await poolsAfter(at, { after: last, limit: pools });
    found.push(...(await nextInPools(at, next, { after: undefined, limit: limit - found.length })));
    if (next.length < pools) break;
    last = next.at(-1)?.address;
  }
  return found;
}

/** {@link nextPositions} of `pools` alone, which are in order of creation. */
export async function nextInPools(
  at: AsOf,
  pools: readonly V3Pool[],
  { after, limit }: Wanted,
): Promise<FoundPosition[]> {
  if (pools.length === 0) return [];
  const first = pools.find(({ address }) => address === after?.pool)?.id ?? 0;
  const shared = [pools.map(({ id }) => id).join(","), String(at.point.block), String(limit), String(first)];
  const [nfts, direct] = await Promise.all([
    at.prepared<StoredRow>(nextOfPools("nft", at), [...shared, lastTokenId(after)]),
    at.prepared<StoredRow>(nextOfPools("position", at), [...shared, ...lastDirect(after)]),
  ]);
  const found = [...foundIn(pools, "nft", nfts), ...foundIn(pools, "position", direct)];
  // stable: in a pool token ids stay before direct positions, and both as they came
  return found.sort((a, b) => a.pool.id - b.pool.id).slice(0, limit);
}

const BELOW_ALL_IDS = "-1";
const ABOVE_ALL_IDS = String(2n ** 256n);

const lastTokenId = (after: PositionPlace | undefined): string =>
  after === undefined ? BELOW_ALL_IDS : "tokenId" in after ? String(after.tokenId) : ABOVE_ALL_IDS;

const lastDirect = (after: PositionPlace | undefined): string[] =>
  after === undefined || "tokenId" in after
    ? ["", "0", "0"]
    : [after.owner, String(after.tickLower), String(after.tickUpper)];

/** How many positions are worth anything at the block, in all pools or in one. */
export async function countPositions(at: AsOf, pool: Address | undefined): Promise<number> {
  const [row] = await at.cached<{ total: number }>(countOfPools(at), [String(at.point.block), pool ?? ""]);
  return row?.total ?? 0;
}
