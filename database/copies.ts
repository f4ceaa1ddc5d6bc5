// COPY through postgres.js (3.4.9), without three faults of its streams: two leave a statement waiting for ever, one ends the process.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "postgres";

/** A statement of postgres.js as its connection sees it, which calls these. */
interface Settled {
  /** With a stream once rows can be copied, and again at the end. */
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * Writes rows with `copy`, a COPY … FROM STDIN.
 * @throws the server's error or the connection's, also where it comes after the last piece: postgres.js says that one to the statement
 * alone, which has been settled since the copying began, and the stream's end would be waited for without it (porsager/postgres#1173).
 */
export async function writeCopy(
  db: Sql,
  copy: string,
  pieces: AsyncIterable<unknown> | Iterable<unknown>,
): Promise<void> {
  const statement = db.unsafe(copy);
  const refused = refusalOf(statement as unknown as Settled);
  const sink = await statement.writable();
  await Promise.race([pipeline(Readable.from(pieces, { objectMode: false }), sink), refused]);
}

/** Never resolves. */
function refusalOf(statement: Settled): Promise<never> {
  const { reject: settle } = statement;
  const refused = new Promise<never>((_, reject) => {
    statement.reject = (error) => {
      settle(error);
      reject(error);
    };
  });
  // where the statement is refused before rows are awaited, its own promise says so
  refused.catch(() => {});
  return refused;
}

/**
 * What `take` makes of the rows that `copy`, a COPY … TO STDOUT, gives; it must take all of them.
 * @throws the server's error or the connection's
 *
 * The driver stops reading from the server while rows wait, and does not go on by itself when the last of them, or an error, was already
 * there: the connection's next statement would never be answered (porsager/postgres#499).
 */
export async function readCopy<T>(db: Sql, copy: string, take: (rows: Readable) => Promise<T>): Promise<T> {
  const statement = db.unsafe(copy);
  listenAtOnce(statement as unknown as Settled);
  const rows = await statement.readable();
  try {
    return await take(rows);
  } finally {
    readOn(rows);
  }
}

/** An error that comes with the first rows is emitted before who waits for the stream can listen, and would end the process. */
function listenAtOnce(statement: Settled): void {
  const { resolve } = statement;
  statement.resolve = (result) => {
    if (result instanceof Readable) result.on("error", () => {});
    resolve(result);
  };
}

function readOn(rows: Readable): void {
  try {
    rows._read(0);
  } catch {
    // the connection is gone: the next statement says so
  }
}
