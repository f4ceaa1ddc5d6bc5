// What a request's transaction reads with.
import type { ReaderCache } from "../cache/answer-cache.ts";
import type { IndexState } from "./state.ts";

export interface ReadScope {
  readonly state: IndexState;
  /** Quoted name of the fold's schema. */
  readonly fold: string;
  /** See `Snapshot.index`. */
  readonly index: string;
  readonly cache: ReaderCache;
  /** Rows that this server lacks may be on another one. */
  readonly isReplica?: boolean;
  rows<T extends object>(text: string, parameters?: string[]): Promise<T[]>;
  /** See `Connection.prepared`. */
  prepared<T extends object>(text: string, parameters: string[]): Promise<T[]>;
  /** Rows of a text without parameters, under `limits`: SET LOCAL statements, which may hold for what follows. */
  readLimited<T extends object>(text: string, limits: string): Promise<T[]>;
}
