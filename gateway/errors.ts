// Errors a caller may see, and the one place that decides what anything else turns into.
// Rules throw subclasses beside the rule; here are the base, bad input, and "not now".
import { PRUNED_STATE } from "../core/history/pruned.ts";
import { codeOf, isLockLost, isMissingTable, isUnreached } from "../database/error-codes.ts";

export interface ErrorFacts {
  code: string;
  status: 400 | 401 | 404 | 405 | 409 | 413 | 429 | 431 | 500 | 502 | 503;
  details?: Record<string, unknown>;
  /** Seconds after which asking again makes sense; sent as `Retry-After`. */
  retryAfterSeconds?: number;
}

/** Base of every error with a public face: `code` is stable, `message` says what to do, `details` is data. */
export class GatewayError extends Error {
  override name = "GatewayError";
  readonly code: string;
  readonly status: ErrorFacts["status"];
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    this.code = facts.code;
    this.status = facts.status;
    this.details = facts.details;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** 400. Names the parameter as the caller wrote it. */
export class InvalidInputError extends GatewayError {
  override name = "InvalidInputError";

  constructor(parameter: string, problem: string, details: Record<string, unknown> = {}) {
    super(`${parameter}: ${problem}`, { code: "INVALID_INPUT", status: 400, details: { parameter, ...details } });
  }
}

/** 503. The answer exists or will exist; ask again after `Retry-After`. */
export class UnavailableError extends GatewayError {
  override name = "UnavailableError";

  constructor(
    code:
      | "STARTING"
      | "CATCHING_UP"
      | "INDEX_FOLDING"
      | "METADATA_PENDING"
      | "OVERLOADED"
      | "TIMEOUT"
      | "HISTORY_LOADING"
      | "DATABASE_UNAVAILABLE",
    message: string,
    details?: Record<string, unknown>,
  ) {
    super(message, { code, status: 503, retryAfterSeconds: 2, ...(details ? { details } : {}) });
  }
}

export class NotFoundError extends GatewayError {
  override name = "NotFoundError";

  constructor(message: string) {
    super(message, { code: "NOT_FOUND", status: 404 });
  }
}

const DATABASE_DOWN = new Set([
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOENT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "53100", // disk full
  "53300", // too many connections
  "57P01", // admin shutdown
  "57P02", // crash shutdown
  "57P03", // cannot connect now
  "25P03", // idle in transaction too long
  "08006",
]);

/** Another statement of the transaction has failed, and it is not rolled back yet (25P02). */
export const isAborted = (error: unknown): boolean => codeOf(error) === "25P02";

/** The connection is gone, or none can be had. */
export const isDatabaseDown = (error: unknown): boolean => isUnreached(error) || DATABASE_DOWN.has(codeOf(error));

/** A replica gave up a read for something that it has to take over from the primary (40001). */
export const isReplicaConflict = (error: unknown): boolean => codeOf(error) === "40001";

/** SQLSTATE of a statement that needs states of blocks which were pruned: see core/history/pruned.ts. */
const isPruned = (error: unknown): boolean => codeOf(error) === PRUNED_STATE;

/** The public face of anything thrown. What is not ours says nothing about the inside. */
export function publicError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isMissingTable(error))
    return new UnavailableError("INDEX_FOLDING", "The index is being rebuilt. Retry in a few seconds.");
  if (isLockLost(error))
    return new UnavailableError("OVERLOADED", "The indexer is reorganising its tables. Retry in a few seconds.");
  if (isPruned(error))
    return new UnavailableError(
      "HISTORY_LOADING",
      "These blocks are in the history lake alone. Retry in a few seconds.",
    );
  if (codeOf(error) === "57014")
    return new UnavailableError("TIMEOUT", "The answer took too long. Ask for less, or retry later.");
  if (isDatabaseDown(error) || isReplicaConflict(error))
    return new UnavailableError("DATABASE_UNAVAILABLE", "The database cannot be reached. Retry in a few seconds.");
  return new GatewayError("Something went wrong on our side. Quote the request id when you report it.", {
    code: "INTERNAL",
    status: 500,
  });
}

/** The error body: `{"error": {"code", "message", "details"?}}`. */
export const errorBody = ({ code, message, details }: GatewayError) => ({
  error: { code, message, ...(details ? { details } : {}) },
});
