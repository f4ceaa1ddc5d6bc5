// Statements that need no transaction: each says itself which state of the index its rows are of. What requests ask in the
// same turn of the event loop with one text is sent as one statement: most of what a short one costs is being sent.
import { isDatabaseDown } from "../errors.ts";
import { connectionSeconds, noteSnapshot } from "../metrics/instruments.ts";
import type { Database } from "./database.ts";
import type { LiveSchemaCache } from "./live-schemas.ts";
import { provenRows, provenText } from "./proven-statement.ts";
import { noteShown } from "./shown-position.ts";
import type { LedgerState, QuotedSchemas } from "./state.ts";
import { rowsOfSets, setsParameter, textForSets } from "./statement-sets.ts";

/** `prepared`: a text that does not change from request to request. */
export interface LoneStatement {
  text: string;
  parameters: readonly string[];
  isPrepared: boolean;
}

/** The state that the index is taken to be in. */
export interface Assumption {
  chainId: number;
  schemas: QuotedSchemas;
  state: LedgerState;
}

interface Waiting {
  parameters: readonly string[];
  resolve(rows: object[]): void;
  reject(error: unknown): void;
}

interface Batch extends Omit<LoneStatement, "parameters"> {
  assumed: Assumption;
  waiting: Waiting[];
}

const MOST_TOGETHER = 50;

/** One for each process. */
export class LoneStatements {
  readonly #parts: { database: Database; live: LiveSchemaCache };
  readonly #batches = new Map<string, Batch>();

  constructor(parts: { database: Database; live: LiveSchemaCache }) {
    this.#parts = parts;
  }

  /** @throws IndexMovedError when the index is in another state; what connections and statements throw */
  read<T extends object>(assumed: Assumption, { parameters, ...statement }: LoneStatement): Promise<T[]> {
    return new Promise<object[]>((resolve, reject) => {
      const batch = this.#batchOf(assumed, statement);
      batch.waiting.push({ parameters, resolve, reject });
    }) as Promise<T[]>;
  }

  #batchOf(assumed: Assumption, { text, isPrepared }: Omit<LoneStatement, "parameters">): Batch {
    const key = `${assumed.chainId} ${assumed.state.fingerprint} ${text}`;
    const begun = this.#batches.get(key);
    if (begun && isPrepared && begun.waiting.length < MOST_TOGETHER) return begun;
    const batch: Batch = { text, isPrepared, assumed, waiting: [] };
    this.#batches.set(key, batch);
    setImmediate(() => {
      if (this.#batches.get(key) === batch) this.#batches.delete(key);
      void this.#answer(batch);
    });
    return batch;
  }

  async #answer({ text, isPrepared, assumed, waiting }: Batch): Promise<void> {
    try {
      const [only] = waiting;
      const read = (statement: string, parameters: readonly string[]) =>
        this.#run(assumed, { text: statement, parameters, isPrepared });
      if (only && waiting.length === 1) return only.resolve(await read(text, only.parameters));
      const sets = waiting.map(({ parameters }) => parameters);
      const rows = rowsOfSets(await read(textForSets(text, sets), [setsParameter(sets)]), sets);
      for (const [i, { resolve }] of waiting.entries()) resolve(rows[i] ?? []);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  async #run(assumed: Assumption, { text, parameters, isPrepared }: LoneStatement): Promise<object[]> {
    const { database } = this.#parts;
    const gotConnection = connectionSeconds.startTimer();
    const connection = await database.connect();
    gotConnection();
    const ended = noteSnapshot();
    try {
      const proven = provenText(assumed.schemas, text);
      const rows = await (isPrepared ? connection.prepared(proven, parameters) : connection.rows(proven, parameters));
      const found = provenRows(rows, assumed.state.fingerprint);
      await noteShown(this.#parts, connection, assumed);
      return found;
    } catch (error) {
      if (connection.server !== undefined && isDatabaseDown(error)) database.lost?.(connection.server);
      throw error;
    } finally {
      ended();
      connection.release();
    }
  }
}
