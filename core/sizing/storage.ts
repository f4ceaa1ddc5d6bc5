// How many bytes an index and its lake take.
import type { Figures } from "./figures.ts";
import type { Load } from "./load.ts";

export interface PostgresSize {
  /** Ponder's copy of what the node said, `ponder_sync`. */
  raw: number;
  facts: number;
  /** The fold's tables with their indexes. */
  fold: number;
  total: number;
}

export function postgresSize(load: Load, { postgres: bytes }: Pick<Figures, "postgres">): PostgresSize {
  const { blocks, transfers, otherEvents, transactions, inputBytes } = load;
  const raw =
    blocks * bytes.rawBlock +
    transactions * (bytes.rawTransaction + inputBytes * bytes.rawInputByte) +
    (transfers + otherEvents) * bytes.rawEvent;
  const facts = blocks * bytes.factBlock + transfers * bytes.factTransfer + otherEvents * bytes.factOther;
  const fold = transfers * bytes.foldTransfer + otherEvents * bytes.foldOther;
  return { raw, facts, fold, total: raw + facts + fold };
}

export interface LakeSize {
  facts: number;
  closed: number;
  /** Every segment has all holdings at its end. */
  open: number;
  openRows: number;
  segments: number;
  total: number;
}

/** The rule of docs/lake.md: a segment has `segmentTransfers` transfers, or as many as the last one's open holdings if these are more. */
export function lakeSize(load: Load, figures: Pick<Figures, "lake" | "world">, segmentTransfers: number): LakeSize {
  const { lake: bytes, world } = figures;
  let openRows = 0;
  let segments = 0;
  for (let done = 0; done < load.transfers; segments += 1) {
    done = Math.min(done + Math.max(segmentTransfers, done * world.openPerTransfer), load.transfers);
    openRows += done * world.openPerTransfer;
  }
  const facts = load.blocks * bytes.block + load.transfers * bytes.transfer + load.otherEvents * bytes.other;
  const closed = load.transfers * world.closedPerTransfer * bytes.closedInterval;
  const open = openRows * bytes.openInterval;
  return { facts, closed, open, openRows, segments, total: facts + closed + open };
}
