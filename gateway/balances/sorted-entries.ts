// The entries of a balances answer whose accounts have nothing beyond the wallet, sorted here: PostgreSQL needs longer to sort
// rows than to read them and send them. The bytes are those of plain-entries.ts.
import { setImmediate as nextTurn } from "node:timers/promises";
import { largestFirst, largestKeyFirst } from "../../core/largest-first.ts";
import type { AsOf } from "../history/as-of.ts";
import type { Statement } from "../history/holdings-at.ts";
import { EntryBytes } from "./entry-bytes.ts";
import { MOST_ENTRY_BYTES, walletEntryText } from "./entry-text.ts";
import type { HeldLists } from "./held-lists.ts";
import type { Group } from "./plain-entries.ts";

const MOST_SORTED = 250_000;
/** What an entry takes while its list is read: all of them are in memory until then. */
const BYTES_PER_ENTRY = 140;
const ROWS_PER_GROUP = 1_000;
/** Taken in one turn of the event loop, so that others are answered meanwhile: a few milliseconds. */
const GROUPS_PER_TURN = 16;
const ENTRIES_PER_PIECE = 2_000;
const ACCOUNT_DIGITS = 40;
/** Hexadecimal digits of 32 bits. */
const PREFIX_DIGITS = 8;
/** Holders whose amount is another one's double, too. From here on it pays to sort by account first … */
const MANY_EQUAL = 200;
/** … and above this, comparing them would keep other requests waiting. */
const MOST_EQUAL = 20_000;
/** Of those that neither doubles nor the beginnings of accounts have put in order. */
const MOST_MOVES = 20_000;

const groupsText = (rows: string, decimals: number): string => `
  select encode(string_agg(account, ''), 'hex') as accounts,
         string_agg(amount::text, 'e-${decimals},') || 'e-${decimals}' as amounts
    from (select account, amount, row_number() over () as place from (${rows}) r limit ${MOST_SORTED + 1}) numbered
   group by place / ${ROWS_PER_GROUP}`;

/**
 * JSON objects as bytes, a comma before each, the largest amount first and then by account, for the rows of `statement` (account
 * bytea, amount numeric raw units, …). Undefined where there are too many, or too many with equal amounts.
 * @throws UnavailableError (`OVERLOADED`)
 */
export async function sortedPieces(
  { unbatched, lists }: Pick<AsOf, "unbatched"> & { lists: HeldLists },
  { text, parameters }: Statement,
  decimals: number,
): Promise<AsyncIterator<Uint8Array> | undefined> {
  const groups = await unbatched<Group>(groupsText(text, decimals), parameters);
  const count = groups.reduce((sum, { accounts }) => sum + accounts.length / ACCOUNT_DIGITS, 0);
  if (count > MOST_SORTED) return undefined;
  const bytes = count * BYTES_PER_ENTRY;
  lists.requireRoom(bytes);
  const holders = new Holders(count);
  for (const [i, group] of groups.entries()) {
    holders.add(group);
    if (i % GROUPS_PER_TURN === GROUPS_PER_TURN - 1) await nextTurn();
  }
  const order = holders.inOrder();
  return order && lists.hold(piecesOf(holders, order), bytes);
}

/** Who holds how much, by a number for each holder. */
class Holders {
  /** Amounts in whole tokens, the nearest doubles. */
  readonly values: Float64Array;
  #count = 0;
  readonly #groups: Group[] = [];
  /** By holder: its group, and its place there. */
  readonly #group: Uint32Array;
  readonly #place: Uint32Array;
  /** By group: its amounts as PostgreSQL writes them, once they are needed. */
  readonly #written: string[][] = [];

  constructor(most: number) {
    this.#group = new Uint32Array(most);
    this.#place = new Uint32Array(most);
    this.values = new Float64Array(most);
  }

  add(group: Group): void {
    const values: number[] = JSON.parse(`[${group.amounts}]`);
    this.values.set(values, this.#count);
    this.#group.fill(this.#groups.length, this.#count, this.#count + values.length);
    for (let place = 0; place < values.length; place++) this.#place[this.#count + place] = place;
    this.#groups.push(group);
    this.#count += values.length;
  }

  /** Without `0x`. */
  accountOf(holder: number): string {
    const from = ACCOUNT_DIGITS * (this.#place[holder] as number);
    return (this.#groups[this.#group[holder] as number] as Group).accounts.slice(from, from + ACCOUNT_DIGITS);
  }

  /** Largest first, and then by account; undefined where too many are equal. */
  inOrder(): Uint32Array | undefined {
    const { values } = this;
    const given = new Uint32Array(values.length);
    for (let i = 0; i < given.length; i++) given[i] = i;
    const order = largestFirst(given, values);
    const equal = runsOf(order, values);
    const count = equal.reduce((sum, { length }) => sum + length, 0);
    if (count > MOST_EQUAL) return undefined;
    const isByAccount = count > MANY_EQUAL;
    const sorted = isByAccount ? largestFirst(largestKeyFirst(given, this.#prefixes()), values) : order;
    let moves = 0;
    // the same places in both: equal values stay together
    for (const { from, length } of equal) {
      moves += this.#moveIntoOrder(sorted.subarray(from, from + length), MOST_MOVES - moves);
      if (moves >= MOST_MOVES) return undefined;
    }
    return sorted;
  }

  /** By holder: the smaller the account, the larger. */
  #prefixes(): Uint32Array {
    const prefixes = new Uint32Array(this.#count);
    for (let i = 0; i < prefixes.length; i++)
      prefixes[i] = ~Number.parseInt(this.accountOf(i).slice(0, PREFIX_DIGITS), 16);
    return prefixes;
  }

  /** Sorts by insertion, as nearly all are in order; returns the number of moves, at most `most`. */
  #moveIntoOrder(run: Uint32Array, most: number): number {
    let moves = 0;
    for (let i = 1; i < run.length; i++) {
      const holder = run[i] as number;
      let place = i;
      for (; place > 0 && moves < most && this.#compare(run[place - 1] as number, holder) > 0; place--, moves++)
        run[place] = run[place - 1] as number;
      run[place] = holder;
    }
    return moves;
  }

  /** Of two holders whose amounts are the same double. */
  #compare(a: number, b: number): number {
    const [ofA, ofB] = [this.#amountOf(a), this.#amountOf(b)];
    if (ofA.length !== ofB.length) return ofB.length - ofA.length;
    if (ofA !== ofB) return ofA < ofB ? 1 : -1;
    return this.accountOf(a) < this.accountOf(b) ? -1 : 1;
  }

  #amountOf(holder: number): string {
    const group = this.#group[holder] as number;
    this.#written[group] ??= (this.#groups[group] as Group).amounts.split(",");
    return this.#written[group][this.#place[holder] as number] as string;
  }
}

/** Where in `order` more than one have the same value. */
function runsOf(order: Uint32Array, values: Float64Array): { from: number; length: number }[] {
  const runs: { from: number; length: number }[] = [];
  for (let from = 0, to = 1; from < order.length; from = to++) {
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to++;
    if (to - from > 1) runs.push({ from, length: to - from });
  }
  return runs;
}

async function* piecesOf(holders: Holders, order: Uint32Array): AsyncGenerator<Uint8Array, undefined> {
  for (let from = 0; from < order.length; from += ENTRIES_PER_PIECE) {
    const some = Array.from(order.subarray(from, from + ENTRIES_PER_PIECE));
    // a thousand at once take half as long as each by itself
    const digits = JSON.stringify(some.map((holder) => holders.values[holder]))
      .slice(1, -1)
      .split(",");
    const bytes = new EntryBytes(some.length * MOST_ENTRY_BYTES);
    for (let i = 0; i < some.length; i++)
      bytes.add(walletEntryText(`0x${holders.accountOf(some[i] as number)}`, digits[i] as string));
    yield bytes.all();
  }
  return undefined;
}
