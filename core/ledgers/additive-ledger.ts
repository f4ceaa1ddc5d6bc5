// What an additive ledger is: facts in, signed changes of (asset, account) out. The fold sums them, in
// batches of final blocks and block by block at the head, from the same SQL text.
import type { BlocksAfterSql } from "../blocks-after.ts";

/** Asset 0: its "accounts" are token addresses, its amounts their total supplies. */
export const SUPPLY_ASSET = 0;

/** Blocks of facts, with what the fold knows beside them. */
interface LedgerRange extends BlocksAfterSql {
  /** Quoted name of the fold's schema. */
  fold: string;
}

export interface AdditiveLedger {
  /** The protocol folder's name. */
  name: string;
  /** Fact tables it reads; all are locked before any of them is read. */
  facts: readonly string[];
  /** Those of them that are only joined to others: their rows alone change nothing. */
  joined?: readonly string[];
  /**
   * SELECT text yielding (block int4, log_index int4, kind text, key text, account text, delta numeric), one or more
   * rows per fact with `after < block <= upTo`. `kind`+`key` name the asset (`key` is a 0x-hex string; for kind
   * `supply` key is '0x' and account the token). `schema` is the quoted name of Ponder's schema.
   */
  deltas(schema: string, range: LedgerRange): string;
}
