// The fold's exit codes: the launcher starts it again after any of them, but gives up on errors that repeat.
import { codeOf, isUnreached } from "../../database/error-codes.ts";

const DATABASE_AWAY = /^(08|57P|53|ECONN|EPIPE|ETIMEDOUT|CONNECT)/;
/** EX_TEMPFAIL of sysexits, as Ponder uses it: try again later, without limit. */
export const TEMPORARY = 75;
const ERROR = 1;

/** 75 where the database is away, full, or has no connection left, else 1; by Node's and PostgreSQL's error codes. */
export function exitCodeOf(error: unknown): number {
  return isUnreached(error) || DATABASE_AWAY.test(codeOf(error)) ? TEMPORARY : ERROR;
}
