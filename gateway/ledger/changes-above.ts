// What happened to all ledgers above the watermark, kept: the block's hash decides it.
import { keepAnswers } from "./kept-answers.ts";
import { changesIn } from "./overlay.ts";
import type { BlockPoint } from "./point.ts";
import type { Snapshot } from "./snapshot.ts";

/** `key` is a token's or contract's address; `0x` for all that a kind lists. */
export interface LedgerAsset {
  kind: string;
  key: string;
}

/** By asset and account; raw units. */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export const nameOf = ({ kind, key }: LedgerAsset): string => `${kind} ${key}`;

const NO_CHANGES: Changes = new Map();
const keptChanges = keepAnswers<Changes>({
  most: 200_000,
  weigh: (changes) => [...changes.values()].reduce((sum, { size }) => sum + size, 1),
});

const aboutOf = ({ watermark }: BlockPoint): string => `changes above ${watermark}`;

/** The same if it is known already. */
export const knownChanges = (index: string, point: BlockPoint): Changes | undefined =>
  point.block <= point.watermark ? NO_CHANGES : keptChanges.known({ index, point, about: aboutOf(point) });

/** In (watermark, block]. */
export function changesAbove(snapshot: Snapshot, point: BlockPoint): Promise<Changes> {
  if (point.block <= point.watermark) return Promise.resolve(NO_CHANGES);
  return keptChanges.of({ snapshot, point, about: aboutOf(point) }, () => readChanges(snapshot, point));
}

async function readChanges(snapshot: Snapshot, { watermark, block }: BlockPoint): Promise<Changes> {
  const changes = new Map<string, Map<string, bigint>>();
  const rows = await snapshot.withFacts((facts) =>
    facts.rows<LedgerAsset & { account: string; delta: string }>(`
      select kind, key, account, sum(delta)::text as delta
        from (${changesIn(facts.schemas.ponder, { after: watermark, upTo: block })}) d
       group by kind, key, account having sum(delta) <> 0`),
  );
  for (const { account, delta, ...asset } of rows) {
    const ofAsset = changes.get(nameOf(asset)) ?? new Map<string, bigint>();
    changes.set(nameOf(asset), ofAsset);
    ofAsset.set(account, BigInt(delta));
  }
  return changes;
}
