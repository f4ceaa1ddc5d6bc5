// `look_through(token, block)`: the gateway's own answer about who holds a token through contracts, put into a table before the
// statement that names it runs.
import type { DuckDBConnection } from "@duckdb/node-api";
import { literal } from "../core/sql-literal.ts";
import { RequestScope, type Service } from "../gateway/context.ts";
import { blockNumbered } from "../gateway/history/block-choice.ts";
import { balancesRows } from "../gateway/questions/balances-rows.ts";
import { kindColumns } from "../gateway/rest/balance-columns.ts";
import { SqlLimitError } from "../gateway/sql/sql-errors.ts";
import { rowsOf } from "./duckdb.ts";
import type { Engine, Session } from "./engine.ts";

export interface LookThroughKey {
  token: string;
  block: number;
}

/** Rows of all answers together; beyond that, answers that the current statement does not read are dropped. One with more is not read. */
const MOST_ROWS = 1_000_000;

export interface StoredAnswers {
  /** Which are not there as of the session's own branch of the chain and its own state of the index. */
  missing: readonly LookThroughKey[];
  /** Contracts whose holding none of the others attributes to accounts, as `X-Incomplete` of /balances names them. */
  incomplete: readonly string[];
}

/** What the session's tables have of `keys`. */
export async function storedAnswers(session: Session, keys: readonly LookThroughKey[]): Promise<StoredAnswers> {
  const missing: LookThroughKey[] = [];
  const incomplete = new Set<string>();
  for (const key of keys) {
    const [found] = await rowsOf<{ incomplete: string }>(
      session.connection,
      `select a.incomplete from inside.looked_through_answer a join main.block b on b.number = a.block and b.hash = a.hash
        where a.token = ${literal(key.token)} and a.block = ${key.block} and a.state = ${literal(session.head.state)}`,
    );
    if (!found) missing.push(key);
    for (const contract of found?.incomplete.split(",").filter(Boolean) ?? []) incomplete.add(contract);
  }
  return { missing, incomplete: [...incomplete].sort() };
}

interface Wanted extends LookThroughKey {
  /** The index's state when the answer was missing: the answer is of that state, or of a later one, in which it is missing again. */
  state: string;
  /** All answers that the statement reads, this one included: none of them is dropped for another. */
  beside: readonly LookThroughKey[];
  /** Aborts when nobody waits for the answer any more. */
  signal?: AbortSignal;
  mostRows?: number;
}

/** Asks the gateway's question and stores its rows. @throws SqlLimitError; what balances throws for the token and block */
export async function storeAnswer(engine: Engine, service: Service, wanted: Wanted): Promise<void> {
  const { token, block, state, beside, signal, mostRows = MOST_ROWS } = wanted;
  const scope = new RequestScope(service, signal);
  try {
    const choice = blockNumbered(block);
    const answer = await scope.run(balancesRows, { token: token as `0x${string}`, block: choice });
    const rows: string[][] = [];
    for (let batch = await answer.batches.next(); !batch.done; batch = await answer.batches.next()) {
      signal?.throwIfAborted();
      if (rows.length + batch.value.length > mostRows)
        throw new SqlLimitError("rows", mostRows, "look_through() reads no more at once, /balances gives them all");
      for (const row of batch.value)
        rows.push([row.account, String(row.amount), ...kindColumns.map(({ read }) => String(read(row)))]);
    }
    const { hash } = answer.located.point;
    await engine.write(async (connection) => {
      await makeRoom(connection, { more: rows.length, beside });
      await connection.run(`delete from inside.looked_through where token = ${literal(token)} and block = ${block}`);
      await connection.run(
        `delete from inside.looked_through_answer where token = ${literal(token)} and block = ${block}`,
      );
      await append(connection, { token, block }, rows);
      await connection.run(
        `insert into inside.looked_through_answer values (${literal(token)}, ${block}, ${literal(hash ?? "")}, ${literal(state)}, ${rows.length},
           ${literal(answer.incomplete.join())})`,
      );
    });
  } finally {
    await scope.close();
  }
}

async function makeRoom(
  connection: DuckDBConnection,
  { more, beside }: { more: number; beside: readonly LookThroughKey[] },
): Promise<void> {
  const [found] = await rowsOf<{ rows: bigint | null }>(
    connection,
    "select sum(rows)::BIGINT as rows from inside.looked_through_answer",
  );
  if (Number(found?.rows ?? 0) + more <= MOST_ROWS) return;
  const stays = `(token, block) in (${beside.map(({ token, block }) => `(${literal(token)}, ${block})`).join(", ")})`;
  await connection.run(`create or replace table inside.looked_through as from inside.looked_through where ${stays}`);
  await connection.run(`delete from inside.looked_through_answer where not (${stays})`);
}

async function append(
  connection: DuckDBConnection,
  { token, block }: LookThroughKey,
  rows: readonly string[][],
): Promise<void> {
  const appender = await connection.createAppender("looked_through", "inside");
  try {
    for (const row of rows) {
      appender.appendVarchar(token);
      appender.appendInteger(block);
      for (const value of row) appender.appendVarchar(value);
      appender.endRow();
    }
    appender.flushSync();
  } finally {
    appender.closeSync();
  }
}
