// All contracts that are no accounts at a block, stored where a block is asked about again and again.
import { type AnswerPlace, FINAL, type ReaderCache } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { AsOf } from "../ledger/as-of.ts";
import { readMany } from "../ledger/many-rows.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";

/** Beyond it the database is asked about the accounts in question. */
const MOST_ISSUERS = 50_000;
const MOST_WANTED = 100;

const issuersOfBlock = question<ReadonlySet<string>>("issuers");
const NONE: ReadonlySet<string> = new Set();

/** Blocks that were asked about without their issuers being known. */
const wanted = new Set<string>();

const placeOf = ({ hash }: BlockPoint): AnswerPlace => ({ at: hash, key: "" });
const nameOf = (index: string, { block, hash }: BlockPoint): string => `${index} ${block} ${hash}`;

/** `issuerAddresses`: see `LookedThrough`. Undefined: not known, but the next {@link keepIssuers} will see to it. */
export function knownIssuers(
  cache: ReaderCache,
  { index, point }: { index: string; point: BlockPoint },
  issuerAddresses: string | undefined,
): ReadonlySet<string> | undefined {
  if (issuerAddresses === undefined) return NONE;
  const stored = cache.get(issuersOfBlock, placeOf(point));
  if (stored) return stored;
  if (wanted.size >= MOST_WANTED) wanted.clear();
  wanted.add(nameOf(index, point));
  return undefined;
}

/** So many are read whole, to be looked up here, rather than asked about one by one. */
const FEW = 2_000;
/** Whether the index has more. */
const isCrowded = question<true>("issuers-are-many");
const CROWDED = { at: FINAL, key: "" };

/** Every contract that is no account, stored; undefined where there are many. */
export async function fewIssuers(
  { cache }: Snapshot,
  { rows, point }: Pick<AsOf, "rows" | "point">,
  issuerAddresses: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  if (issuerAddresses === undefined) return NONE;
  const stored = cache.get(issuersOfBlock, placeOf(point));
  if (stored || cache.get(isCrowded, CROWDED)) return stored;
  const issuers = new Set(await readAll({ rows }, { issuerAddresses, most: FEW }));
  if (issuers.size > FEW) {
    cache.set(isCrowded, CROWDED, true);
    return undefined;
  }
  cache.set(issuersOfBlock, placeOf(point), issuers);
  return issuers;
}

/** One more than `most`, where there are more. */
const readAll = (
  at: Pick<AsOf, "rows">,
  { issuerAddresses, most }: { issuerAddresses: string; most: number },
): Promise<string[]> => {
  const text = `select distinct '0x' || encode(i.address, 'hex') as address from (${issuerAddresses}) i(address)
    limit ${most + 1}`;
  return readMany(at, { text }, ["address"]);
};

/** Reads and stores them if they were wanted. */
export async function keepIssuers(
  snapshot: Snapshot,
  { rows, point }: Pick<AsOf, "rows" | "point">,
  issuerAddresses: string | undefined,
): Promise<void> {
  if (issuerAddresses === undefined || !wanted.delete(nameOf(snapshot.index, point))) return;
  const issuers = await readAll({ rows }, { issuerAddresses, most: MOST_ISSUERS });
  if (issuers.length <= MOST_ISSUERS) snapshot.cache.set(issuersOfBlock, placeOf(point), new Set(issuers));
}
