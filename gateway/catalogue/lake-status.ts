// A line of the status: the writer of the history lake, by the signs of life that it leaves in the database (lake/lake-life.ts).
import { isoText } from "../database/state.ts";

export interface LakeStatus {
  /** It gave a sign of life within the last seconds. */
  isRunning: boolean;
  /** The last block of what it has written. */
  block: number | null;
  writtenAt: string | null;
  /** When it last gave a sign of life. */
  heardAt: string;
  /** What it is waiting for and cannot go on without. */
  waitsFor: string | null;
  /** The error that ended it last; null once it has gone on since. */
  error: string | null;
}

/** SQL of whether a writer has ever run beside this database: a text that names a missing table would end a transaction. */
export const HAS_LAKE = "to_regclass('tidemark.lake') is not null";

/** SELECT text of a {@link LakeStatus}. */
export const lakeText = (chainId: number): string => `
  select due_at > now() as "isRunning", last_block as block, ${isoText("written_at")} as "writtenAt",
         ${isoText("heard_at")} as "heardAt", waits_for as "waitsFor", error
    from tidemark.lake where chain_id = ${chainId}`;
