// Which contracts are there to hold a token for others: listings are ledgers, so that they can be read as of any block like
// everything else. Asset (kind, token), account = contract, amount above zero.
import type { BlocksAfterSql } from "../blocks-after.ts";

/** The key under which a kind lists all its contracts, whatever they hold. */
export const EVERY = "0x";

export interface Listing {
  table: string;
  /** SQL expressions over the fact `f`: the kind; a 0x-hex token, or {@link everyContract}; the contract. */
  kind: string;
  key: string;
  contract: string;
  /** SQL condition on `f`. */
  condition?: string;
  /** SQL that joins something more to `f`, given the quoted name of Ponder's schema. */
  join?(schema: string): string;
}

export const everyContract = `'${EVERY}'`;

/** SELECT text of a ledger's changes: each fact adds one to the amount. */
export function listingDeltas(schema: string, { after, upTo }: BlocksAfterSql, listings: readonly Listing[]): string {
  return listings
    .map(
      ({ table, kind, key, contract, condition = "true", join }) => `
      select f.block, f.log_index, ${kind} as kind, ${key} as key, ${contract} as account, 1::numeric as delta
        from ${schema}.${table} f ${join?.(schema) ?? ""}
       where f.block > ${after} and f.block <= ${upTo} and ${condition}`,
    )
    .join(" union all ");
}
