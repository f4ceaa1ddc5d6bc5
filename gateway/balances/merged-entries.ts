// All entries of an answer that is mostly looked through: what contracts hold for others is worked out here anyway, so
// that the wallets come to it, and not all of it to PostgreSQL. The bytes are those that PostgreSQL would write.

import type { AsOf } from "../history/as-of.ts";
import type { Statement } from "../history/holdings-at.ts";
import { readMany } from "../history/many-rows.ts";
import { entryText } from "./entry-text.ts";
import { withoutIssuers } from "./shared-holdings.ts";
import type { WrittenPart } from "./shared-parts.ts";

/** All of an answer is in memory while it is written: about 500 bytes an entry. */
const MOST_MERGED = 100_000;
const ENTRIES_PER_PIECE = 2_000;

interface Entry {
  account: string;
  amount: bigint;
  /** Orders almost all: amounts decide between equal ones. */
  rank: number;
  text: string;
}

const entryOf = (account: string, amount: bigint, text: string): Entry => ({
  ...{ account, amount, text },
  rank: Number(amount),
});

interface Merging {
  /** Accounts with amounts, contracts among them. */
  plain: Statement;
  issuerAddresses: string | undefined;
  parts: readonly WrittenPart[];
  decimals: number;
}

/** {@link writeEntries} of all who hold some. Undefined where there are too many. */
export async function mergedEntries(
  at: Pick<AsOf, "rows">,
  merging: Merging,
): Promise<AsyncIterator<Uint8Array> | undefined> {
  const { plain, issuerAddresses, parts } = merging;
  if (parts.length > MOST_MERGED) return undefined;
  const room = MOST_MERGED - parts.length;
  const text = `select '0x' || encode(account, 'hex') as account, amount from (${withoutIssuers(plain.text, issuerAddresses)}) p
    limit ${room + 1}`;
  const many = await readMany(at, { text, parameters: plain.parameters }, ["account", "amount"]);
  if (many.length > 2 * room) return undefined;
  const wallets = new Map<string, bigint>();
  for (let i = 0; i < many.length; i += 2) wallets.set(many[i] as string, BigInt(many[i + 1] as string));
  return writeEntries(wallets, merging);
}

/** JSON entries, largest first and then by account, a comma before each. `wallets`: what accounts themselves hold, above zero. */
export function writeEntries(
  wallets: ReadonlyMap<string, bigint>,
  { parts, decimals }: Pick<Merging, "parts" | "decimals">,
): AsyncIterator<Uint8Array> {
  const others = new Map(wallets);
  const entries: Entry[] = [];
  for (const part of parts) {
    const own = wallets.get(part.account) ?? 0n;
    const amount = part.amount + own;
    entries.push(entryOf(part.account, amount, entryText(part.account, { own, part }, decimals)));
    others.delete(part.account);
  }
  for (const [account, own] of others)
    entries.push(entryOf(account, own, entryText(account, { own, part: undefined }, decimals)));
  return inPieces(entries.sort(byAmount));
}

function byAmount(a: Entry, b: Entry): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  if (a.amount !== b.amount) return a.amount < b.amount ? 1 : -1;
  return a.account < b.account ? -1 : 1;
}

async function* inPieces(entries: readonly Entry[]): AsyncGenerator<Uint8Array, undefined> {
  for (let i = 0; i < entries.length; i += ENTRIES_PER_PIECE) {
    let piece = "";
    for (const { text } of entries.slice(i, i + ENTRIES_PER_PIECE)) piece += `,${text}`;
    yield Buffer.from(piece, "latin1");
  }
  return undefined;
}
