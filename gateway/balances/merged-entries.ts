// All entries of an answer that is short or mostly looked through: what contracts hold for others is worked out here anyway, so
// wallets are read into this process, instead of all of it being sent to PostgreSQL. The bytes are those that PostgreSQL would write.

import type { AsOf } from "../history/as-of.ts";
import type { Statement } from "../history/holdings-at.ts";
import { readMany } from "../history/many-rows.ts";
import { EntryBytes } from "./entry-bytes.ts";
import { entryTexts, type Holding } from "./entry-text.ts";
import { withoutIssuers } from "./shared-holdings.ts";
import type { WrittenPart } from "./shared-parts.ts";

/** All of an answer is in memory while it is written: about 500 bytes an entry. */
const MOST_MERGED = 100_000;
/** Where nothing is looked through, PostgreSQL sorts sooner; but so few are one statement, without a transaction. */
const MOST_PLAIN = 1_000;
const ENTRIES_PER_PIECE = 2_000;

interface Entry extends Holding {
  amount: bigint;
  /** Orders almost all: amounts decide between equal ones. */
  rank: number;
}

const entryOf = (account: string, own: bigint, part: WrittenPart | undefined): Entry => {
  const amount = own + (part?.amount ?? 0n);
  return { account, own, part, amount, rank: Number(amount) };
};

interface Merging {
  /** Accounts with amounts, contracts among them. */
  plain: Statement;
  /** See `LookedThrough`. */
  issuerAddresses: string | undefined;
  /** These contracts, where they are known here. */
  issuers: ReadonlySet<string> | undefined;
  parts: readonly WrittenPart[];
  decimals: number;
}

export interface MergedEntries {
  /** See {@link writeEntries}. */
  pieces: AsyncIterator<Uint8Array>;
  /** All that was read: raw units in wallets, contracts among them where it was known here which they are. */
  held: ReadonlyMap<string, bigint>;
}

/** All who hold some. Undefined where there are too many. */
export async function mergedEntries(
  at: Pick<AsOf, "rows" | "alone">,
  merging: Merging,
): Promise<MergedEntries | undefined> {
  const { parts } = merging;
  const room = parts.length === 0 ? MOST_PLAIN : MOST_MERGED - parts.length;
  if (room < 0) return undefined;
  const many = await readPlain(at, merging, room + 1);
  if (many.length > 2 * room) return undefined;
  const held = new Map<string, bigint>();
  for (let i = 0; i < many.length; i += 2) held.set(many[i] as string, BigInt(many[i + 1] as string));
  return { pieces: writeEntries(held, merging), held };
}

/**
 * Accounts and amounts in turn, at most `limit` of each. Where PostgreSQL decides which of them are issuers, the best plan
 * depends on how many there are of both.
 */
function readPlain(
  { rows, alone }: Pick<AsOf, "rows" | "alone">,
  { plain, issuerAddresses, issuers }: Merging,
  limit: number,
): Promise<string[]> {
  const of = issuers ? plain.text : withoutIssuers(plain.text, issuerAddresses);
  const text = `select '0x' || encode(account, 'hex') as account, amount from (${of}) p
    limit $${plain.parameters.length + 1}::int4`;
  const parameters = [...plain.parameters, String(limit)];
  return readMany(issuers ? alone : rows, { text, parameters }, ["account", "amount"]);
}

/** JSON entries, largest first and then by account, a comma before each. `held`: raw units in wallets, above zero. */
function writeEntries(
  held: ReadonlyMap<string, bigint>,
  { issuers, parts, decimals }: Pick<Merging, "issuers" | "parts" | "decimals">,
): AsyncIterator<Uint8Array> {
  const others = new Map(held);
  for (const issuer of issuers ?? []) others.delete(issuer);
  const entries: Entry[] = [];
  for (const part of parts) {
    entries.push(entryOf(part.account, others.get(part.account) ?? 0n, part));
    others.delete(part.account);
  }
  for (const [account, own] of others) entries.push(entryOf(account, own, undefined));
  return inPieces(entries.sort(byAmount), decimals);
}

function byAmount(a: Entry, b: Entry): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  if (a.amount !== b.amount) return a.amount < b.amount ? 1 : -1;
  return a.account < b.account ? -1 : 1;
}

async function* inPieces(entries: readonly Entry[], decimals: number): AsyncGenerator<Uint8Array, undefined> {
  for (let i = 0; i < entries.length; i += ENTRIES_PER_PIECE) {
    const texts = entryTexts(entries.slice(i, i + ENTRIES_PER_PIECE), decimals);
    const bytes = new EntryBytes(texts.reduce((sum, { length }) => sum + 1 + length, 0));
    for (const text of texts) bytes.add(text);
    yield bytes.all();
  }
  return undefined;
}
