// Loads intervals of pruned blocks back from the lake into the tables that they came from, so that the same statements answer, and puts
// them away again. A range has every interval that holds in one of its blocks: those that ended in it or in any pruned block after it.
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { holdings } from "../../core/history/histories.ts";
import { type HistoryDatasets, intervalRows } from "../../core/lake/datasets.ts";
import { chainFolder } from "../../core/lake/paths.ts";
import { writeCopy } from "../../database/copies.ts";
import { isOfBroken } from "../../fold/holdings/quarantine.ts";
import { quoted } from "../../fold/tables.ts";
import { HistoryUnavailableError, type MissedBlocks } from "../../gateway/lake/lake-errors.ts";
import { ownName, removeLeftovers } from "../../machine/leftovers.ts";
import { CSV_NULL } from "../copy-out.ts";
import { type Duck, openDuck } from "../duck.ts";
import { readManifest, type SegmentEntry } from "../manifest.ts";
import { type FinalIndex, readBlockHash, readFinalIndex } from "../read-index.ts";
import { deleteAway } from "./delete-rows.ts";
import { LakeRows } from "./lake-rows.ts";
import { inTurn, type PrunedRange, prunable, rangeOf, readPruned } from "./pruned-blocks.ts";

export interface LoaderSetting {
  /** Of one connection. */
  db: Sql;
  chainId: number;
  /** The lake's folder; that of the chain lies in it. */
  lake: string;
  /** What is loaded is put away after this time, and the oldest sooner where there are more rows than this. */
  keep: { seconds: number; rows: number };
  say: (line: string) => void;
}

/** A token broke while its rows were on their way. */
class HasBrokenError extends Error {
  override name = "HasBrokenError";
}

const NOT_NULL = "23502";
const WORK = "tidemark-load";

export class HistoryLoader {
  readonly #setting: LoaderSetting;
  readonly #lakeRows: LakeRows;
  /** One load after the other: they share a connection. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(setting: LoaderSetting) {
    this.#setting = setting;
    this.#lakeRows = new LakeRows(chainFolder(setting.lake, setting.chainId));
  }

  /**
   * Resolves when the intervals that states at the ends of these blocks need are in PostgreSQL.
   * @throws HistoryUnavailableError, HistoryDamagedError; what PostgreSQL and the disk say
   */
  load(range: MissedBlocks): Promise<void> {
    return this.#after(() => this.#load(range));
  }

  /** Puts away what was loaded long ago, and deletes what a killed process has left. */
  tidy(): Promise<void> {
    return this.#after(() => this.#tidy());
  }

  #after(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #load(range: MissedBlocks): Promise<void> {
    const { db, chainId, say } = this.#setting;
    const index = await readFinalIndex(db, chainId);
    if (!index) throw new HistoryUnavailableError(range, "there is no index that can be read");
    const pruned = await readPruned(db, index.foldSchema);
    const away = pruned.filter(
      ({ first, last, loadedAt }) => loadedAt === null && first <= range.last && last >= range.first,
    );
    if (away.length === 0) return;
    const segments = await this.#segments(range, index, pruned);
    for (const one of away) {
      const begun = performance.now();
      const rows = await this.#loadRange(one, index, segments);
      say(
        `blocks ${Math.max(one.first, 0)} to ${one.last}: ${rows} rows loaded in ${Math.round(performance.now() - begun)} ms`,
      );
    }
    await this.#putAway(index, away);
  }

  /** The segments of all pruned blocks. */
  async #segments(range: MissedBlocks, index: FinalIndex, pruned: readonly PrunedRange[]): Promise<SegmentEntry[]> {
    const manifest = await readManifest(this.#lakeRows.folder);
    if (!manifest)
      throw new HistoryUnavailableError(range, "there is no lake where LAKE says: put a copy of it back there");
    const last = pruned.at(-1)?.last ?? -1;
    const segments = manifest.segments.filter((segment) => rangeOf(segment).last <= last);
    const newest = segments.at(-1);
    const isWhole = segments.length === pruned.length && newest !== undefined && rangeOf(newest).last === last;
    if (!isWhole || (await readBlockHash(this.#setting.db, index, newest.last)) !== newest.hash)
      throw new HistoryUnavailableError(
        range,
        "the lake where LAKE says is not the one that they were pruned to: put a copy of that one back there",
      );
    return segments;
  }

  async #loadRange(range: MissedBlocks, index: FinalIndex, segments: readonly SegmentEntry[]): Promise<number> {
    const folder = await mkdtemp(join(tmpdir(), `${ownName(WORK)}-`));
    const duck = await openDuck(folder);
    try {
      const staged = await this.#stage({ duck, folder }, range, segments);
      for (;;)
        try {
          const rows = await this.#insert(range, index, staged);
          for (const of of staged) await this.#setting.db.unsafe(`drop table ${stagedTable(of)}`);
          return rows;
        } catch (error) {
          if (!(error instanceof HasBrokenError)) throw asUnavailable(error, range);
        }
    } finally {
      duck.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Into temporary tables. Resolves to those histories that have rows. */
  async #stage(
    { duck, folder }: { duck: Duck; folder: string },
    { first, last }: MissedBlocks,
    segments: readonly SegmentEntry[],
  ): Promise<HistoryDatasets[]> {
    const { db } = this.#setting;
    const needed = segments.filter((segment) => segment.last > first);
    const staged: HistoryDatasets[] = [];
    for (const of of prunable) {
      const csv = join(folder, `${of.history.name}.csv`);
      if (!(await this.#lakeRows.writeBegun(duck, { of, segments: needed, last, csv }))) continue;
      const columns = of.closed.columns.map(({ name, type }) => `"${name}" ${type === "INTEGER" ? "int4" : "text"}`);
      await db.unsafe(
        `drop table if exists ${stagedTable(of)}; create temp table ${stagedTable(of)} (${columns.join(", ")})`,
      );
      const copy = `copy ${stagedTable(of)} from stdin (format csv, null '${CSV_NULL}')`;
      await writeCopy(db, copy, createReadStream(csv));
      await rm(csv);
      await db.unsafe(`analyze ${stagedTable(of)}`);
      staged.push(of);
    }
    return staged;
  }

  /** Inserts the rows and marks the range as loaded, together. @throws HasBrokenError when both must be tried again */
  async #insert(range: MissedBlocks, index: FinalIndex, staged: readonly HistoryDatasets[]): Promise<number> {
    const { db } = this.#setting;
    const fold = quoted(index.foldSchema);
    return inTurn(db, index.foldSchema, async () => {
      const before = await brokenCount(db, fold);
      let rows = 0;
      for (const of of staged) {
        const { name } = of.history;
        const where = of.history === holdings ? `not exists (${brokenText(fold)} and ${isOfBroken("r")})` : "true";
        const columns = [...Object.keys({ ...of.history.key, ...of.history.values }), "from_block", "to_block", "lvl"];
        const text = intervalRows(of.history, { fold, relation: stagedTable(of), where });
        const { count } = await db.unsafe(
          `insert into ${fold}.${name}_interval (${columns.join(", ")}) ${text} on conflict do nothing`,
        );
        rows += count;
      }
      // the fold deletes its rows of a token that breaks: either it sees these rows, or we see that the token has broken
      await db.unsafe(`select from ${fold}.meta for share`);
      if ((await brokenCount(db, fold)) !== before) throw new HasBrokenError();
      await db`update tidemark.pruned set loaded_at = now(), rows = ${rows} where fold = ${fold} and first = ${range.first}`;
      return rows;
    });
  }

  async #tidy(): Promise<void> {
    removeLeftovers(tmpdir(), WORK);
    const index = await readFinalIndex(this.#setting.db, this.#setting.chainId);
    if (index) await this.#putAway(index, []);
  }

  /** Puts away what is old or too much, except the ranges in `but`, which were just loaded. */
  async #putAway(index: FinalIndex, but: readonly MissedBlocks[]): Promise<void> {
    const { db, keep, say } = this.#setting;
    const fold = quoted(index.foldSchema);
    const loaded = (await readPruned(db, index.foldSchema)).filter(({ loadedAt }) => loadedAt !== null);
    loaded.sort((a, b) => Number(a.loadedAt) - Number(b.loadedAt));
    const [clock] = await db<{ now: Date }[]>`select now() as now`;
    let rows = loaded.reduce((sum, one) => sum + one.rows, 0);
    for (const one of loaded) {
      const isOld = Number(clock?.now) - Number(one.loadedAt) > keep.seconds * 1_000;
      if ((!isOld && rows <= keep.rows) || but.some(({ first }) => first === one.first)) continue;
      rows -= one.rows;
      await inTurn(
        db,
        index.foldSchema,
        () => db`update tidemark.pruned set loaded_at = null, rows = 0, is_deleted = false
                  where fold = ${fold} and first = ${one.first}`,
      );
      say(`blocks ${Math.max(one.first, 0)} to ${one.last}: put away`);
    }
    await deleteAway(db, index.foldSchema);
  }
}

const stagedTable = ({ history }: HistoryDatasets): string => `pg_temp.loaded_${history.name}`;

/** SELECT text of tokens (asset `t` of quarantine `q`) of which PostgreSQL has nothing any more. */
const brokenText = (fold: string): string =>
  `select from ${fold}.quarantine q join ${fold}.asset t on t.id = q.asset cross join ${fold}.meta m where q.block <= m.finalized`;

async function brokenCount(db: Sql, fold: string): Promise<number> {
  const [row] = await db.unsafe(`select count(*)::int as count from (${brokenText(fold)}) b`);
  return Number(row?.count);
}

function asUnavailable(error: unknown, range: MissedBlocks): unknown {
  const isUnknown = error instanceof Error && "code" in error && error.code === NOT_NULL;
  if (!isUnknown) return error;
  return new HistoryUnavailableError(range, "the lake names contracts that this index does not know");
}
