// What is newer than the lake's last segment, loaded from PostgreSQL into DuckDB whenever the head has changed: what became final
// since the last time is added, and what may still be replaced is loaded anew.
import { rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { islands } from "../core/history/histories.ts";
import { requireIntervals } from "../core/history/pruned.ts";
import type { LakeColumn } from "../core/lake/columns.ts";
import { type Dataset, type FactColumns, factText, findingDatasets, historyDatasets } from "../core/lake/datasets.ts";
import { literal } from "../core/sql-literal.ts";
import { prunedRangeOf } from "../gateway/lake/lake-errors.ts";
import { SqlDamagedError } from "../gateway/sql/sql-errors.ts";
import { csvRows, named } from "../lake/duck.ts";
import { type IndexHead, type IndexView, isSameState } from "./index-reader.ts";
import { factDatasets, tokensDataset, typedNames } from "./tables.ts";
import { begunText, endedText, isAnyText, NAMES_TEXT, nearText, QUARANTINE_TEXT } from "./tail-texts.ts";

/** What the tables hold. */
interface Loaded {
  head: IndexHead;
  /** The lake's last block when they were loaded. */
  lakeLast: number;
}

interface Load {
  connection: DuckDBConnection;
  view: IndexView;
  columns: ReadonlyMap<string, FactColumns>;
  lakeLast: number;
}

export class Tail {
  /** Where rows are on their way from PostgreSQL. */
  readonly #folder: string;
  #loaded: Loaded | undefined;
  #files = 0;
  /** Tables of schema `near` that have rows; those that a load fills count once it was committed, as one that fails changes none. */
  #filled: ReadonlySet<string> = new Set();
  #filling = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether the tables are of this head and of a lake that ends with this block. */
  isOf(head: IndexHead, lakeLast: number): boolean {
    if (this.#loaded === undefined) return false;
    const { head: before, lakeLast: last } = this.#loaded;
    const isSame = before.hash === head.hash && before.block === head.block && before.finalized === head.finalized;
    return isSame && isSameState(before, head) && last === lakeLast;
  }

  /** Inside the caller's transaction of `load.connection`; {@link took} says that it was committed. */
  async load(load: Load): Promise<void> {
    const { view, lakeLast } = load;
    const before = this.#loaded;
    // an index made anew has other rows; where the chain was cut back, even final ones differ; and a lake that ends earlier than it did,
    // such as one that is written anew, no longer has rows that the tail had left to it
    const isAnew =
      before === undefined ||
      before.head.index !== view.head.index ||
      before.head.finalized > view.head.finalized ||
      before.lakeLast > lakeLast;
    const after = isAnew || before.head.finalized < lakeLast ? lakeLast : before.head.finalized;
    if (isAnew || before.lakeLast !== lakeLast) await this.#trim(load, isAnew ? undefined : lakeLast);
    const isRevised = before?.head.revision !== view.head.revision;
    try {
      await this.#addFinal(load, { after, isRevised: isRevised && !isAnew });
    } catch (error) {
      if (prunedRangeOf(error) === undefined) throw error;
      throw new SqlDamagedError(
        "manifest.json",
        "is missing, or ends before blocks that PostgreSQL does not have any more",
        "Put another copy of the lake in its place: nothing else has these blocks",
      );
    }
    await this.#loadNear(load);
    await this.#refill(load, "inside.quarantine", QUARANTINE_TEXT(view.fold));
    if (isRevised || isAnew) await this.#refill(load, "inside.names", NAMES_TEXT(view.fold));
    const { block, hash, timestamp, finalized, firstBlock } = view.head;
    await load.connection.run(`
      create or replace table inside.head as select ${block}::INTEGER as block, ${literal(hash)} as hash, ${timestamp}::INTEGER as "timestamp",
        ${finalized}::INTEGER as finalized, ${firstBlock}::INTEGER as first_block, ${lakeLast}::INTEGER as lake_last`);
  }

  took(head: IndexHead, lakeLast: number): void {
    this.#loaded = { head, lakeLast };
    this.#filled = this.#filling;
  }

  /** Everything is to be loaded again. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** Drops what the lake has itself by now; all where `last` is undefined. */
  async #trim({ connection, columns }: Load, last: number | undefined): Promise<void> {
    const keep = async (table: string, column: string) => {
      const where = last === undefined ? "false" : `${named(column)} > ${last}`;
      await connection.run(`create or replace table ${table} as select * from ${table} where ${where}`);
    };
    for (const { history } of historyDatasets) {
      await keep(`tail.${history.name}_ended`, "to_block");
      await keep(`tail.${history.name}_begun`, "from_block");
    }
    for (const { name, blockColumn } of eventDatasets(columns)) await keep(`tail.${named(name)}`, blockColumn);
  }

  /** Rows of blocks that became final after `after`. */
  async #addFinal(load: Load, { after, isRevised }: { after: number; isRevised: boolean }): Promise<void> {
    const { view, connection, lakeLast } = load;
    const upTo = view.head.finalized;
    // a COPY that fails when it has begun ends the process
    await view.rows(`select ${requireIntervals(view.fold, String(isRevised ? lakeLast : after), String(upTo))}`);
    for (const { history, closed, open } of historyDatasets) {
      // an island that waited for its settings gets its rows later, even those of blocks that were final before
      const isAnew = isRevised && history === islands;
      if (isAnew)
        await connection.run(`delete from tail.${history.name}_ended; delete from tail.${history.name}_begun`);
      const range = { fold: view.fold, after: isAnew ? lakeLast : after, upTo };
      if (range.after >= upTo) continue;
      await this.#add(load, {
        table: `tail.${history.name}_ended`,
        columns: closed.columns,
        text: endedText(history, range),
      });
      await this.#add(load, {
        table: `tail.${history.name}_begun`,
        columns: open.columns,
        text: begunText(history, range),
      });
    }
    if (after < upTo) await this.#addEvents(load, { schema: "tail", first: after + 1, last: upTo });
  }

  async #loadNear(load: Load): Promise<void> {
    const { view, connection, columns } = load;
    const { finalized: after, block: upTo } = view.head;
    const range = { fold: view.fold, after, upTo };
    const rows = historyDatasets.map(({ history, closed }) => ({
      name: `${history.name}_rows`,
      columns: closed.columns,
      text: nearText(history, range),
    }));
    this.#filling = new Set();
    for (const { name, columns: own } of [...rows, ...eventDatasets(columns)])
      if (this.#filled.has(name))
        await connection.run(`create or replace table near.${named(name)} (${typedNames(own)})`);
    const there = await namesWithRows(view, rows);
    for (const { name, columns: own, text } of rows) {
      if (!there.has(name)) continue;
      this.#filling.add(name);
      await this.#add(load, { table: `near.${named(name)}`, columns: own, text });
    }
    await this.#addEvents(load, { schema: "near", first: after + 1, last: upTo });
  }

  /** Facts, and first appearances of tokens. */
  async #addEvents(
    load: Load,
    { schema, first, last }: { schema: string; first: number; last: number },
  ): Promise<void> {
    if (first > last) return;
    const { view, columns } = load;
    const texts = eventDatasets(columns).map(({ name, columns: own }) => ({
      name,
      own,
      text: textOf(name, { columns, fold: view.fold, first, last }),
    }));
    const there = await namesWithRows(view, texts);
    for (const { name, own, text } of texts) {
      if (!there.has(name)) continue;
      if (schema === "near") this.#filling.add(name);
      await this.#add(load, { table: `${schema}.${named(name)}`, columns: own, text });
    }
  }

  async #refill(load: Load, table: string, text: { columns: readonly LakeColumn[]; text: string }): Promise<void> {
    await load.connection.run(`delete from ${table}`);
    await this.#add(load, { table, ...text });
  }

  async #add(
    { connection, view }: Load,
    { table, columns, text }: { table: string; columns: readonly LakeColumn[]; text: string },
  ): Promise<void> {
    this.#files += 1;
    await view.copy(text, {
      folder: this.#folder,
      name: `tail-${process.pid}-${this.#files}`,
      async take(file) {
        try {
          await connection.run(`insert into ${table} select * from ${csvRows([file], columns)}`);
        } finally {
          await rm(file, { force: true });
        }
      },
    });
  }
}

/** One query for all of them, as most have no rows. */
async function namesWithRows(view: IndexView, texts: readonly { name: string; text: string }[]): Promise<Set<string>> {
  const there = await view.rows<{ name: string }>(isAnyText(texts));
  return new Set(there.map(({ name }) => name));
}

interface EventDataset extends Dataset {
  blockColumn: string;
}

const eventDatasets = (columns: ReadonlyMap<string, FactColumns>): EventDataset[] => [
  ...factDatasets(columns).map((one) => ({ ...one, blockColumn: one.name === "block" ? "number" : "block" })),
  ...(tokensDataset ? [{ ...tokensDataset, blockColumn: "first_block" }] : []),
];

interface EventRange {
  columns: ReadonlyMap<string, FactColumns>;
  fold: string;
  first: number;
  last: number;
}

/** The fold's views show the facts of folded blocks, and of none besides. */
function textOf(name: string, { columns, fold, first, last }: EventRange): string {
  const finding = findingDatasets.find((one) => one.name === name);
  return finding
    ? finding.text({ fold, first, last })
    : factText(name, columns.get(name) ?? [], { schema: fold, first, last });
}
