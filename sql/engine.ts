// What answers statements: a locked DuckDB over verified files and the tail, always as of one head of the index.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type FactColumns, historyDatasets } from "../core/lake/datasets.ts";
import { literal } from "../core/sql-literal.ts";
import { SqlDamagedError, type SqlInvalidError, SqlUnavailableError } from "../gateway/sql/sql-errors.ts";
import { SOURCES_CURE, sourcesProblem } from "../lake/continue-lake.ts";
import { namingFolder } from "../lake/folder-error.ts";
import type { Manifest } from "../lake/manifest.ts";
import type { ReadContracts } from "../lake/read-contracts.ts";
import { makeFolder } from "../machine/make-folder.ts";
import { type CatalogPlace, catalogTexts, variableTexts, viewNames } from "./catalog.ts";
import { inTransaction, openDuckdb, rowsOf } from "./duckdb.ts";
import { type IndexHead, type IndexReader, type IndexView, isSameState } from "./index-reader.ts";
import { LakeFiles } from "./lake-files.ts";
import { parseDuckdbError } from "./statement-place.ts";
import { factDatasets, tailTables, typedNames } from "./tables.ts";
import { Tail } from "./tail.ts";

export interface EngineSettings {
  /** Absolute: that of the chain, `<lake>/<chain id>`. */
  lakeFolder: string;
  /** Absolute, of this process alone: emptied at start. */
  workFolder: string;
  /** A file that records which files of the lake were right; it may be shared, and may be lost. */
  recordPath: string;
  memoryMegabytes: number;
  threads: number;
}

/** A connection with its transaction begun: everything read on it is of one head. */
export interface Session {
  connection: DuckDBConnection;
  head: {
    block: number;
    hash: string;
    firstBlock: number;
    lakeLast: number;
    /** Changes with the index, with what it reads from contracts later, and with how often it has taken blocks back. */
    state: string;
  };
  /** Names of the views. */
  names: ReadonlySet<string>;
  /** What the index was made from; undefined where that is not known. */
  contracts: ReadContracts | undefined;
  /** Ends the transaction. A session that broke is not used again. */
  end(isBroken?: boolean): Promise<void>;
}

interface Current {
  head: IndexHead;
  manifest: Manifest | undefined;
  place: CatalogPlace;
  names: ReadonlySet<string>;
  contracts: ReadContracts | undefined;
}

interface Loading {
  view: IndexView;
  columns: ReadonlyMap<string, FactColumns>;
  place: CatalogPlace;
  lakeLast: number;
}

export class Engine {
  readonly #settings: EngineSettings;
  readonly #reader: IndexReader;
  readonly #lake: LakeFiles;
  readonly #tail: Tail;
  readonly #instance: DuckDBInstance;
  readonly #writer: DuckDBConnection;
  #columns: ReadonlyMap<string, FactColumns> | undefined;
  #current: Current | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    settings: EngineSettings,
    reader: IndexReader,
    duckdb: { instance: DuckDBInstance; writer: DuckDBConnection },
  ) {
    this.#settings = settings;
    this.#reader = reader;
    this.#instance = duckdb.instance;
    this.#writer = duckdb.writer;
    this.#lake = new LakeFiles(settings.lakeFolder, settings.recordPath);
    this.#tail = new Tail(settings.workFolder);
  }

  static async open(settings: EngineSettings, reader: IndexReader): Promise<Engine> {
    makeLakeFolder(settings.lakeFolder);
    await rm(settings.workFolder, { recursive: true, force: true });
    makeFolder(settings.workFolder);
    await writeStubs(settings.workFolder);
    const folders = [settings.lakeFolder, settings.workFolder];
    const instance = await openDuckdb({ ...settings, folders });
    return new Engine(settings, reader, { instance, writer: await instance.connect() });
  }

  /**
   * Loads what is new, and begins a session on it. `stays`: blocks that came since the last session began are left for the next one,
   * unless something else in the index has changed.
   * @throws SqlDamagedError, SqlUnavailableError, UnavailableError
   */
  session({ stays = false }: { stays?: boolean } = {}): Promise<Session> {
    return this.#inTurn(async () => {
      const current = await this.#refresh(stays);
      return this.#begin(current);
    });
  }

  /** Writes to tables of the engine's own, between sessions. */
  write<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    return this.#inTurn(() => inTransaction(this.#writer, () => work(this.#writer)));
  }

  /** The head as last loaded. */
  get loaded(): { block: number; hash: string; lakeLast: number } | undefined {
    if (!this.#current) return undefined;
    const { head, manifest } = this.#current;
    return { block: head.block, hash: head.hash, lakeLast: lakeLastOf(manifest, head) };
  }

  async close(): Promise<void> {
    await this.#turn.catch(() => {});
    this.#writer.closeSync();
    this.#instance.closeSync();
    await this.#reader.close();
    await rm(this.#settings.workFolder, { recursive: true, force: true });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  async #refresh(stays: boolean): Promise<Current> {
    const manifest = await this.#lake.verified();
    const head = await this.#reader.head();
    const current = this.#current;
    const isOf = (one: IndexHead) => this.#tail.isOf(one, lakeLastOf(manifest, one));
    if (
      current &&
      current.manifest === manifest &&
      (isOf(head) || (stays && isSameState(current.head, head) && isOf(current.head)))
    )
      return current;
    return this.#load(manifest);
  }

  #load(manifest: Manifest | undefined): Promise<Current> {
    return this.#reader.read(async (view) => {
      const { head } = view;
      const lakeLast = lakeLastOf(manifest, head);
      await requireSameChain(manifest, view);
      requireSameSources(manifest, view);
      const columns = this.#columns ?? (await view.factColumns());
      const facts = factDatasets(columns);
      const place: CatalogPlace = {
        manifest,
        facts,
        folder: this.#settings.lakeFolder,
        stub: (dataset) => stubOf(this.#settings.workFolder, dataset),
      };
      await this.#write({ view, columns, place, lakeLast }).catch((error: unknown) => {
        this.#tail.forget();
        if (parseDuckdbError(error).exception_type !== "Out of Memory") throw error;
        throw new SqlUnavailableError(
          `What is newer than block ${lakeLast}, the lake's last one, does not fit into memory now. Retry in a few seconds; if that does not ` +
            "help, let `npm run lake` catch up, or raise SQL_MEMORY_MB.",
        );
      });
      this.#columns = columns;
      this.#tail.took(head, lakeLast);
      this.#current = { head, manifest, place, names: new Set(viewNames(place)), contracts: view.contracts };
      return this.#current;
    });
  }

  /** Writes all of it or nothing. */
  #write({ view, columns, place, lakeLast }: Loading): Promise<void> {
    return inTransaction(this.#writer, async () => {
      const run = async (texts: readonly string[]) => {
        for (const text of texts) await this.#writer.run(text);
      };
      if (this.#columns === undefined) await run(tailTables(place.facts));
      await this.#tail.load({ connection: this.#writer, view, columns, lakeLast });
      const isSame = this.#current !== undefined && this.#current.manifest === place.manifest;
      if (!isSame) await run([...variableTexts(place, view.head), ...catalogTexts(place)]);
    });
  }

  async #begin({ head, place, names, contracts }: Current): Promise<Session> {
    const connection = await this.#instance.connect();
    try {
      for (const text of variableTexts(place, head)) await connection.run(text);
      await connection.run("begin transaction read only");
      // a transaction's snapshot begins with its first read
      const [row] = await rowsOf<{ block: number; hash: string; first_block: number; lake_last: number }>(
        connection,
        "select block, hash, first_block, lake_last from inside.head",
      );
      if (!row) throw new SqlUnavailableError("Nothing is loaded yet. Retry in a few seconds.");
      return {
        connection,
        head: {
          block: row.block,
          hash: row.hash,
          firstBlock: row.first_block,
          lakeLast: row.lake_last,
          state: `${head.index} ${head.revision} ${head.rewinds}`,
        },
        names,
        contracts,
        async end(isBroken = false) {
          if (!isBroken) await connection.run("rollback").catch(() => {});
          connection.closeSync();
        },
      };
    } catch (error) {
      connection.closeSync();
      throw error;
    }
  }
}

/** The lake's last block; the one before the first that is indexed where the lake has none. */
const lakeLastOf = (manifest: Manifest | undefined, { firstBlock }: IndexHead): number =>
  manifest?.segments.at(-1)?.last ?? firstBlock - 1;

const stubOf = (folder: string, dataset: string): string => join(folder, `none-${dataset}.parquet`);

/** Files without rows: a function that takes the place of a table needs a file to read. */
async function writeStubs(folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  for (const { name, columns } of historyDatasets.flatMap(({ closed, open }) => [closed, open])) {
    await connection.run(`create table ${name} (${typedNames(columns)})`);
    await connection.run(`copy ${name} to ${literal(stubOf(folder, name))} (format parquet)`);
  }
  connection.closeSync();
  instance.closeSync();
}

/** A lake of another chain, or one that is ahead of the index, cannot be put together with it. */
async function requireSameChain(manifest: Manifest | undefined, { head, fold, rows }: IndexView): Promise<void> {
  const last = manifest?.segments.at(-1);
  if (!last) return;
  if (last.last > head.finalized)
    throw new SqlUnavailableError(
      `The lake ends with block ${last.last}, and the index is final up to block ${head.finalized}. Retry when it has caught up.`,
    );
  const [found] = await rows<{ hash: string }>(`select hash from ${fold}.block where number = ${last.last}`);
  if (found && found.hash !== last.hash)
    throw new SqlDamagedError(
      "manifest.json",
      `is of another chain, or of a branch that this one has replaced: block ${last.last} has another hash there`,
      "Give LAKE another folder, or move this one away",
    );
}

/** Where newer blocks were read from more contracts, segments without these would answer as if nothing had happened there. */
function requireSameSources(manifest: Manifest | undefined, { head: { firstBlock }, contracts }: IndexView): void {
  const problem = manifest && sourcesProblem(manifest, { firstBlock, contracts });
  if (problem === undefined) return;
  const cure = `${SOURCES_CURE.charAt(0).toUpperCase()}${SOURCES_CURE.slice(1)}`;
  throw new SqlDamagedError("manifest.json", problem, cure);
}

export const requireBlock = (
  block: bigint | "head",
  { head, fail }: { head: Session["head"]; fail: (problem: string) => SqlInvalidError },
): number => {
  if (block === "head") return head.block;
  if (block < BigInt(head.firstBlock))
    throw fail(`block ${block} lies before the first indexed block, ${head.firstBlock}`);
  if (block > BigInt(head.block)) throw fail(`block ${block} lies above the head, ${head.block}`);
  return Number(block);
};

/** DuckDB can read only in folders that exist. @throws LakeFolderError */
function makeLakeFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw namingFolder(error, folder);
  }
}
