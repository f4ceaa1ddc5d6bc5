// What a request's transaction reads with.
import type { ReaderCache } from "../cache/answer-cache.ts";
import type { LedgerState, QuotedSchemas } from "./state.ts";

export interface ReadScope {
  readonly state: LedgerState;
  readonly schemas: QuotedSchemas;
  /** See `Snapshot.index`. */
  readonly index: string;
  readonly cache: ReaderCache;
  /** What is not here may be on another server. */
  readonly isReplica?: boolean;
  rows<T extends object>(text: string, parameters?: string[]): Promise<T[]>;
  /** See `Connection.prepared`. */
  prepared<T extends object>(text: string, parameters: string[]): Promise<T[]>;
  /** Several statements in one round trip, of which the last one has rows. */
  runAndRead<T extends object>(statements: string): Promise<T[]>;
}
