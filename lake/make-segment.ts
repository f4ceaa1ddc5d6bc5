// The files of one segment, written aside: facts and findings read for it, histories cut from what is staged.
import { rm } from "node:fs/promises";
import type { Sql } from "postgres";
import { blockColumn, everyFactTable } from "../core/fact-tables.ts";
import {
  type Dataset,
  type FactColumns,
  factDataset,
  factText,
  findingDatasets,
  type HistoryDatasets,
  historyDatasets,
  priceDataset,
} from "../core/lake/datasets.ts";
import type { Segment } from "../core/lake/segments.ts";
import { READ_FACTS, tablesWithFacts, withFacts } from "../fold/facts/facts-reader.ts";
import { quoted } from "../fold/tables.ts";
import { copyOut } from "./copy-out.ts";
import { csvRows, type Duck } from "./duck.ts";
import { type ReadPrices, writePrices } from "./hour-prices.ts";
import { type MadeFile, makeFile } from "./made-file.ts";
import type { FinalIndex } from "./read-index.ts";
import type { StagedHistories } from "./staged-histories.ts";

export interface SegmentSource {
  duck: Duck;
  facts: Sql;
  index: FinalIndex;
  factColumns: ReadonlyMap<string, FactColumns>;
  /** Undefined where no history is wanted. */
  staged: StagedHistories | undefined;
  readPrices: ReadPrices;
  /** The folder of what is being written. */
  folder: string;
}

export const everyDataset = (factColumns: ReadonlyMap<string, FactColumns>): Dataset[] => [
  ...everyFactTable.map((table) => factDataset(table, factColumns.get(table) ?? [])),
  ...historyDatasets.flatMap(({ closed, open }) => [closed, open]),
  ...findingDatasets,
  priceDataset,
];

/** Makes those datasets of `wanted` that have rows there. @throws NotYetError while a price is still to come */
export async function makeSegment(
  source: SegmentSource,
  segment: Segment,
  wanted: (dataset: string) => boolean = () => true,
): Promise<MadeFile[]> {
  const made: (MadeFile | undefined)[] = [];
  // first what may have to be waited for
  if (wanted(priceDataset.name)) made.push(await makePrices(source, segment));
  const touched = await tablesTouched(source, segment);
  for (const table of everyFactTable)
    if (touched.has(table) && wanted(table)) made.push(await makeFacts(source, segment, table));
  for (const datasets of historyDatasets)
    for (const which of ["closed", "open"] as const)
      if (wanted(datasets[which].name)) made.push(await makeRows(source, segment, { datasets, which }));
  for (const dataset of findingDatasets) {
    const place = { fold: quoted(source.index.foldSchema), ...segment };
    if (wanted(dataset.name))
      made.push(await makeFrom(source, { segment, dataset }, (add) => add(dataset.text(place))));
  }
  return made.filter((file) => file !== undefined);
}

async function makeRows(
  { duck, staged, folder }: SegmentSource,
  segment: Segment,
  { datasets, which }: { datasets: HistoryDatasets; which: "closed" | "open" },
): Promise<MadeFile | undefined> {
  const from = staged?.[which](datasets, segment);
  return from === undefined ? undefined : makeFile(duck, { dataset: datasets[which], segment, from, folder });
}

async function makePrices(source: SegmentSource, segment: Segment): Promise<MadeFile | undefined> {
  const { duck, facts, index, readPrices, folder } = source;
  const csv = await writePrices(
    { db: facts, finalized: index.finalized, fold: index.foldSchema, read: readPrices, folder },
    segment,
  );
  if (csv === undefined) return undefined;
  const made = await makeFile(duck, {
    dataset: priceDataset,
    segment,
    from: csvRows([csv], priceDataset.columns),
    folder,
  });
  await rm(csv, { force: true });
  return made;
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

/** Most segments have facts of a few kinds only: the others' tables are not read one by one. */
const tablesTouched = ({ facts, index }: Pick<SegmentSource, "facts" | "index">, { first, last }: Segment) =>
  withFacts(facts, index.ponderSchema, () =>
    tablesWithFacts(facts, quoted(index.ponderSchema), { after: first - 1, upTo: last }),
  );

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
