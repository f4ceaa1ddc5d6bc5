// One picture of Ponder's tables: how far it is, its newest blocks, and all facts of those that come next, as of one moment.
import type { Sql } from "postgres";
import { type PonderProgress, progressOf, withFacts } from "../facts-reader.ts";
import { blockColumn, eventTables, recentSchema } from "../recent-facts.ts";
import { quoted } from "../tables.ts";
import { type FactBlock, type NextBlocks, nextBlocks, type OwnBranch } from "./branch.ts";

/** More facts than this are not taken at once, unless one block has them. */
const MOST_FACTS = 20_000;

export interface Picture {
  progress: PonderProgress;
  next: NextBlocks;
  /** Hashes of the blocks that come next. */
  blocks: FactBlock[];
  /** The facts of those blocks by table, as JSON arrays; tables without any are left out. */
  facts: ReadonlyMap<string, string>;
  /** How many facts that is. */
  count: number;
  /** Of blocks that both have, Ponder's facts are not those that were copied. */
  hasOtherFacts: boolean;
}

interface Request {
  ours: OwnBranch;
  /** Blocks above it are left for later. */
  most?: number;
  /** Compare the facts of the blocks that both have, up to this one. */
  compareUpTo?: number | undefined;
}

type Schemas = { ponder: string; fold: string };

/** Undefined while Ponder has no checkpoint yet. */
export function takePicture(db: Sql, schemas: Schemas, request: Request): Promise<Picture | undefined> {
  return withFacts(db, schemas.ponder, async () => {
    const { ours, most = Number.POSITIVE_INFINITY, compareUpTo } = request;
    const progress = await progressOf(db, schemas.ponder);
    if (progress === undefined) return undefined;
    const theirs = await db.unsafe<FactBlock[]>(
      `select number, hash from ${quoted(schemas.ponder)}.block where number > $1::int4 order by number`,
      [ours.finalized],
      { prepare: true },
    );
    const seen = theirs.filter(({ number }) => number <= most);
    const hasOtherFacts =
      compareUpTo !== undefined && (await differ(db, schemas, { after: ours.finalized, upTo: compareUpTo }));
    const next = nextBlocks(ours, seen);
    const copied = await copyFacts(db, schemas.ponder, next);
    const upTo = copied.upTo;
    return {
      ...{ progress, hasOtherFacts, facts: copied.facts, count: copied.count },
      next: { ...next, upTo },
      blocks: seen.filter(({ number }) => number > next.common && number <= upTo),
    };
  });
}

interface Range {
  after: number;
  upTo: number;
}

const countsText = (schema: string): string =>
  `select array[${eventTables
    .map((table) => `(select count(*) from ${schema}.${table} where block > $1::int4 and block <= $2::int4)`)
    .join(", ")}]::int4[] as counts`;

async function countFacts(db: Sql, schema: string, { after, upTo }: Range): Promise<number[]> {
  const [row] = await db.unsafe(countsText(schema), [after, upTo], { prepare: true });
  return row?.counts ?? [];
}

async function differ(db: Sql, { ponder, fold }: Schemas, range: Range): Promise<boolean> {
  const theirs = await countFacts(db, quoted(ponder), range);
  const ours = await countFacts(db, quoted(recentSchema(fold)), range);
  return theirs.some((count, i) => count !== ours[i]);
}

async function copyFacts(db: Sql, ponder: string, { common, upTo }: NextBlocks) {
  if (upTo === common) return { upTo, facts: new Map<string, string>(), count: 0 };
  const p = quoted(ponder);
  let last = upTo;
  let counts = await countFacts(db, p, { after: common, upTo: last });
  const sum = () => counts.reduce((all, one) => all + one, 0);
  while (sum() > MOST_FACTS && last > common + 1) {
    last = common + Math.max(1, Math.floor(((last - common) * MOST_FACTS) / sum()));
    counts = await countFacts(db, p, { after: common, upTo: last });
  }
  const touched = ["block", ...eventTables.filter((_, i) => (counts[i] ?? 0) > 0)];
  const texts = touched.map(
    (table) =>
      `(select json_agg(f)::text from ${p}.${table} f where ${blockColumn(table)} > ${common} and ${blockColumn(table)} <= ${last}) as ${table}`,
  );
  const [row] = await db.unsafe<Record<string, string>[]>(`select ${texts.join(", ")}`);
  return { upTo: last, facts: new Map(Object.entries(row ?? {})), count: sum() };
}
