// All contracts that are no accounts at a block, kept where a block is asked about again and again.
import type { AsOf } from "../ledger/as-of.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import { readMany } from "../ledger/many-rows.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Snapshot } from "../ledger/snapshot.ts";

/** Beyond it the database is asked about the accounts in question. */
const MOST_ISSUERS = 50_000;
const MOST_WANTED = 100;

const kept = keepAnswers<ReadonlySet<string>>({
  most: 4 * MOST_ISSUERS,
  // of many tokens many blocks each are asked for again and again
  mostAnswers: 2_000,
  weigh: (issuers) => 10 + issuers.size,
});
const NONE: ReadonlySet<string> = new Set();

/** Blocks that were asked about without their issuers being known. */
const wanted = new Set<string>();

const about = "issuers";
const nameOf = (index: string, { block, hash }: BlockPoint): string => `${index} ${block} ${hash}`;

/** `issuerAddresses`: see `LookedThrough`. Undefined: not known, but the next {@link keepIssuers} will see to it. */
export function knownIssuers(
  { index, point }: { index: string; point: BlockPoint },
  issuerAddresses: string | undefined,
): ReadonlySet<string> | undefined {
  if (issuerAddresses === undefined) return NONE;
  const known = kept.known({ index, point, about });
  if (known) return known;
  if (wanted.size >= MOST_WANTED) wanted.clear();
  wanted.add(nameOf(index, point));
  return undefined;
}

/** So many are read whole, to be looked up here, rather than asked about one by one. */
const FEW = 2_000;
/** Indexes with more. */
const crowded = new Set<string>();

/** Every contract that is no account, kept; undefined where there are many. */
export async function fewIssuers(
  snapshot: Snapshot,
  { rows, point }: Pick<AsOf, "rows" | "point">,
  issuerAddresses: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  if (issuerAddresses === undefined) return NONE;
  const { index } = snapshot;
  const known = kept.known({ index, point, about });
  if (known || crowded.has(index)) return known;
  const issuers = new Set(await readAll({ rows }, { issuerAddresses, most: FEW }));
  if (issuers.size > FEW) {
    if (crowded.size >= MOST_WANTED) crowded.clear();
    crowded.add(index);
    return undefined;
  }
  kept.keep({ index, point, about }, issuers);
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

/** Reads and keeps them if they were wanted. */
export async function keepIssuers(
  snapshot: Snapshot,
  { rows, point }: Pick<AsOf, "rows" | "point">,
  issuerAddresses: string | undefined,
): Promise<void> {
  if (issuerAddresses === undefined || !wanted.delete(nameOf(snapshot.index, point))) return;
  const issuers = await readAll({ rows }, { issuerAddresses, most: MOST_ISSUERS });
  if (issuers.length <= MOST_ISSUERS) kept.keep({ index: snapshot.index, point, about }, new Set(issuers));
}
