// One state of the index that gateways read, in one repeatable-read transaction: where its head is, and rows of it as CSV.
import postgres, { type Sql } from "postgres";
import { readSources } from "../chains/sources.ts";
import type { FactColumns } from "../core/lake/datasets.ts";
import { isMissingTable } from "../database/error-codes.ts";
import { undelayed } from "../database/undelayed.ts";
import { type LiveSchemas, liveText, quoted } from "../fold/tables.ts";
import { isStatementError } from "../gateway/database/database.ts";
import { type IndexState, type StateRow, stateOf, stateText } from "../gateway/database/state.ts";
import { GatewayError, UnavailableError } from "../gateway/errors.ts";
import { SqlChainReplacedError } from "../gateway/sql/sql-errors.ts";
import { type CsvFiles, copyOut } from "../lake/copy-out.ts";
import { type ReadContracts, readContracts } from "../lake/read-contracts.ts";
import { readFactColumns } from "../lake/read-index.ts";

/** Longer than a whole tail takes; a lock of Ponder's or the fold's is waited for this long. */
const SETTINGS = "set local statement_timeout = '600s'; set local lock_timeout = '5s'; set local jit = off";

export interface IndexHead {
  block: number;
  hash: string;
  timestamp: number;
  /** Nothing up to here can be replaced. */
  finalized: number;
  firstBlock: number;
  /** Identifies this index among all others. */
  index: string;
  /** Changes with what is read from contracts later. */
  revision: string;
  /** How often blocks were taken back: those of the same hash may have come back with other facts, if the node had left some out. */
  rewinds: number;
}

/** Whether both are states of the index that differ in nothing but blocks. */
export const isSameState = (a: IndexHead, b: IndexHead): boolean =>
  a.index === b.index && a.revision === b.revision && a.rewinds === b.rewinds;

export interface IndexView {
  head: IndexHead;
  /** Quoted name of the fold's schema. */
  fold: string;
  rows<Row extends object>(text: string): Promise<Row[]>;
  /** Writes the rows of `text` to files: CSV as lake/duck.ts reads it. No file is made where there are no rows. */
  copy(text: string, target: CsvFiles): Promise<void>;
  /** What the index was made from; undefined where that is not known. */
  contracts: ReadContracts | undefined;
  /** The tables of facts with their columns. */
  factColumns(): Promise<ReadonlyMap<string, FactColumns>>;
}

/** With one connection of its own, not a reserved one of a pool: gateway/database/database.ts says why. */
interface Client {
  sql: Sql;
  /** Every statement fails from then on. */
  isLost: boolean;
}

function openClient(url: string): Client {
  const client: Client = {
    isLost: false,
    sql: postgres(url, {
      max: 1,
      ...undelayed(),
      connect_timeout: 5,
      onnotice: () => {},
      // its timers do not know of our transactions and would end one between two statements
      idle_timeout: 0,
      max_lifetime: null,
      connection: { application_name: "tidemark-sql" },
      onclose: () => {
        client.isLost = true;
        // it would connect again, outside the transaction; and what it was sent just before the loss would never be answered
        client.sql.end({ timeout: 0 }).catch(() => {});
      },
    }),
  };
  return client;
}

export class IndexReader {
  readonly #url: string;
  readonly #chainId: number;
  #idle: Client | undefined;

  constructor(databaseUrl: string, chainId: number) {
    this.#url = databaseUrl;
    this.#chainId = chainId;
  }

  /** Where the head is, and everything else that decides what is read. @throws SqlChainReplacedError, UnavailableError */
  async head(): Promise<IndexHead> {
    return this.read(async ({ head }) => head);
  }

  /** What `use` gives, in one transaction that ends with it. @throws UnavailableError while there is no index or database to read */
  async read<T>(use: (view: IndexView) => Promise<T>): Promise<T> {
    const client = this.#take();
    let isUsable = false;
    try {
      await client.sql.unsafe(`begin isolation level repeatable read read only; ${SETTINGS}`);
      const result = await use(await this.#open(client.sql));
      isUsable = true;
      return result;
    } catch (error) {
      // whatever the loss looked like where it was met
      if (client.isLost)
        throw new UnavailableError(
          "DATABASE_UNAVAILABLE",
          "The connection to the database was lost. Retry in a few seconds.",
        );
      isUsable = error instanceof GatewayError || isStatementError(error);
      throw error;
    } finally {
      await this.#giveBack(client, isUsable);
    }
  }

  async close(): Promise<void> {
    await this.#idle?.sql.end({ timeout: 2 });
  }

  #take(): Client {
    const idle = this.#idle;
    this.#idle = undefined;
    return idle && !idle.isLost ? idle : openClient(this.#url);
  }

  async #giveBack(client: Client, isUsable: boolean): Promise<void> {
    const rollback = () =>
      client.sql.unsafe("rollback").then(
        () => true,
        () => false,
      );
    const isReady = isUsable && !client.isLost && (await rollback());
    if (isReady && !this.#idle) this.#idle = client;
    else await client.sql.end({ timeout: 0 });
  }

  async #open(db: Sql): Promise<IndexView> {
    const live = await this.#live(db);
    const fold = quoted(live.fold);
    const [row] = await db.unsafe<StateRow[]>(stateText({ fold, chainId: this.#chainId }));
    const rows = async <Row extends object>(text: string): Promise<Row[]> => [...(await db.unsafe<Row[]>(text))];
    const state = stateOf(row);
    const sources = readSources(state.sources);
    return {
      head: await headOf(state, { fold, rows }),
      fold,
      rows,
      contracts: sources && readContracts(sources, this.#chainId),
      copy: (text, target) => copyOut(db, text, target),
      factColumns: () => readFactColumns(db, { ponderSchema: live.facts }),
    };
  }

  async #live(db: Sql): Promise<LiveSchemas> {
    try {
      const [row] = await db.unsafe<LiveSchemas[]>(liveText(this.#chainId));
      if (row) return row;
    } catch (error) {
      if (!isMissingTable(error)) throw error;
    }
    throw new UnavailableError("STARTING", "The index is being created. Retry in a few seconds.");
  }
}

async function headOf(state: IndexState, { fold, rows }: Pick<IndexView, "fold" | "rows">): Promise<IndexHead> {
  const { lastSynced: block, live, factOid, sourcesDigest, finalized, revision, rewinds, stop } = state;
  if (stop) throw new SqlChainReplacedError(stop);
  if (block === undefined) throw new UnavailableError("STARTING", "No block is synced yet. Retry in a few seconds.");
  const [found] = await rows<{ hash: string; timestamp: number; first_block: number }>(
    `select b.hash, b.timestamp, m.first_block from ${fold}.meta m join ${fold}.block b on b.number = ${block}`,
  );
  if (!found) throw new UnavailableError("INDEX_FOLDING", "The index is being rebuilt. Retry in a few seconds.");
  return {
    block,
    hash: found.hash,
    timestamp: found.timestamp,
    firstBlock: found.first_block,
    finalized: Math.min(finalized, block),
    index: `${live?.fold} ${factOid} ${sourcesDigest}`,
    revision,
    rewinds,
  };
}
