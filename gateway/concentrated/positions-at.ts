// Positions found by token id, owner or pool.
import type { NftRow, PositionRow } from "../../core/concentrated/rows.ts";
import type { AsOf } from "../history/as-of.ts";
import type { Address } from "../parameters.ts";
import type { V3Pool } from "./pool.ts";
import { poolsNumbered } from "./pools-at.ts";
import { directPositionId } from "./position-id.ts";
import { directWorth, nftWorth, type PositionWorth } from "./position-worth.ts";
import { readEach, readPositionsBy, readTicksBy } from "./rows-by-key.ts";
import { readSlots } from "./state-at.ts";
import { addressesById, rowsOfOwner, type StoredRow, toRow } from "./stored-rows.ts";

/** A token id of a manager, or a direct position, in whatever state. */
export interface FoundPosition {
  pool: V3Pool;
  id: bigint;
  /** Undefined for a direct position. */
  manager: Address | undefined;
  row: NftRow | PositionRow;
}

const ofNft = (pool: V3Pool, row: NftRow): FoundPosition => ({ pool, id: row.tokenId, manager: pool.manager, row });
/** What a manager's own account has in the pool is not a position of its own: it belongs to token ids. */
const direct = (pool: V3Pool, row: PositionRow): FoundPosition[] =>
  row.owner === pool.manager ? [] : [{ pool, id: directPositionId(row), manager: undefined, row }];

/** With their pools; without managers' own accounts in them. */
async function withPools(at: AsOf, kind: "nft" | "position", stored: readonly StoredRow[]): Promise<FoundPosition[]> {
  return foundIn(await poolsNumbered(at, [...new Set(stored.map(({ pool }) => pool))]), kind, stored);
}

/** Rows of `pools` as positions, in their order; without managers' own accounts. */
export function foundIn(
  pools: readonly V3Pool[],
  kind: "nft" | "position",
  stored: readonly StoredRow[],
): FoundPosition[] {
  const addresses = addressesById(pools);
  const byId = new Map(pools.map((pool) => [pool.id, pool]));
  return stored.flatMap((one) => {
    const pool = byId.get(one.pool);
    if (!pool) return [];
    return kind === "nft"
      ? [ofNft(pool, toRow("nft", addresses, one))]
      : direct(pool, toRow("position", addresses, one));
  });
}

async function ownedOf(at: AsOf, kind: "nft" | "position", owner: Address): Promise<FoundPosition[]> {
  const text = rowsOfOwner(kind, at, "decode(substr($2, 3), 'hex')");
  return withPools(at, kind, await at.cached<StoredRow>(text, [String(at.point.block), owner]));
}

/** By id, then by manager or pool. */
const inOrder = (found: FoundPosition[]): FoundPosition[] =>
  found.sort((a, b) => (a.id === b.id ? (contractOf(a) < contractOf(b) ? -1 : 1) : a.id < b.id ? -1 : 1));

/** Identifies a position among those of one id. */
export const contractOf = ({ manager, pool }: FoundPosition): Address => manager ?? pool.address;

/** The token id in whatever state; undefined when it does not exist at the block. */
export async function findTokenId(
  at: AsOf,
  { manager, id }: { manager: Address; id: bigint },
): Promise<FoundPosition | undefined> {
  const [found] = await withPools(at, "nft", await readEach(at, "nft", [[manager, String(id)]]));
  return found;
}

/** What `owner` holds and is worth anything, by id. */
export const findOwned = async (at: AsOf, owner: Address): Promise<FoundPosition[]> =>
  inOrder([...(await ownedOf(at, "nft", owner)), ...(await ownedOf(at, "position", owner))]);

/** What each of `found` would pay, in their order; undefined where the pool's state is unknown. */
export async function readWorths(at: AsOf, found: readonly FoundPosition[]): Promise<(PositionWorth | undefined)[]> {
  const pools = [...new Map(found.map(({ pool }) => [pool.address, pool])).values()].filter(({ stopped }) => !stopped);
  const slots = await readSlots(at, pools);
  const ticks = await readTicksBy(
    at,
    found.flatMap(({ pool, row }) => [row.tickLower, row.tickUpper].map((tick) => ({ pool, tick }))),
  );
  // the managers' accounts in the pools behind token ids
  const behind = await readPositionsBy(
    at,
    found.flatMap(({ pool, manager, row: { tickLower, tickUpper } }) =>
      manager === undefined ? [] : [{ pool, owner: manager, tickLower, tickUpper }],
    ),
  );
  return found.map(({ pool, row }) => {
    const slot = slots.get(pool.address);
    if (!slot) return undefined;
    const state = {
      pool,
      slot,
      ticks: ticks.get(pool.address) ?? new Map(),
      positions: behind.get(pool.address) ?? new Map(),
      nfts: [],
    };
    return row.kind === "nft" ? nftWorth(state, row) : directWorth(state, row);
  });
}
