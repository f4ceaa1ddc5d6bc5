// Statements without a transaction: each says itself which state of the index its rows are of. Statements of one text that requests
// ask in the same turn of the event loop, or while such a statement runs, are sent as one, equal ones once: most of the cost of a
// short statement is sending it.
import { setTimeout as sleep } from "node:timers/promises";
import { quoted } from "../../fold/tables.ts";
import { isDatabaseDown } from "../errors.ts";
import { connectionSeconds, connectionsInUse } from "../instruments.ts";
import { prunedRangeOf } from "../lake/lake-errors.ts";
import type { ChainMemory } from "./chain-memory.ts";
import type { Connection, Database } from "./database.ts";
import { provenRows, provenText } from "./proven-statement.ts";
import { readState, type View } from "./read-state.ts";
import type { RequestServers } from "./request-servers.ts";
import { noteShown } from "./shown-position.ts";
import type { IndexState } from "./state.ts";
import { rowsOfSets, setsParameter, textForSets } from "./statement-sets.ts";

export interface SingleStatement {
  text: string;
  parameters: readonly string[];
  /**
   * `prepared`: of a text that does not change from request to request; `unbatched`: the same, never sent with what others ask;
   * `limited`: without parameters, with settings that hold for this statement alone.
   */
  way: "unnamed" | "prepared" | "unbatched" | "limited";
  /** Of `limited`: SET LOCAL statements. */
  limits?: string;
}

export const limited = (text: string, limits: string): SingleStatement => ({
  text,
  parameters: [],
  way: "limited",
  limits,
});

/** The request that asks, and the state in which it expects the index. */
interface Expectation {
  chainId: number;
  /** Quoted name of the fold's schema. */
  fold: string;
  state: IndexState;
  /** The head must be the one of `state` still. */
  isNewest: boolean;
  servers: RequestServers;
}

interface Waiting {
  resolve(rows: object[]): void;
  reject(error: unknown): void;
}

/** All that wait for the rows of one set of parameters. */
interface ParameterSet {
  parameters: readonly string[];
  waiting: Waiting[];
}

interface Batch {
  expected: Expectation;
  statement: SingleStatement;
  /** Where it belongs to a lane. */
  texts?: Lane["texts"] | undefined;
  /** By their parameters: rows that several wait for are read once. */
  sets: Map<string, ParameterSet>;
}

/** What is asked with one text, by the state that it is asked of. */
interface Lane {
  /** The text for one set of parameters with its proof, and for several; made once, as a driver finds the same string at once. */
  texts: { one: string; several: string };
  batches: Map<string, Batch>;
  /** The batch that was sent last, until it is answered. */
  underWay: Map<string, Promise<void>>;
}

const MOST_TOGETHER = 50;
/** The longest wait for a running statement of the same text, which may have much to read. */
const LONGEST_WAIT_MS = 3;

/** One for each process. */
export class BatchedStatements {
  readonly #parts: { database: Database; memory: ChainMemory };
  /** By the fold's schema, as the proof in the texts is of one index, and by text, a key that costs nothing to make. */
  readonly #lanes = new Map<string, Map<string, Lane>>();
  /** By chain: the state that is being read. */
  readonly #states = new Map<number, Promise<View | undefined>>();

  constructor(parts: { database: Database; memory: ChainMemory }) {
    this.#parts = parts;
  }

  /** @throws IndexMovedError when the index is in another state; what connections and statements throw */
  read<T extends object>(expected: Expectation, statement: SingleStatement): Promise<T[]> {
    return new Promise<object[]>((resolve, reject) => {
      if (statement.way === "prepared") joinBatch(this.#batchOf(expected, statement), statement, { resolve, reject });
      else {
        const batch: Batch = { expected, statement, sets: new Map() };
        joinBatch(batch, statement, { resolve, reject });
        void this.#answer(batch);
      }
    }) as Promise<T[]>;
  }

  /**
   * The index as a request has found it last, or, where that is out of date, as it is now: read once for all that need it.
   * Undefined where it takes a transaction to find out.
   */
  async newest(chainId: number): Promise<View | undefined> {
    const state = this.#parts.memory.newest(chainId);
    if (state?.live !== undefined) return { state, fold: quoted(state.live.fold) };
    const begun = this.#states.get(chainId);
    if (begun) return begun;
    const reading = this.#readState(chainId).finally(() => this.#states.delete(chainId));
    this.#states.set(chainId, reading);
    return reading;
  }

  async #readState(chainId: number): Promise<View | undefined> {
    const { database, memory } = this.#parts;
    try {
      const schemas = await memory.schemas(chainId);
      const connection = await database.connect();
      try {
        return await readState({ database, memory, chainId }, connection, schemas);
      } finally {
        connection.release();
      }
    } catch {
      return undefined; // a transaction meets the same error, and decides what to do about it
    }
  }

  #batchOf(expected: Expectation, statement: SingleStatement): Batch {
    const { chainId, state, isNewest } = expected;
    const lane = this.#laneOf(expected, statement);
    const key = `${chainId} ${state.proof} ${state.head} ${isNewest}`;
    const begun = lane.batches.get(key);
    if (begun && begun.sets.size < MOST_TOGETHER) return begun;
    const batch: Batch = { expected, statement, texts: lane.texts, sets: new Map() };
    lane.batches.set(key, batch);
    setImmediate(() => void this.#send(lane, key, batch));
    return batch;
  }

  #laneOf({ fold }: Expectation, { text, parameters }: SingleStatement): Lane {
    const ofFold = this.#lanes.get(fold) ?? new Map<string, Lane>();
    this.#lanes.set(fold, ofFold);
    const there = ofFold.get(text);
    if (there) return there;
    const texts = {
      one: provenText(fold, text, headParameter(parameters)),
      several: provenText(fold, textForSets(text, [parameters]), headParameter(["sets"])),
    };
    const lane: Lane = { texts, batches: new Map(), underWay: new Map() };
    ofFold.set(text, lane);
    return lane;
  }

  async #send({ batches, underWay }: Lane, key: string, batch: Batch): Promise<void> {
    const before = underWay.get(key);
    if (before) await Promise.race([before, sleep(LONGEST_WAIT_MS)]);
    if (batches.get(key) === batch) batches.delete(key);
    const answered = this.#answer(batch);
    underWay.set(key, answered);
    await answered;
    if (underWay.get(key) === answered) underWay.delete(key);
  }

  async #answer({ expected, statement, texts, sets }: Batch): Promise<void> {
    const all = [...sets.values()];
    try {
      resolveAll(all, await this.#rowsOf(all, { expected, statement, texts }));
    } catch (error) {
      // some of them may ask of blocks that are here
      if (all.length > 1 && prunedRangeOf(error) !== undefined)
        for (const [key, one] of sets) {
          const { parameters } = one;
          void this.#answer({ expected, statement: { ...statement, parameters }, sets: new Map([[key, one]]) });
        }
      else for (const { waiting } of all) for (const { reject } of waiting) reject(error);
    }
  }

  /** The rows of each set. A statement that several wait for is short: it is not cancelled when one of them leaves. */
  async #rowsOf(
    all: readonly ParameterSet[],
    { expected, statement, texts }: Omit<Batch, "sets">,
  ): Promise<object[][]> {
    const [first, ...others] = all;
    if (others.length === 0) {
      const isShared = first !== undefined && first.waiting.length > 1;
      return [await this.#run(expected, { ...statement, proven: texts?.one }, { isShared })];
    }
    const parameters = all.map((set) => set.parameters);
    const together = { ...statement, proven: texts?.several, parameters: [setsParameter(statement.text, parameters)] };
    return rowsOfSets(statement.text, await this.#run(expected, together, { isShared: true }), parameters);
  }

  async #run(expected: Expectation, statement: Sent, { isShared }: { isShared: boolean }): Promise<object[]> {
    const { database } = this.#parts;
    const gotConnection = connectionSeconds.startTimer();
    const connection = await database.connect();
    gotConnection();
    const [ended, unwatch] = [connectionsInUse.begin(), isShared ? undefined : expected.servers.watch(connection)];
    try {
      const found = provenRows<object>(await send(connection, expected, statement), expected);
      await noteShown(this.#parts, connection, expected);
      return found;
    } catch (error) {
      const isServers = isDatabaseDown(error) && (isShared || !expected.servers.isAbandoned);
      if (connection.server !== undefined && isServers) database.lost?.(connection.server);
      throw error;
    } finally {
      ended();
      unwatch?.();
      connection.release();
    }
  }
}

function joinBatch({ sets }: Pick<Batch, "sets">, { parameters }: SingleStatement, waiting: Waiting): void {
  const key = parameters.join("\0"); // a text in PostgreSQL cannot contain it
  const others = sets.get(key);
  if (others) others.waiting.push(waiting);
  else sets.set(key, { parameters, waiting: [waiting] });
}

/** `rows` of each set of parameters; everybody gets a list of their own. */
function resolveAll(all: readonly ParameterSet[], rows: readonly object[][]): void {
  for (const [i, { waiting }] of all.entries())
    for (const [j, { resolve }] of waiting.entries()) resolve(j === 0 ? (rows[i] ?? []) : [...(rows[i] ?? [])]);
}

/** `proven`: its text with the proof, if it is there already. */
type Sent = SingleStatement & { proven: string | undefined };

/** The head is the parameter after a statement's own ones. */
const headParameter = (parameters: readonly string[]): string => `$${parameters.length + 1}::int4`;

function send(connection: Connection, { fold, state }: Expectation, statement: Sent): Promise<object[]> {
  const { text, parameters, way, limits = "" } = statement;
  const head = String(state.head);
  if (way === "limited") return connection.runAndRead(`${limits}; ${provenText(fold, text, head)}`);
  const { proven = provenText(fold, text, headParameter(parameters)) } = statement;
  return way === "unnamed"
    ? connection.rows(proven, [...parameters, head])
    : connection.prepared(proven, [...parameters, head]);
}
