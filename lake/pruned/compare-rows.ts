// Whether a segment's files have the very rows that PostgreSQL has: checked before these are deleted.
import { rm } from "node:fs/promises";
import type { Sql } from "postgres";
import { holdings } from "../../core/history/histories.ts";
import { type HistoryDatasets, historyRows } from "../../core/lake/datasets.ts";
import { literal } from "../../core/sql-literal.ts";
import { quoted } from "../../fold/tables.ts";
import { copyOut } from "../copy-out.ts";
import { csvRows, type Duck, listedNames } from "../duck.ts";
import type { SegmentEntry } from "../manifest.ts";
import type { LakeRows } from "./lake-rows.ts";
import { prunable } from "./pruned-blocks.ts";

interface Sides {
  /** Of one connection. */
  db: Sql;
  foldSchema: string;
  duck: Duck;
  lakeRows: LakeRows;
  /** Folder for rows that are being compared. */
  folder: string;
}

/** What differs, for people; undefined: nothing. @throws HistoryDamagedError */
export async function differenceOf(sides: Sides, segment: SegmentEntry): Promise<string | undefined> {
  const { db } = sides;
  await db.unsafe("begin isolation level repeatable read read only");
  try {
    const broken = await brokenText(sides);
    for (const of of prunable) {
      const found = await differenceIn(sides, segment, { of, broken });
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    await db.unsafe("rollback");
  }
}

/** DuckDB's condition on holdings: PostgreSQL has nothing of the token any more, as its ledger is impossible. */
async function brokenText({ db, foldSchema }: Sides): Promise<string> {
  const s = quoted(foldSchema);
  const rows = await db.unsafe<{ kind: string; key: string }[]>(`
    select a.kind, '0x' || encode(a.key, 'hex') as key
      from ${s}.quarantine q join ${s}.asset a on a.id = q.asset cross join ${s}.meta m where q.block <= m.finalized`);
  const conditions = rows.flatMap(({ kind, key }) => [
    `ledger = ${literal(kind)} and token = ${literal(key)}`,
    ...(kind === "erc20" ? [`ledger = 'supply' and account = ${literal(key)}`] : []),
  ]);
  return conditions.map((condition) => `(${condition})`).join(" or ") || "false";
}

async function differenceIn(
  { db, foldSchema, duck, lakeRows, folder }: Sides,
  segment: SegmentEntry,
  { of, broken }: { of: HistoryDatasets; broken: string },
): Promise<string | undefined> {
  const { history, closed } = of;
  const fold = quoted(foldSchema);
  const columns = listedNames(closed.columns);
  const files: string[] = [];
  const text = historyRows(history, {
    fold,
    fromBlock: "r.from_block",
    toBlock: "r.to_block",
    relation: `(select * from ${fold}.${history.name}_interval where to_block between ${segment.first} and ${segment.last})`,
  });
  await copyOut(db, text, { folder, name: `here-${history.name}`, take: async (file) => void files.push(file) });
  const inLake = await lakeRows.closedRows(of, [segment]);
  const empty = `(select ${closed.columns.map(({ name, type }) => `null::${type} as "${name}"`).join(", ")} where false)`;
  const here = files.length === 0 ? empty : csvRows(files, closed.columns);
  const there = inLake ?? empty;
  const unless = history === holdings ? broken : "false";
  const [found] = await duck.rows(`
    with here as materialized (select ${columns} from ${here}), there as materialized (select ${columns} from ${there})
    select (select count(*) from (from here except all from there))::INTEGER as missing,
           (select count(*) from (from there except all from here) where not (${unless}))::INTEGER as more`);
  for (const file of files) await rm(file, { force: true });
  const { missing, more } = found ?? {};
  if (Number(missing) === 0 && Number(more) === 0) return undefined;
  return `${closed.name} of blocks ${segment.first} to ${segment.last}: ${missing} rows of PostgreSQL are not in the lake, ${more} of the lake not in PostgreSQL`;
}
