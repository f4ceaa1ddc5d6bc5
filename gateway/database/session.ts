// What the gateway's connections are set to, how a request's transaction begins, and how long it holds Ponder's tables.

/** Dropping a fold waits for every transaction that has read its head; it must not wait for us while we wait for it. */
const FOLD_LOCK_TIMEOUT = "400ms";
const FACT_LOCK_TIMEOUT = "2s";
/** A week of a busy kind of fact takes up to two. */
const FACT_STATEMENT_TIMEOUT = "5s";
const STATEMENT_TIMEOUT = "5s";
/** Of one statement in a transaction, or of one batch of a cursor. */
export const LONG_STATEMENT_SECONDS = 15;

/** Facts of final blocks are Ponder's own rows: a reader lets go of its tables as soon as they are read. */
export const FACT_LIMITS = `set local lock_timeout = '${FACT_LOCK_TIMEOUT}';
  set local statement_timeout = '${FACT_STATEMENT_TIMEOUT}'`;

/** Before Ponder's tables are read in a transaction, and after it. */
export const BEGIN_FACTS = `savepoint facts; ${FACT_LIMITS}`;
export const LET_GO = "rollback to savepoint facts";

export const BEGIN = `begin isolation level repeatable read read only;
  set local statement_timeout = '${LONG_STATEMENT_SECONDS}s'`;

/**
 * Before a cursor, whose statement takes as long as its rows are read: the server counts the time in which they wait for their reader, too.
 * So each batch is limited from here (silent-connections.ts).
 */
export const BEFORE_CURSOR = "set local statement_timeout = '1h'";

/** Of every connection, sent when it starts: each statement is under them, in a transaction or alone. */
export const SESSION: Readonly<Record<string, string>> = {
  statement_timeout: STATEMENT_TIMEOUT,
  idle_in_transaction_session_timeout: "90s",
  lock_timeout: FOLD_LOCK_TIMEOUT,
  jit: "off",
  work_mem: "32MB",
  extra_float_digits: "1",
};
