// A server that hangs, or whose host is gone without a word, ends no statement: its own limits (session.ts) do not help, and TCP waits
// for a host for a quarter of an hour, for a process that is stopped for ever.
import { LONG_STATEMENT_SECONDS } from "./session.ts";

/** Longer than a server that works lets a statement run. */
const MOST_SILENT_SECONDS = LONG_STATEMENT_SECONDS + 5;

/** What is waited for on one connection. */
export interface Awaited {
  /** Statements, and batches of a cursor, that are not answered yet. */
  running: number;
  /** Since one was answered, or begun after all others had been. */
  silentSeconds: number;
  /** Asks the server to stop what runs; undefined before a cursor is begun: the server stops other statements by itself. */
  cancel: (() => void) | undefined;
}

/**
 * Cancels a batch that takes longer than a statement may, and calls `lose` for a connection whose server has been silent for too
 * long, until what it gives is called. It counts seconds in which this process ran: after a pause of its own, answers may be there
 * and not read yet.
 */
export function loseSilent<C extends Awaited>(connections: Iterable<C>, lose: (connection: C) => void): () => void {
  const timer = setInterval(() => {
    for (const one of connections) {
      if (one.running === 0) continue;
      one.silentSeconds += 1;
      if (one.silentSeconds > MOST_SILENT_SECONDS) lose(one);
      else if (one.silentSeconds >= LONG_STATEMENT_SECONDS) one.cancel?.();
    }
  }, 1_000).unref();
  return () => clearInterval(timer);
}
