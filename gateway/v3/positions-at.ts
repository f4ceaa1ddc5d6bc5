// Positions found by token id, owner or pool.
import type { NftRow, PositionRow } from "../../core/v3/rows.ts";
import type { Address } from "../parameters.ts";
import { isBurnt } from "./overlay.ts";
import type { V3Pool } from "./pool.ts";
import { poolsAmong, poolsNumbered } from "./pools-at.ts";
import { directPositionId } from "./position-id.ts";
import { directWorth, nftWorth, type PositionWorth } from "./position-worth.ts";
import { readPositionsBy, readTicksBy } from "./rows-by-key.ts";
import { isWorthAnything, readPoolStates, readSlots, type V3Source } from "./state-at.ts";
import { readEach } from "./stored-by-key.ts";
import { rowsOfOwner, type StoredRow, toRow } from "./stored-rows.ts";

/** A token id of a manager, or a direct position, in whatever state. */
export interface FoundPosition {
  pool: V3Pool;
  id: bigint;
  /** Undefined for a direct position. */
  manager: Address | undefined;
  row: NftRow | PositionRow;
}

const ofNft = (pool: V3Pool, row: NftRow): FoundPosition => ({ pool, id: row.tokenId, manager: pool.manager, row });
const ofPosition = (pool: V3Pool, row: PositionRow): FoundPosition => ({
  pool,
  id: directPositionId(row),
  manager: undefined,
  row,
});

async function withPools(
  source: V3Source,
  kind: "nft" | "position",
  stored: readonly StoredRow[],
): Promise<FoundPosition[]> {
  const pools = await poolsNumbered(source, [...new Set(stored.map(({ pool }) => pool))]);
  const addresses = new Map(pools.flatMap(({ id, address }) => (id === undefined ? [] : [[id, address] as const])));
  const byId = new Map(pools.map((pool) => [pool.id, pool]));
  return stored.flatMap((one) => {
    const pool = byId.get(one.pool);
    if (!pool) return [];
    return [
      kind === "nft" ? ofNft(pool, toRow("nft", addresses, one)) : ofPosition(pool, toRow("position", addresses, one)),
    ];
  });
}

async function ownedOf(source: V3Source, kind: "nft" | "position", owner: Address): Promise<FoundPosition[]> {
  const { at } = source;
  const text = rowsOfOwner(kind, at, "decode(substr($2, 3), 'hex')");
  return withPools(source, kind, await at.final<StoredRow>(text, [String(at.folded), owner]));
}

type Changes = Pick<V3Source["overlay"], "nfts" | "positions">;

/** Everything of `changes`, those above the watermark, with its pools. */
async function changedAbove(source: V3Source, { nfts, positions }: Changes = source.overlay): Promise<FoundPosition[]> {
  const pools = await poolsAmong(source, [...new Set([...nfts.keys(), ...positions.keys()])] as Address[]);
  return pools.flatMap((pool) => [
    ...(nfts.get(pool.address) ?? []).map((row) => ofNft(pool, row)),
    ...(positions.get(pool.address) ?? []).map((row) => ofPosition(pool, row)),
  ]);
}

/** Stored ones replaced by their newer selves; without burnt token ids and managers' own accounts. */
function newest(stored: readonly FoundPosition[], changed: readonly FoundPosition[]): FoundPosition[] {
  const byKey = new Map<string, FoundPosition>();
  for (const one of [...stored, ...changed]) byKey.set(`${one.manager ?? one.pool.address} ${one.id}`, one);
  return [...byKey.values()].filter(({ row, pool }) =>
    row.kind === "nft" ? !isBurnt(row) : row.owner !== pool.manager,
  );
}

/** By id, then by manager or pool. */
const inOrder = (found: FoundPosition[]): FoundPosition[] =>
  found.sort((a, b) => (a.id === b.id ? (placeOf(a) < placeOf(b) ? -1 : 1) : a.id < b.id ? -1 : 1));

/** Tells positions of one id apart. */
export const placeOf = ({ manager, pool }: FoundPosition): Address => manager ?? pool.address;

/** The token id in whatever state; undefined when it does not exist at the block. */
export async function findTokenId(
  source: V3Source,
  { manager, id }: { manager: Address; id: bigint },
): Promise<FoundPosition | undefined> {
  const stored = await withPools(source, "nft", await readEach(source.at, "nft", [[manager, String(id)]]));
  const nfts = new Map(
    [...source.overlay.nfts].flatMap(([pool, rows]) => {
      const meant = rows.filter(({ tokenId }) => tokenId === id);
      return meant.length === 0 ? [] : [[pool, meant] as const];
    }),
  );
  const changed = await changedAbove(source, { nfts, positions: new Map() });
  return newest(stored, changed).find((one) => one.manager === manager && one.id === id);
}

/** What `owner` holds and is worth anything, by id. */
export async function findOwned(source: V3Source, owner: Address): Promise<FoundPosition[]> {
  const stored = [...(await ownedOf(source, "nft", owner)), ...(await ownedOf(source, "position", owner))];
  const all = newest(stored, await changedAbove(source));
  return inOrder(all.filter(({ row }) => row.owner === owner && isWorthAnything(row)));
}

/** All of a pool that are worth anything, by id. */
export async function findInPool(source: V3Source, pool: V3Pool): Promise<FoundPosition[]> {
  const [state] = await readPoolStates(source, [pool]);
  const found = [
    ...(state?.nfts ?? []).map((row) => ofNft(pool, row)),
    ...[...(state?.positions.values() ?? [])].map((row) => ofPosition(pool, row)),
  ];
  return inOrder(newest(found, []));
}

/** What each of `found` would pay, in their order; undefined where the pool cannot be told. */
export async function readWorths(
  source: V3Source,
  found: readonly FoundPosition[],
): Promise<(PositionWorth | undefined)[]> {
  const pools = [...new Map(found.map(({ pool }) => [pool.address, pool])).values()].filter(
    ({ stopped, isPending }) => !stopped && !isPending,
  );
  const slots = await readSlots(source, pools);
  const ticks = await readTicksBy(
    source,
    found.flatMap(({ pool, row }) => [row.tickLower, row.tickUpper].map((tick) => ({ pool, tick }))),
  );
  // the managers' accounts in the pools behind token ids
  const behind = await readPositionsBy(
    source,
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
