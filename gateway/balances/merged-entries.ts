// All entries of an answer that is short or mostly looked through: what contracts hold for others is worked out here anyway, so
// wallets are read into this process, instead of all of it being sent to PostgreSQL. The bytes are those that PostgreSQL would write.

import { totalOf } from "../../core/amounts.ts";
import type { Part } from "../../core/lookthrough/attribute.ts";
import type { AsOf } from "../history/as-of.ts";
import type { Statement } from "../history/holdings-at.ts";
import { readMany } from "../history/many-rows.ts";
import { EntryBytes } from "./entry-bytes.ts";
import { entryTexts, type Holding } from "./entry-text.ts";
import type { HeldLists } from "./held-lists.ts";
import { withoutIssuers } from "./shared-holdings.ts";
import type { Writing } from "./source-text.ts";

const MOST_MERGED = 100_000;
/** What an entry takes while its list is read: all of them are in memory until then. */
const BYTES_PER_ENTRY = 300;
/** Where nothing is looked through, sorted-entries.ts is quicker for more; so few are then shared with requests for some of them. */
const MOST_PLAIN = 1_000;
const ENTRIES_PER_PIECE = 2_000;

interface Entry extends Holding {
  /** Orders almost all: amounts decide between equal ones. */
  rank: number;
}

const NONE: readonly Part[] = [];

function entryOf(account: string, own: bigint, parts: readonly Part[]): Entry {
  const amount = own + totalOf(parts);
  return { account, own, parts, amount, rank: Number(amount) };
}

interface Merging extends Writing {
  /** Accounts with amounts, contracts among them. */
  plain: Statement;
  /** See `LookedThrough`. */
  issuerAddresses: string | undefined;
  /** These contracts, where they are known here. */
  issuers: ReadonlySet<string> | undefined;
  parts: ReadonlyMap<string, readonly Part[]>;
}

interface MergedEntries {
  /** See {@link writeEntries}. */
  pieces: AsyncIterator<Uint8Array>;
  /** All that was read: raw units in wallets, contracts among them where it was known here which they are. */
  held: ReadonlyMap<string, bigint>;
}

/** All who hold some. Undefined where there are too many. @throws UnavailableError (`OVERLOADED`) */
export async function mergedEntries(
  { lists, ...at }: Pick<AsOf, "rows" | "unbatched"> & { lists: HeldLists },
  merging: Merging,
): Promise<MergedEntries | undefined> {
  const { parts } = merging;
  const room = parts.size === 0 ? MOST_PLAIN : MOST_MERGED - parts.size;
  if (room < 0) return undefined;
  const many = await readPlain(at, merging, room + 1);
  if (many.length > 2 * room) return undefined;
  const bytes = (many.length / 2 + parts.size) * BYTES_PER_ENTRY;
  lists.requireRoom(bytes);
  const held = new Map<string, bigint>();
  for (let i = 0; i < many.length; i += 2) held.set(many[i] as string, BigInt(many[i + 1] as string));
  return { pieces: lists.hold(writeEntries(held, merging), bytes), held };
}

/**
 * Accounts and amounts in turn, at most `limit` of each. Where PostgreSQL decides which of them are issuers, the best plan
 * depends on how many there are of both.
 */
function readPlain(
  { rows, unbatched }: Pick<AsOf, "rows" | "unbatched">,
  { plain, issuerAddresses, issuers }: Merging,
  limit: number,
): Promise<string[]> {
  const of = issuers ? plain.text : withoutIssuers(plain.text, issuerAddresses);
  const text = `select '0x' || encode(account, 'hex') as account, amount from (${of}) p
    limit $${plain.parameters.length + 1}::int4`;
  const parameters = [...plain.parameters, String(limit)];
  return readMany(issuers ? unbatched : rows, { text, parameters }, ["account", "amount"]);
}

/** JSON entries, largest first and then by account, a comma before each. `held`: raw units in wallets, above zero. */
function writeEntries(
  held: ReadonlyMap<string, bigint>,
  { issuers, parts, ...writing }: Pick<Merging, "issuers" | "parts" | "heldAs" | "decimals">,
): AsyncIterator<Uint8Array> {
  const others = new Map(held);
  for (const issuer of issuers ?? []) others.delete(issuer);
  const entries: Entry[] = [];
  for (const [account, through] of parts) {
    entries.push(entryOf(account, others.get(account) ?? 0n, through));
    others.delete(account);
  }
  for (const [account, own] of others) entries.push(entryOf(account, own, NONE));
  return inPieces(entries.sort(byAmount), writing);
}

function byAmount(a: Entry, b: Entry): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  if (a.amount !== b.amount) return a.amount < b.amount ? 1 : -1;
  return a.account < b.account ? -1 : 1;
}

async function* inPieces(entries: readonly Entry[], writing: Writing): AsyncGenerator<Uint8Array, undefined> {
  for (let i = 0; i < entries.length; i += ENTRIES_PER_PIECE) {
    const texts = entryTexts(entries.slice(i, i + ENTRIES_PER_PIECE), writing);
    const bytes = new EntryBytes(texts.reduce((sum, { length }) => sum + 1 + length, 0));
    for (const text of texts) bytes.add(text);
    yield bytes.all();
  }
  return undefined;
}
