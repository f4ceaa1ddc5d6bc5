// The entries of a balances answer whose accounts have nothing beyond the wallet. PostgreSQL sorts the rows and sends a
// thousand of them as one; their JSON is written here, which leaves PostgreSQL half the work, and happens while it reads on.

import { mapWhole } from "../database/batches.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Statement } from "../history/holdings-at.ts";
import { nearestDoubles } from "../numbers.ts";
import type { JsonShape } from "./balances-json.ts";
import { EntryBytes } from "./entry-bytes.ts";
import { MOST_ENTRY_BYTES, walletEntryText } from "./entry-text.ts";

const ROWS_PER_GROUP = 1_000;
const GROUPS_PER_PIECE = 2;

/** Rows that PostgreSQL sends as one. */
export interface Group {
  /** 40 hexadecimal digits each, one after the other. */
  accounts: string;
  /** JSON numbers, separated by commas. */
  amounts: string;
}

const groupsText = (rows: string, { order, decimals }: JsonShape): string => `
  select string_agg(encode(account, 'hex'), '' order by place) as accounts,
         string_agg(amount::text, 'e-${decimals},' order by place) || 'e-${decimals}' as amounts
    from (select account, amount, row_number() over (order by ${order}) as place from (${rows}) r) ranked
   group by (place - 1) / ${ROWS_PER_GROUP} order by (place - 1) / ${ROWS_PER_GROUP}`;

function piece(groups: readonly Group[]): Uint8Array {
  const bytes = new EntryBytes(groups.length * ROWS_PER_GROUP * MOST_ENTRY_BYTES);
  for (const { accounts, amounts } of groups) {
    let at = 0;
    for (const digits of nearestDoubles(amounts)) {
      bytes.add(walletEntryText(`0x${accounts.slice(at, at + 40)}`, digits));
      at += 40;
    }
  }
  return bytes.all();
}

/**
 * JSON objects as bytes, a comma before each, for the rows of `statement` (account bytea, amount numeric raw units, …);
 * fetched as they are taken.
 */
export function plainPieces(
  snapshot: Pick<Snapshot, "batches">,
  { text, parameters }: Statement,
  shape: JsonShape,
): AsyncIterator<Uint8Array> {
  const batches = snapshot.batches<Group>(groupsText(text, shape), parameters, GROUPS_PER_PIECE);
  return mapWhole(batches, piece);
}
