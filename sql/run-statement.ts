// One statement from its text to the pieces of its answer, within its limits.
import type { DuckDBConnection } from "@duckdb/node-api";
import { literal } from "../core/sql-literal.ts";
import type { Service } from "../gateway/context.ts";
import { isStatementError } from "../gateway/database/database.ts";
import { GatewayError, isDatabaseDown } from "../gateway/errors.ts";
import type { AnswerFormat } from "../gateway/rest/answer-format.ts";
import { SqlInvalidError, SqlLimitError, SqlUnavailableError } from "../gateway/sql/sql-errors.ts";
import { isTokenRead } from "../lake/read-contracts.ts";
import { type CheckedStatement, checkStatement, type MacroCall } from "./check-statement.ts";
import { rowsOf } from "./duckdb.ts";
import { type Engine, requireBlock, type Session } from "./engine.ts";
import { Meter, type StatementLimits } from "./limits.ts";
import { type LookThroughKey, storeAnswer, storedAnswers } from "./looked-through.ts";
import { placeAt, statementError } from "./statement-place.ts";
import { StatementWatch } from "./statement-watch.ts";
import { type AnswerHead, writeAnswer } from "./write-answer.ts";

export interface StatementRunner {
  engine: Engine;
  /** Answers look_through(). */
  service: Service;
  limits: StatementLimits;
  memoryMegabytes: number;
  folders: readonly string[];
  /** A statement does not stop though it was interrupted: the process has to end. */
  onStuck(): void;
}

export interface Statement {
  query: string;
  format: AnswerFormat;
  /** Nobody wants the answer any more. */
  signal?: AbortSignal;
}

export interface StatementAnswer {
  head: AnswerHead;
  /** Contracts whose holding look_through() attributes to nobody, though it may be accounts'. */
  incomplete: readonly string[];
  pieces: AsyncGenerator<string | Uint8Array, undefined>;
  /** Aborts when the statement meets a limit or nobody waits for it: the next piece that is not there yet throws why. */
  stopped: AbortSignal;
  /** Counted as they are written. */
  readonly meter: Meter;
}

const HELD_BYTES = 256 * 1024;
/** How often to try: now and then the head moves while a look-through is read. */
const ATTEMPTS = 4;
/** Each is as much work as a whole answer of /balances. */
const MOST_LOOK_THROUGHS = 4;

/**
 * The first rows are there when this resolves: what is wrong with a statement shows mostly before. The caller must take the first
 * piece, and then either take the others or end the iteration.
 * @throws SqlInvalidError, SqlLimitError, SqlDamagedError, SqlUnavailableError, what balances throws for look_through()
 */
export async function runStatement(runner: StatementRunner, statement: Statement): Promise<StatementAnswer> {
  const { query, format } = statement;
  const { session, checked, incomplete } = await prepare(runner, statement);
  const watch = new StatementWatch(runner, session.connection, statement.signal);
  const meter = new Meter(runner.limits);
  const toPublic = (error: unknown): Error => {
    const shown = watch.reason ?? (error instanceof GatewayError ? error : asStatementError(runner, query, error));
    // it is unknown which of several statements took it
    const isMemory = shown instanceof SqlLimitError && shown.details?.limit === "memory";
    if (isMemory) StatementWatch.memoryFailed();
    if (!isMemory || !watch.hadCompany) return shown;
    return new SqlUnavailableError("Statements together took more memory than there is. Retry in a few seconds.");
  };
  try {
    const result = await watch.during(() => session.connection.stream(checked.text));
    const pieces = writeAnswer(format, {
      result,
      head: session.head,
      onRows: (count) => meter.addRows(count),
      requireWhole: () => requireWhole(session.connection, { text: checked.text, reason: () => watch.reason }),
    });
    const counted = countBytes(pieces, meter);
    const held = await watch.during(() => firstPieces(counted));
    const end = async () => {
      await pieces.return(undefined).catch(() => {});
      watch.end();
      // a result that was not read to its end keeps its connection's transaction open
      session.connection.interrupt();
      await session.end();
    };
    const next = () => watch.during(() => counted.next());
    const answer = { head: session.head, incomplete, meter, stopped: watch.stopped };
    return { ...answer, pieces: rest({ held, next, end, toPublic }) };
  } catch (error) {
    const shown = toPublic(error);
    watch.end();
    await session.end(true);
    throw shown;
  }
}

/**
 * DuckDB's client takes an error in the middle of a streamed result for the result's end. But the error has ended the transaction, as
 * the next statement shows; which error it was shows when the same statement is run again at once.
 * @throws what broke the result; SqlUnavailableError when it does not come again
 */
async function requireWhole(
  connection: DuckDBConnection,
  { text, reason }: { text: string; reason: () => Error | undefined },
): Promise<void> {
  const isWhole = await connection.run("select 1").then(
    () => true,
    () => false,
  );
  if (reason() !== undefined) throw reason();
  if (isWhole) return;
  await connection.run("rollback");
  await connection.run(text);
  throw new SqlUnavailableError("The statement could not be run to its end. Retry in a few seconds.");
}

const asStatementError = ({ memoryMegabytes, folders }: StatementRunner, statement: string, error: unknown): Error =>
  statementError(error, { statement, memoryMegabytes, folders });

async function* countBytes(pieces: StatementAnswer["pieces"], meter: Meter): StatementAnswer["pieces"] {
  for await (const piece of pieces) {
    meter.addBytes(typeof piece === "string" ? Buffer.byteLength(piece) : piece.length);
    yield piece;
  }
  return undefined;
}

/** Pieces that are held back at first: a failure among them becomes an error answer, and not a broken one. */
async function firstPieces(pieces: StatementAnswer["pieces"]): Promise<(string | Uint8Array)[]> {
  const held: (string | Uint8Array)[] = [];
  for (let bytes = 0; bytes < HELD_BYTES; ) {
    const next = await pieces.next();
    if (next.done) break;
    held.push(next.value);
    bytes += next.value.length;
  }
  return held;
}

interface Rest {
  held: readonly (string | Uint8Array)[];
  next(): ReturnType<StatementAnswer["pieces"]["next"]>;
  end(): Promise<void>;
  toPublic(error: unknown): Error;
}

async function* rest({ held, next, end, toPublic }: Rest): StatementAnswer["pieces"] {
  try {
    yield* held;
    for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
  } catch (error) {
    throw toPublic(error);
  } finally {
    await end();
  }
  return undefined;
}

/** What look_through() reads may take as long as a statement may, and ends when nobody waits for it. */
class Patience {
  readonly #seconds: number;
  readonly #client: AbortSignal | undefined;
  #time: AbortSignal | undefined;

  constructor({ seconds }: StatementLimits, client: AbortSignal | undefined) {
    this.#seconds = seconds;
    this.#client = client;
  }

  /** Its time begins with the first `work`. @throws SqlLimitError, SqlUnavailableError */
  async during(work: (until: AbortSignal) => Promise<void>): Promise<void> {
    this.#time ??= AbortSignal.timeout(this.#seconds * 1_000);
    const until = AbortSignal.any([this.#time, ...(this.#client ? [this.#client] : [])]);
    try {
      until.throwIfAborted();
      await work(until);
    } catch (error) {
      if (this.#client?.aborted) throw new SqlUnavailableError("The client has left.");
      if (this.#time.aborted) throw new SqlLimitError("seconds", this.#seconds, "ask for fewer blocks or tokens");
      throw error;
    }
  }
}

/** A session that has everything which the statement reads. */
async function prepare(
  runner: StatementRunner,
  { query, signal }: Statement,
): Promise<{ session: Session; checked: CheckedStatement; incomplete: readonly string[] }> {
  const patience = new Patience(runner.limits, signal);
  for (let attempt = 1; ; attempt += 1) {
    // once a look-through was read head() may be a block later, whose answer would be missing again: so every other attempt stays at
    // the block; the others move on, in case it was replaced
    const session = await runner.engine.session({ stays: attempt % 2 === 0 });
    try {
      const checked = await checkStatement(session.connection, query, session.names);
      const keys = requireCalls(checked, session);
      await requireSoundTokens(session, checked);
      const { missing, incomplete } = await storedAnswers(session, keys);
      if (missing.length === 0) return { session, checked, incomplete };
      await session.end();
      if (attempt === ATTEMPTS)
        throw new SqlUnavailableError(
          "The chain moves faster than look_through() can be read. Retry in a few seconds.",
        );
      const { state } = session.head;
      for (const key of missing)
        await patience.during((until) =>
          storeAnswer(runner.engine, runner.service, { ...key, state, beside: keys, signal: until }),
        );
    } catch (error) {
      await session.end();
      const isOfPostgres = isDatabaseDown(error) || isStatementError(error);
      throw error instanceof GatewayError || isOfPostgres ? error : asStatementError(runner, query, error);
    }
  }
}

/** Every block named is one that is answered; what look_through() is called with. */
function requireCalls({ text, calls }: CheckedStatement, { head }: Session): LookThroughKey[] {
  const keys = new Map<string, LookThroughKey>();
  for (const { macro, addresses, blocks } of calls) {
    const numbers = blocks.map(({ parameter, block, offset }) =>
      requireBlock(block, {
        head,
        fail: (problem) => new SqlInvalidError(`${parameter}: ${problem}`, placeAt(text, offset)),
      }),
    );
    const last = blocks.findIndex(({ parameter }) => parameter === "to");
    const [from = 0] = numbers.filter((_, i) => i !== last);
    const to = numbers[last];
    if (to !== undefined && to < from)
      throw new SqlInvalidError(
        `to: block ${to} lies before "from", ${from}`,
        placeAt(text, blocks[last]?.offset ?? 0),
      );
    if (macro === "look_through") keys.set(`${addresses.token} ${from}`, { token: addresses.token ?? "", block: from });
  }
  if (keys.size > MOST_LOOK_THROUGHS)
    throw new SqlInvalidError(`at most ${MOST_LOOK_THROUGHS} different look_through() in one statement`);
  return [...keys.values()];
}

/** A statement that names a token with unknown balances is refused: an empty answer would look as if nobody had any. */
async function requireSoundTokens(
  { connection, head, contracts }: Session,
  { text, calls }: CheckedStatement,
): Promise<void> {
  const named = calls.filter(({ addresses, macro }) => addresses.token !== undefined && macro !== "look_through");
  for (const { addresses, blocks, offset } of named as MacroCall[]) {
    const last = Math.max(...blocks.map(({ block }) => (block === "head" ? head.block : Number(block))));
    const [broken] = await rowsOf<{ block: number; reason: string }>(
      connection,
      `select block, reason from inside.quarantine where ledger = 'erc20' and token = ${literal(addresses.token ?? "")}
          and block <= greatest(${last}, (select finalized from inside.head))`,
    );
    if (broken)
      throw new SqlInvalidError(
        `token: ${addresses.token} is quarantined since block ${broken.block} (${broken.reason}): its balances are unknown`,
        placeAt(text, offset),
      );
    if (contracts === undefined || isTokenRead(contracts, addresses.token ?? "")) continue;
    // shares that are not listed are read all the same
    const [seen] = await rowsOf(
      connection,
      `select 1 from main.tokens where token = ${literal(addresses.token ?? "")}`,
    );
    if (!seen)
      throw new SqlInvalidError(
        `token: ${addresses.token} is not among the tokens that are indexed: its balances are unknown`,
        placeAt(text, offset),
      );
  }
}
