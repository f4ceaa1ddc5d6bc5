// Whether the blocks' blooms prove that the node's logs are complete: Ponder's process records where they do not.
import { isoText } from "../database/state.ts";

export interface BloomStatus {
  /** False: the receipts alone do. */
  areChecked: boolean;
  /** Why not; null while they are. */
  reason: string | null;
  /** The last block where this was found; null where a setting turns the check off. */
  block: number | null;
  /** ISO 8601. */
  since: string | null;
}

export interface BloomRow {
  reason: string;
  block: number | null;
  since: string;
}

/** SELECT text of the {@link BloomRow} of a chain whose blooms are not checked. */
export const bloomsText = (chainId: number): string => `
  select reason, block, ${isoText("since")} as since from tidemark.unproven_blooms where chain_id = ${chainId}`;

export const bloomsOf = (row: BloomRow | null): BloomStatus => ({
  areChecked: row === null,
  reason: row?.reason ?? null,
  block: row?.block ?? null,
  since: row?.since ?? null,
});
