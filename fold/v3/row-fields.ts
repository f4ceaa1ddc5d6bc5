// The reducer's rows as versions: which history a row is of, and its fields in the order of the declaration.

import type { V3Row } from "../../core/concentrated/rows.ts";
import { type V3RowKind, v3Columns, v3KeyColumns } from "../../core/concentrated/stored-rows.ts";
import { v3Nfts, v3Pools, v3Positions, v3Ticks } from "../../core/history/histories.ts";
import type { History } from "../../core/history/history.ts";
import { copyBytes } from "../history/copy-rows.ts";

export const rowKinds = ["pool", "tick", "position", "nft"] as const satisfies readonly V3RowKind[];

export const historyOf: Readonly<Record<V3RowKind, History>> = {
  pool: v3Pools,
  tick: v3Ticks,
  position: v3Positions,
  nft: v3Nfts,
};

/** Whose row it is: the pool's number in the tables, and the position manager of its world. */
interface RowPlace {
  block: number;
  poolId: number;
  manager: string;
}

/** Fields beside the key, in the order of the declaration. */
const valueFields = Object.fromEntries(
  rowKinds.map((kind) => {
    const entries = Object.entries<string>(v3Columns[kind]);
    return [kind, entries.filter(([, column]) => !v3KeyColumns[kind].includes(column)).map(([field]) => field)];
  }),
) as Record<V3RowKind, string[]>;

/** Key, block and values as COPY writes them. */
export function versionFields(row: V3Row, place: RowPlace): (string | number | bigint)[] {
  const record = row as unknown as Record<string, bigint | number | string>;
  const values = valueFields[row.kind].map((field) =>
    field === "owner" ? copyBytes(String(record[field])) : (record[field] ?? 0),
  );
  const pool = row.kind === "nft" ? [place.poolId] : [];
  return [...keyFields(row, place), place.block, ...pool, ...values];
}

function keyFields(row: V3Row, { poolId, manager }: RowPlace): (string | number | bigint)[] {
  switch (row.kind) {
    case "pool":
      return [poolId];
    case "tick":
      return [poolId, row.tick];
    case "position":
      return [poolId, copyBytes(row.owner), row.tickLower, row.tickUpper];
    case "nft":
      return [copyBytes(manager), row.tokenId];
  }
}
