// Rows of histories on their way from PostgreSQL into segments: read once, however many segments are cut from them.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "postgres";
import { holdings } from "../core/history/histories.ts";
import type { LakeColumn } from "../core/lake/columns.ts";
import { type HistoryDatasets, historyText } from "../core/lake/datasets.ts";
import type { Segment } from "../core/lake/segments.ts";
import { literal } from "../core/sql-literal.ts";
import { quoted } from "../fold/tables.ts";
import { copyOut } from "./copy-out.ts";
import { csvRows, type Duck, listedNames, parquetText } from "./duck.ts";
import { remadeText, UNTIL } from "./quarantined-rows.ts";
import type { FinalIndex } from "./read-index.ts";

export interface Connections {
  /** In a transaction that sees one state of the index. */
  snapshot: Sql;
  /** For facts, in short transactions beside it. */
  facts: Sql;
}

export interface StageRange {
  /** Rows that ended in this block or before are not needed. */
  after: number;
  /** Nor are those that begin after this one. */
  upTo: number;
  /** The first segment that is cut from them ends with this block. */
  firstLast: number;
}

export interface StagedHistories {
  /** DuckDB's FROM item of the rows of a segment that ended in it, or that hold at its end; undefined: there are none. */
  closed(datasets: HistoryDatasets, segment: Segment): string | undefined;
  open(datasets: HistoryDatasets, segment: Segment): string | undefined;
}

const stagedColumns = ({ closed }: HistoryDatasets): LakeColumn[] => [...closed.columns, UNTIL];

/**
 * Copies the rows that segments of `range` need into files below `folder`. `index` was read in the snapshot, which has no rows of
 * assets that broke up to the index's last final block.
 */
export async function stageHistories(
  { duck, connections, index, folder }: { duck: Duck; connections: Connections; index: FinalIndex; folder: string },
  histories: readonly HistoryDatasets[],
  range: StageRange,
): Promise<StagedHistories> {
  const { snapshot, facts } = connections;
  const files = new Map<HistoryDatasets, string[]>();
  const keep = async (datasets: HistoryDatasets, db: Sql, text: string) => {
    const parts = files.get(datasets) ?? [];
    files.set(datasets, parts);
    const columns = stagedColumns(datasets);
    await copyOut(db, text, {
      folder,
      name: datasets.history.name,
      async take(csv) {
        const part = join(folder, `${datasets.history.name}-${parts.length}.parquet`);
        await duck.run(parquetText(`select ${listedNames(columns)} from ${csvRows([csv], columns)}`, part));
        parts.push(part);
        await rm(csv);
      },
    });
  };
  const fold = quoted(index.foldSchema);
  for (const datasets of histories) {
    const text = historyText(datasets.history, { fold, after: range.after, upTo: range.upTo });
    await keep(datasets, snapshot, `select h.*, null::int4 from (${text}) h`);
  }
  const ofHoldings = histories.find(({ history }) => history === holdings);
  const remade = ofHoldings && (await remadeText(facts, index, range.firstLast));
  if (ofHoldings && remade !== undefined) await keep(ofHoldings, facts, remade);
  return fromItems(files);
}

function fromItems(files: ReadonlyMap<HistoryDatasets, readonly string[]>): StagedHistories {
  const rows = (datasets: HistoryDatasets, condition: string): string | undefined => {
    const parts = files.get(datasets) ?? [];
    if (parts.length === 0) return undefined;
    return `(select * from read_parquet([${parts.map(literal).join(", ")}]) where ${condition})`;
  };
  const isThere = ({ last }: Segment) => `(${UNTIL.name} is null or ${UNTIL.name} > ${last})`;
  return {
    closed: (datasets, segment) =>
      rows(datasets, `to_block between ${segment.first} and ${segment.last} and ${isThere(segment)}`),
    open: (datasets, segment) =>
      rows(
        datasets,
        `from_block <= ${segment.last} and (to_block is null or to_block > ${segment.last}) and ${isThere(segment)}`,
      ),
  };
}

/** Empties the folder of what is being written, which a killed process may have left. */
export async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
