// What a batch of facts changes, collected block by block: the intervals it closes, and each changed entity's last row.

import { durationClass } from "../../core/history/duration-class.ts";
import type { V3Row } from "../../core/v3/rows.ts";
import { isEnded, type V3RowKind, v3Columns, v3KeyColumns } from "../../core/v3/stored-rows.ts";
import { type CopyLines, copyBytes } from "../copy-rows.ts";

export const rowKinds = ["pool", "tick", "position", "nft"] as const satisfies readonly V3RowKind[];

/** Columns of a kind that are no key, in the order of the lines below. */
export const valueColumns: Readonly<Record<V3RowKind, readonly string[]>> = {
  pool: columnsBesideKey("pool"),
  tick: columnsBesideKey("tick"),
  position: columnsBesideKey("position"),
  nft: ["pool", ...columnsBesideKey("nft")],
};

function columnsBesideKey(kind: V3RowKind): string[] {
  return Object.values<string>(v3Columns[kind]).filter((column) => !v3KeyColumns[kind].includes(column));
}

const fieldsBesideKey = Object.fromEntries(
  rowKinds.map((kind) => {
    const entries = Object.entries<string>(v3Columns[kind]);
    return [kind, entries.filter(([, column]) => !v3KeyColumns[kind].includes(column)).map(([field]) => field)];
  }),
) as Record<V3RowKind, string[]>;

/** Whose row it is: the pool's number in the tables, and the position manager of its world. */
export interface RowPlace {
  block: number;
  poolId: number;
  manager: string;
}

interface Change {
  poolId: number;
  /** The batch's first block in which the entity changed: what was current before ends here. */
  first: number;
  since: number;
  row: V3Row;
}

/** COPY lines, packed now and then to keep them small. */
class PackedLines {
  #pieces: Buffer[] = [];
  #lines: string[] = [];
  #count = 0;

  add(line: string): void {
    this.#count += 1;
    if (this.#lines.push(line) === 4_096) this.#pack();
  }

  take(): CopyLines {
    this.#pack();
    const taken = { count: this.#count, pieces: this.#pieces };
    this.#pieces = [];
    this.#count = 0;
    return taken;
  }

  #pack(): void {
    if (this.#lines.length > 0) this.#pieces.push(Buffer.from(this.#lines.join("")));
    this.#lines = [];
  }
}

const each = <T>(make: () => T): Record<V3RowKind, T> => ({
  pool: make(),
  tick: make(),
  position: make(),
  nft: make(),
});

export class ChangeLog {
  readonly #latest = each(() => new Map<string, Change>());
  readonly #closed = each(() => new PackedLines());

  /** `row` holds since the end of the block; rows come in order of blocks, one per entity and block. */
  add(row: V3Row, { block, poolId, manager }: RowPlace): void {
    const latest = this.#latest[row.kind];
    const key = keyOf(row, { poolId, manager });
    const change = latest.get(key);
    if (change === undefined) {
      latest.set(key, { poolId, first: block, since: block, row });
      return;
    }
    if (!isEnded(change.row)) {
      const span = `${change.since}\t${block}\t${durationClass(block - change.since)}`;
      this.#closed[row.kind].add(`${key}\t${span}\t${valuesOf(change)}\n`);
    }
    change.since = block;
    change.row = row;
  }

  /** Intervals that began and ended within the batch; columns: key, from_block, to_block, lvl, values. */
  takeClosed(kind: V3RowKind): CopyLines {
    return this.#closed[kind].take();
  }

  /** Last rows; columns: key, first_block, since, is_ended, values. */
  takeLatest(kind: V3RowKind): CopyLines {
    const lines = new PackedLines();
    for (const [key, change] of this.#latest[kind]) {
      const times = `${change.first}\t${change.since}\t${isEnded(change.row) ? "t" : "f"}`;
      lines.add(`${key}\t${times}\t${valuesOf(change)}\n`);
    }
    this.#latest[kind].clear();
    return lines.take();
  }
}

function keyOf(row: V3Row, { poolId, manager }: { poolId: number; manager: string }): string {
  switch (row.kind) {
    case "pool":
      return `${poolId}`;
    case "tick":
      return `${poolId}\t${row.tick}`;
    case "position":
      return `${poolId}\t${copyBytes(row.owner)}\t${row.tickLower}\t${row.tickUpper}`;
    case "nft":
      return `${copyBytes(manager)}\t${row.tokenId}`;
  }
}

function valuesOf({ row, poolId }: Change): string {
  const record = row as unknown as Record<string, bigint | number | string>;
  let line = row.kind === "nft" ? `${poolId}\t` : "";
  for (const [index, field] of fieldsBesideKey[row.kind].entries()) {
    const value = record[field];
    line += index === 0 ? "" : "\t";
    line += field === "owner" ? copyBytes(String(value)) : String(value);
  }
  return line;
}
