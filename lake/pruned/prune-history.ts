// Prunes: intervals that ended in whole segments of the lake are deleted from PostgreSQL. First every row is compared with the lake, then
// it is recorded that only the lake has them, and only then they are deleted. If it is killed at any moment it can be run again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { chainFolder } from "../../core/lake/paths.ts";
import { raiseRevision } from "../../fold/revision.ts";
import { quoted } from "../../fold/tables.ts";
import { ownName, removeLeftovers } from "../../machine/leftovers.ts";
import { openDuck } from "../duck.ts";
import { buildEndIndexes } from "../end-indexes.ts";
import { type Manifest, readManifest, type SegmentEntry } from "../manifest.ts";
import { type FinalIndex, readBlockHash, readFinalIndex } from "../read-index.ts";
import { differenceOf } from "./compare-rows.ts";
import { deleteAway, vacuumIntervals } from "./delete-rows.ts";
import { LakeRows } from "./lake-rows.ts";
import { inTurn, rangeOf, readPruned } from "./pruned-blocks.ts";

export interface PruneSetting {
  /** Of one connection. */
  db: Sql;
  chainId: number;
  /** The lake's folder; that of the chain lies in it. */
  lake: string;
  say: (line: string) => void;
}

const WORK = "tidemark-prune";

export interface Pruned {
  /** States at the ends of blocks below it need the lake; undefined: nothing is pruned. */
  below: number | undefined;
  segments: number;
  rows: number;
}

/** Pruning is refused, the message says why; nothing was deleted. */
export class PruneRefusedError extends Error {
  override name = "PruneRefusedError";
}

/**
 * Deletes the intervals that ended in segments which end by block `before`, in the index that gateways read.
 * @throws PruneRefusedError; HistoryDamagedError naming a file; ManifestError
 */
export async function pruneHistory(setting: PruneSetting, before: number): Promise<Pruned> {
  const { db, chainId, lake, say } = setting;
  const index = await readFinalIndex(db, chainId);
  if (!index)
    throw new PruneRefusedError("there is no index that can be read: prune when `npm start` says that it is ready");
  const folder = chainFolder(lake, chainId);
  const manifest = await readManifest(folder);
  if (!manifest) throw new PruneRefusedError(`${folder} has no manifest: \`npm run lake\` writes the lake first`);
  await requireSameChain(db, { index, manifest, before });
  const pruned = await readPruned(db, index.foldSchema);
  const prunedTo = pruned.at(-1)?.last ?? -1;
  const segments = manifest.segments.filter((segment) => segment.last <= before && rangeOf(segment).last > prunedTo);
  await buildEndIndexes(db, index.foldSchema);
  await compare(setting, index, { segments, lakeRows: new LakeRows(folder) });
  const fold = quoted(index.foldSchema);
  if (segments.length > 0)
    await inTurn(db, index.foldSchema, async () => {
      for (const { first, last } of segments.map(rangeOf))
        await db`insert into tidemark.pruned (chain_id, fold, first, last) values (${chainId}, ${fold}, ${first}, ${last})`;
      // makes gateways read again what they know about the index
      await raiseRevision(db, fold);
    });
  const rows = await deleteAway(db, index.foldSchema);
  if (rows > 0) {
    say(`${rows} rows deleted; vacuuming`);
    await vacuumIntervals(db, index.foldSchema);
  }
  const below = (await readPruned(db, index.foldSchema)).at(-1)?.last;
  return { below: below === undefined ? undefined : below + 1, segments: segments.length, rows };
}

async function requireSameChain(
  db: Sql,
  { index, manifest, before }: { index: FinalIndex; manifest: Manifest; before: number },
): Promise<void> {
  const last = manifest.segments.at(-1);
  if (last === undefined || before > last.last + 1)
    throw new PruneRefusedError(
      `--before ${before}: the lake ${last === undefined ? "has no segment yet" : `ends with block ${last.last}`}; prune before at most the block after it`,
    );
  if (index.finalized < last.last)
    throw new PruneRefusedError(
      `the index is final up to block ${index.finalized} only, and the lake ends with ${last.last}: prune when it has caught up`,
    );
  const hash = await readBlockHash(db, index, last.last);
  if (hash !== last.hash)
    throw new PruneRefusedError(
      `the lake is of another chain, or of a branch that this one has replaced: its block ${last.last} is ${last.hash}, here it is ${hash ?? "missing"}`,
    );
  if (manifest.segments[0]?.first !== index.firstBlock)
    throw new PruneRefusedError(
      `the lake begins with block ${manifest.segments[0]?.first}, the index with ${index.firstBlock}: write a lake with this chain file`,
    );
}

async function compare(
  { db, say }: PruneSetting,
  { foldSchema }: FinalIndex,
  { segments, lakeRows }: { segments: readonly SegmentEntry[]; lakeRows: LakeRows },
): Promise<void> {
  removeLeftovers(tmpdir(), WORK);
  const folder = await mkdtemp(join(tmpdir(), `${ownName(WORK)}-`));
  const duck = await openDuck(folder);
  try {
    for (const segment of segments) {
      const difference = await differenceOf({ db, foldSchema, duck, lakeRows, folder }, segment);
      if (difference !== undefined)
        throw new PruneRefusedError(`nothing is pruned, as the lake is not what PostgreSQL has: ${difference}`);
      say(`blocks ${segment.first} to ${segment.last}: the lake has every row`);
    }
  } finally {
    duck.close();
    await rm(folder, { recursive: true, force: true });
  }
}
