// With which code the fold ends: the launcher starts it again after any of them, but gives up on errors that repeat.
const DATABASE_AWAY = /^(08|57P|53|ECONN|EPIPE|ETIMEDOUT|CONNECT)/;
/** sysexits' EX_TEMPFAIL, as Ponder does: try again later, for ever. */
export const TEMPORARY = 75;
const ERROR = 1;

/** 75 where the database is away, full, or has no room for one more, else 1. Node's and PostgreSQL's codes alike. */
export function exitCodeOf(error: unknown): number {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return DATABASE_AWAY.test(code) ? TEMPORARY : ERROR;
}
