// Which islands there are at a block, and what decides the worth of their shares.
import type { IslandRow } from "../../core/island/state.ts";
import type { OperationContext } from "../context.ts";
import { type AsOf, asOf } from "../ledger/as-of.ts";
import { askedAddresses } from "../ledger/asked-addresses.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import { type Island, type IslandInfoRow, islandInfoColumns, toIsland } from "./island.ts";
import { type IslandOverlay, readIslandOverlay } from "./overlay.ts";
import { readFoldedRows } from "./stored-rows.ts";

export interface IslandSource {
  at: AsOf;
  overlay: IslandOverlay;
}

export const openIslands = async (
  context: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<IslandSource> => ({
  at: asOf(context.snapshot, point),
  overlay: await readIslandOverlay(context, point),
});

const bytes = (address: string): string => `decode('${address.slice(2)}', 'hex')`;
const ASKED = askedAddresses(2);

async function readIslands(
  { at, overlay }: IslandSource,
  asked: { condition: string; parameter?: string; isMeant: (island: Island) => boolean },
): Promise<Island[]> {
  if (asked.parameter === "") return [];
  const folded = String(at.folded);
  const rows = await at.final<IslandInfoRow>(
    `select ${islandInfoColumns} from ${at.fold}.island
      where (${asked.condition}) and created_block <= $1::int4 order by id`,
    asked.parameter === undefined ? [folded] : [folded, asked.parameter],
  );
  const all = [...rows.map((row) => toIsland(row, at.folded)), ...overlay.created.filter(asked.isMeant)];
  return all.map((island) => ({
    ...island,
    stopped: island.stopped ?? overlay.stops.get(island.address),
    isPending: overlay.pending.has(island.address),
  }));
}

/** Every island there is, in order of creation. */
export const allIslands = (source: IslandSource): Promise<Island[]> =>
  readIslands(source, { condition: "true", isMeant: () => true });

/** Those of `addresses` that are islands. */
export const islandsAmong = (source: IslandSource, addresses: readonly Address[]): Promise<Island[]> => {
  const among = new Set<string>(addresses);
  return readIslands(source, {
    condition: `address in ${ASKED}`,
    parameter: [...among].join(","),
    isMeant: ({ address }) => among.has(address),
  });
};

/** Islands that hold one of `tokens`. */
export const islandsOfTokens = (source: IslandSource, tokens: readonly Address[]): Promise<Island[]> =>
  readIslands(source, {
    condition: `token0 in ${ASKED} or token1 in ${ASKED}`,
    parameter: tokens.join(","),
    isMeant: ({ token0, token1 }) => tokens.includes(token0) || tokens.includes(token1),
  });

/** Islands with their position in one of `pools`. */
export const islandsOfPools = (source: IslandSource, pools: readonly Address[]): Promise<Island[]> =>
  readIslands(source, {
    condition: `pool in ${ASKED}`,
    parameter: pools.join(","),
    isMeant: ({ pool }) => pools.includes(pool),
  });

/** SELECT text of (address bytea): every island there is at the block. */
export const islandAddresses = ({ at, overlay }: IslandSource): string =>
  [
    `select address from ${at.fold}.island where created_block <= ${at.folded}`,
    ...overlay.created.map(({ address }) => `select ${bytes(address)}`),
  ].join(" union all ");

/** By address; of a stopped island the last row before that. Islands that are pending are left out. */
export async function readIslandRows(
  { at, overlay }: IslandSource,
  islands: readonly Island[],
): Promise<Map<string, IslandRow>> {
  const rows = await readFoldedRows(at, islands);
  for (const { address, isPending } of islands) {
    const changed = overlay.rows.get(address);
    if (changed) rows.set(address, changed);
    if (isPending) rows.delete(address);
  }
  return rows;
}
