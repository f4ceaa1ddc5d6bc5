// One picture of Ponder's tables: how far it is, its newest blocks, and all facts of those that come next, as of one moment.
import { buffer } from "node:stream/consumers";
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { blockColumn } from "../../core/fact-tables.ts";
import { readCopy } from "../../database/copies.ts";
import type { Schemas } from "../facts/fact-source.ts";
import { type PonderProgress, progressOf, withFacts } from "../facts/facts-reader.ts";
import { quoted } from "../tables.ts";
import { type FactBlock, type NextBlocks, nextBlocks, type OwnBranch } from "./branch.ts";
import { type CountedFacts, countFacts, firstWithOtherFacts } from "./fact-counts.ts";

/** More facts than this are not taken at once, unless one block has them; nor more blocks. */
const MOST_FACTS = 20_000;
const MOST_BLOCKS = 1_000;

export interface Picture {
  progress: PonderProgress;
  next: NextBlocks;
  /** Hashes of the blocks that come next. */
  blocks: FactBlock[];
  /** The facts of those blocks by table, in COPY's text format; tables without any are left out. */
  facts: ReadonlyMap<string, Buffer>;
  counts: CountedFacts;
  /** The first block that both have, but with other facts than were copied. */
  distrusted: number | undefined;
  /** Some final blocks are not folded yet: they are folded in sets, once those before them are final here too. */
  isInSets: boolean;
}

interface Request {
  ours: OwnBranch;
  /** Blocks above it are left for later. */
  most?: number;
  /** Compare the facts of all blocks that both have, not only of those that have become final. */
  isToCompare?: boolean;
}

/** Undefined while Ponder has no checkpoint yet. */
export function takePicture(db: Sql, schemas: Schemas, request: Request): Promise<Picture | undefined> {
  return withFacts(db, schemas.ponder, async () => {
    const { ours, most = Number.POSITIVE_INFINITY, isToCompare = false } = request;
    const progress = await progressOf(db, schemas.ponder);
    if (progress === undefined) return undefined;
    const theirs = await db.unsafe<FactBlock[]>(
      `select number, hash from ${quoted(schemas.ponder)}.block where number > $1::int4 and number <= $2::int4 order by number`,
      [ours.finalized, ours.head + MOST_BLOCKS],
      { prepare: true },
    );
    const shared = theirs.filter(({ number, hash }) => ours.hashes.get(number) === hash);
    const compared = isToCompare ? shared : shared.filter(({ number }) => number <= progress.foldableUpTo);
    const distrusted = await firstWithOtherFacts(db, schemas, compared);
    const all = nextBlocks({ ...ours, distrusted }, theirs);
    const isInSets = progress.foldableUpTo > ours.head && !all.isFork;
    const next = upToMost(all, isInSets ? all.common : most);
    const copied = await copyFacts(db, schemas.ponder, next);
    const { upTo } = copied;
    const blocks = theirs.filter(({ number }) => number > next.common && number <= upTo);
    return { progress, ...copied, next: { ...next, upTo }, blocks, distrusted, isInSets };
  });
}

function upToMost(next: NextBlocks, most: number): NextBlocks {
  if (next.upTo <= most) return next;
  return most > next.common ? { ...next, upTo: most } : { ...next, upTo: next.common, isFork: false };
}

async function copyFacts(db: Sql, ponder: string, { common, upTo }: NextBlocks) {
  const facts = new Map<string, Buffer>();
  if (upTo === common) return { upTo, facts, counts: { blocks: new Map(), tables: [] } };
  const counts = await countFacts(db, ponder, { after: common, upTo });
  const last = lastOfFew(counts, { after: common, upTo });
  for (const table of ["block", ...counts.tables]) {
    const column = blockColumn(table);
    const query = `select * from ${quoted(ponder)}.${table} where ${column} > ${common} and ${column} <= ${last}`;
    const rows = await readCopy(db, `copy (${query}) to stdout`, buffer);
    if (rows.length > 0) facts.set(table, rows);
  }
  return { upTo: last, facts, counts };
}

/** The last block up to which there are not too many facts; the first one at least. */
function lastOfFew({ blocks }: CountedFacts, { after, upTo }: BlocksAfter): number {
  let last = after + 1;
  let sum = blocks.get(last)?.total ?? 1;
  while (last < upTo) {
    sum += blocks.get(last + 1)?.total ?? 1;
    if (sum > MOST_FACTS) break;
    last += 1;
  }
  return last;
}
