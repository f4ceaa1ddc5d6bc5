// The files of one segment, written aside: facts and findings read for it, histories cut from what is staged.
import { rm } from "node:fs/promises";
import type { Sql } from "postgres";
import { everyFactTable } from "../core/fact-tables.ts";
import {
  type Dataset,
  type FactColumns,
  factDataset,
  factText,
  findingDatasets,
  historyDatasets,
} from "../core/lake/datasets.ts";
import type { Segment } from "../core/lake/segments.ts";
import { withFacts } from "../fold/facts-reader.ts";
import { blockColumn } from "../fold/recent-facts.ts";
import { quoted } from "../fold/tables.ts";
import { copyOut } from "./copy-out.ts";
import { csvRows, type Duck } from "./duck.ts";
import { type MadeFile, makeFile } from "./made-file.ts";
import type { FinalIndex } from "./read-index.ts";
import type { StagedHistories } from "./staged-histories.ts";

/** Facts per locked read, small enough to end well within a second. */
const READ_FACTS = 50_000;

export interface SegmentSource {
  duck: Duck;
  facts: Sql;
  index: FinalIndex;
  factColumns: ReadonlyMap<string, FactColumns>;
  /** Undefined where no history is wanted. */
  staged: StagedHistories | undefined;
  /** The folder of what is being written. */
  folder: string;
}

export const everyDataset = (factColumns: ReadonlyMap<string, FactColumns>): Dataset[] => [
  ...everyFactTable.map((table) => factDataset(table, factColumns.get(table) ?? [])),
  ...historyDatasets.flatMap(({ closed, open }) => [closed, open]),
  ...findingDatasets,
];

/** Those datasets of `wanted` that have rows there. */
export async function makeSegment(
  source: SegmentSource,
  segment: Segment,
  wanted: (dataset: string) => boolean = () => true,
): Promise<MadeFile[]> {
  const made: (MadeFile | undefined)[] = [];
  for (const table of everyFactTable) if (wanted(table)) made.push(await makeFacts(source, segment, table));
  for (const of of historyDatasets)
    for (const which of ["closed", "open"] as const) {
      const dataset = of[which];
      const from = wanted(dataset.name) ? source.staged?.[which](of, segment) : undefined;
      if (from !== undefined) made.push(await makeFile(source.duck, { dataset, segment, from, folder: source.folder }));
    }
  for (const finding of findingDatasets) {
    const fold = quoted(source.index.foldSchema);
    const text = finding.text({ fold, first: segment.first, last: segment.last });
    if (wanted(finding.name)) made.push(await makeFrom(source, { segment, dataset: finding }, (add) => add(text)));
  }
  return made.filter((file) => file !== undefined);
}

type Add = (text: string) => Promise<void>;

/** A file of rows that PostgreSQL gives in any order, by as many SELECTs as `read` adds. */
async function makeFrom(
  { duck, facts, folder }: SegmentSource,
  { dataset, segment }: { dataset: Dataset; segment: Segment },
  read: (add: Add) => Promise<void>,
): Promise<MadeFile | undefined> {
  const files: string[] = [];
  const add: Add = (text) =>
    copyOut(facts, text, {
      folder,
      name: `${dataset.name}-${files.length}`,
      take: async (file) => void files.push(file),
    });
  await read(add);
  if (files.length === 0) return undefined;
  const made = await makeFile(duck, { dataset, segment, from: csvRows(files, dataset.columns), folder });
  for (const file of files) await rm(file, { force: true });
  return made;
}

async function makeFacts(source: SegmentSource, segment: Segment, table: string): Promise<MadeFile | undefined> {
  const { facts, index, factColumns } = source;
  const columns = factColumns.get(table) ?? [];
  const schema = quoted(index.ponderSchema);
  return makeFrom(source, { segment, dataset: factDataset(table, columns) }, async (add) => {
    for (let first = segment.first; first <= segment.last; )
      first = await withFacts(facts, index.ponderSchema, async () => {
        const last = await lastOfRead(facts, `${schema}.${table}`, {
          column: blockColumn(table),
          first,
          last: segment.last,
        });
        await add(factText(table, columns, { schema, first, last }));
        return last + 1;
      });
  });
}

/** The last whole block such that a read from `first` on has about {@link READ_FACTS} rows. */
async function lastOfRead(
  db: Sql,
  table: string,
  { column, first, last }: { column: string } & Segment,
): Promise<number> {
  const [row] = await db.unsafe(
    `select ${column} as block from ${table} where ${column} between ${first} and ${last}
      order by ${column} offset ${READ_FACTS} limit 1`,
  );
  return row === undefined ? last : Math.max(first, Number(row.block) - 1);
}
