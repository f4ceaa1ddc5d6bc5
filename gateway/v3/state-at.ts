// The state of v3 pools at the end of a block: fold rows up to the watermark, replaced above it by what the replay says.
import type { NftRow, PoolRow, PositionRow, TickRow } from "../../core/v3/rows.ts";
import type { AsOf } from "../ledger/as-of.ts";
import { readManyPrepared } from "../ledger/many-rows.ts";
import { isBurnt, type V3Overlay } from "./overlay.ts";
import type { V3Pool } from "./pool.ts";
import { columnNames, rowsOfPools, storedRow, toRow } from "./stored-rows.ts";

export interface V3PoolState {
  pool: V3Pool;
  /** Undefined until `initialize`. */
  slot: PoolRow | undefined;
  ticks: ReadonlyMap<number, TickRow>;
  /** The pool's own positions that are worth anything, by {@link positionKey}; those of the position manager too. */
  positions: ReadonlyMap<string, PositionRow>;
  /** Token ids that are worth anything. */
  nfts: readonly NftRow[];
}

export const positionKey = (position: { owner: string; tickLower: number; tickUpper: number }): string =>
  `${position.owner} ${position.tickLower} ${position.tickUpper}`;

interface Claimed {
  liquidity: bigint;
  tokensOwed0: bigint;
  tokensOwed1: bigint;
}

export const isWorthAnything = ({ liquidity, tokensOwed0, tokensOwed1 }: Claimed): boolean =>
  liquidity > 0n || tokensOwed0 > 0n || tokensOwed1 > 0n;

export interface V3Source {
  at: AsOf;
  overlay: V3Overlay;
}

const byNumber = (pools: readonly V3Pool[]): ReadonlyMap<number, string> =>
  new Map(pools.flatMap(({ id, address }) => (id === undefined ? [] : [[id, address] as const])));

/** The rows of one kind by pool, in the order of the tables. */
async function readRows<Kind extends "pool" | "tick" | "position" | "nft">(
  at: AsOf,
  pools: readonly V3Pool[],
  kind: Kind,
): Promise<Map<string, ReturnType<typeof toRow<Kind>>[]>> {
  const numbered = byNumber(pools);
  const byPool = new Map<string, ReturnType<typeof toRow<Kind>>[]>();
  if (numbered.size === 0) return byPool;
  const asked = { text: rowsOfPools(kind, at), parameters: [[...numbered.keys()].join(","), String(at.folded)] };
  const columns = columnNames(kind);
  const many = await readManyPrepared({ prepared: at.final }, asked, columns);
  for (let i = 0; i < many.length; i += columns.length) {
    const row = toRow(kind, numbered, storedRow(columns, many, i));
    const rows = byPool.get(row.pool);
    if (rows) rows.push(row);
    else byPool.set(row.pool, [row]);
  }
  return byPool;
}

/** Price, liquidity and fees of each pool, by address; pools not initialised yet are missing. */
export async function readSlots({ at, overlay }: V3Source, pools: readonly V3Pool[]): Promise<Map<string, PoolRow>> {
  const slots = new Map<string, PoolRow>();
  for (const [pool, [slot]] of await readRows(at, pools, "pool")) if (slot) slots.set(pool, slot);
  for (const { address } of pools) {
    const slot = overlay.slots.get(address);
    if (slot) slots.set(address, slot);
  }
  return slots;
}

/** Initialised ticks of each pool, by address and tick. */
export async function readTicks(
  { at, overlay }: V3Source,
  pools: readonly V3Pool[],
): Promise<Map<string, Map<number, TickRow>>> {
  const stored = await readRows(at, pools, "tick");
  return new Map(
    pools.map(({ address }) => {
      const ticks = new Map((stored.get(address) ?? []).map((row) => [row.tick, row]));
      for (const row of overlay.ticks.get(address) ?? []) ticks.set(row.tick, row);
      for (const [tick, { liquidityGross }] of ticks) if (liquidityGross === 0n) ticks.delete(tick);
      return [address, ticks];
    }),
  );
}

/** Everything about `pools`, in their order. */
export async function readPoolStates(source: V3Source, pools: readonly V3Pool[]): Promise<V3PoolState[]> {
  const { at, overlay } = source;
  const [slots, ticks, positions, nfts] = await Promise.all([
    readSlots(source, pools),
    readTicks(source, pools),
    readRows(at, pools, "position"),
    readRows(at, pools, "nft"),
  ]);
  return pools.map((pool) => ({
    pool,
    slot: slots.get(pool.address),
    ticks: ticks.get(pool.address) ?? new Map(),
    positions: replaced(positions.get(pool.address) ?? [], overlay.positions.get(pool.address) ?? [], positionKey),
    nfts: [
      ...replaced(nfts.get(pool.address) ?? [], overlay.nfts.get(pool.address) ?? [], ({ tokenId }) =>
        String(tokenId),
      ).values(),
    ].filter((nft) => !isBurnt(nft)),
  }));
}

/** Rows by key, later ones in place of earlier ones; only what is worth anything. */
function replaced<Row extends Claimed>(
  rows: readonly Row[],
  later: readonly Row[],
  keyOf: (row: Row) => string,
): Map<string, Row> {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  for (const row of later) byKey.set(keyOf(row), row);
  for (const [key, row] of byKey) if (!isWorthAnything(row)) byKey.delete(key);
  return byKey;
}
