// What is known of the ledgers at the newest watermark of an index, kept while it stands: every block above it is that and
// what changed since. When the watermark moves on, what is known moves with it by what changed in the blocks between, which
// were read one by one when they came.
import { type LedgerAsset, nameOf } from "./block-changes.ts";

/** By account; raw units, above zero. */
export type Holders = ReadonlyMap<string, bigint>;

interface Memory {
  watermark: number;
  /** By asset and account; raw units. */
  amounts: Map<string, bigint>;
  /** By asset, those used last at the end. */
  holders: Map<string, Holders>;
  /** Of all lists together. */
  held: number;
}

const MOST_AMOUNTS = 50_000;
const MOST_HELD = 100_000;
/** Longer lists are soon read anew, and would take the room of many short ones. */
export const MOST_LISTED_HOLDERS = 2_000;
/** Indexes that are remembered: a chain has two of them while one takes over from the other. */
const MOST_INDEXES = 16;

const memories = new Map<string, Memory>();

interface Place {
  /** See `Snapshot.index`. */
  index: string;
  watermark: number;
}

function knownMemory({ index, watermark }: Place): Memory | undefined {
  const known = memories.get(index);
  return known?.watermark === watermark ? known : undefined;
}

/** Undefined where a newer watermark is known: nobody asks much of that one any more. */
function memoryFor({ index, watermark }: Place): Memory | undefined {
  const known = memories.get(index);
  if (known && known.watermark >= watermark) return known.watermark === watermark ? known : undefined;
  const empty = { watermark, amounts: new Map(), holders: new Map(), held: 0 };
  memories.delete(index);
  memories.set(index, empty);
  const [oldest] = memories.keys();
  if (memories.size > MOST_INDEXES && oldest !== undefined) memories.delete(oldest);
  return empty;
}

/** The last watermark of which something is known. */
export const rememberedWatermark = (index: string): number | undefined => memories.get(index)?.watermark;

const nameOfAmount = (asset: LedgerAsset, account: string): string => `${nameOf(asset)} ${account}`;

export const knownAmount = (place: Place, asset: LedgerAsset, account: string): bigint | undefined =>
  knownMemory(place)?.amounts.get(nameOfAmount(asset, account));

export function keepAmount(place: Place, asset: LedgerAsset, held: { account: string; amount: bigint }): void {
  const amounts = memoryFor(place)?.amounts;
  if (!amounts) return;
  if (amounts.size >= MOST_AMOUNTS) amounts.clear();
  amounts.set(nameOfAmount(asset, held.account), held.amount);
}

export function knownHolders(place: Place, asset: LedgerAsset): Holders | undefined {
  const memory = knownMemory(place);
  const name = nameOf(asset);
  const known = memory?.holders.get(name);
  if (!memory || !known) return undefined;
  memory.holders.delete(name);
  memory.holders.set(name, known);
  return known;
}

/** Lists of more than {@link MOST_LISTED_HOLDERS} are not kept. */
export function keepHolders(place: Place, asset: LedgerAsset, holders: Holders): void {
  const memory = memoryFor(place);
  if (memory) keepList(memory, nameOf(asset), holders);
}

function keepList(memory: Memory, name: string, holders: Holders): void {
  forgetList(memory, name);
  if (holders.size > MOST_LISTED_HOLDERS) return;
  memory.holders.set(name, holders);
  memory.held += 1 + holders.size;
  for (const [oldest] of memory.holders) {
    if (memory.held <= MOST_HELD) return;
    forgetList(memory, oldest);
  }
}

function forgetList(memory: Memory, name: string): void {
  const known = memory.holders.get(name);
  if (!known) return;
  memory.holders.delete(name);
  memory.held -= 1 + known.size;
}

interface Move {
  from: number;
  to: number;
  /** All that changed in (from, to], by asset and account. */
  changes: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
  /** Those of the changed tokens of which the fold takes in nothing. */
  quarantined: ReadonlySet<string>;
}

/** The watermark has moved: what is known of its blocks is known of the new ones. */
export function moveOn(index: string, { from, to, changes, quarantined }: Move): void {
  const memory = memories.get(index);
  if (memory?.watermark !== from) return;
  memory.watermark = to;
  if (quarantined.size > 0) forgetTokens(memory, quarantined);
  for (const [asset, deltas] of changes) {
    for (const [account, delta] of deltas) {
      if (isOf(quarantined, asset, account)) continue;
      const name = `${asset} ${account}`;
      const amount = memory.amounts.get(name);
      if (amount !== undefined) memory.amounts.set(name, amount + delta);
    }
    const known = memory.holders.get(asset);
    if (known) keepList(memory, asset, withChanges(known, deltas));
  }
}

export const forgetIndex = (index: string): boolean => memories.delete(index);

/** Whether what `account` has of `asset` belongs to the ledger or the supply of one of `tokens`. */
function isOf(tokens: ReadonlySet<string>, asset: string, account: string): boolean {
  const [kind, key = ""] = asset.split(" ");
  return (kind === "erc20" && tokens.has(key)) || (kind === "supply" && tokens.has(account));
}

/** They lose all their rows, those of the blocks before too. */
function forgetTokens(memory: Memory, tokens: ReadonlySet<string>): void {
  for (const name of memory.amounts.keys()) {
    const [kind, key, account = ""] = name.split(" ");
    if (isOf(tokens, `${kind} ${key}`, account)) memory.amounts.delete(name);
  }
  for (const asset of [...memory.holders.keys()]) {
    const [kind] = asset.split(" ");
    if (kind === "supply" || isOf(tokens, asset, "")) forgetList(memory, asset);
  }
}

/** Who holds an asset after some of it has moved. */
export function withChanges(holders: Holders, deltas: ReadonlyMap<string, bigint>): Holders {
  const changed = new Map(holders);
  for (const [account, delta] of deltas) {
    const amount = (changed.get(account) ?? 0n) + delta;
    if (amount > 0n) changed.set(account, amount);
    else changed.delete(account);
  }
  return changed;
}
