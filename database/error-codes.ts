// What went wrong in PostgreSQL, by the code that its errors carry.

/** SQLSTATE or Node's code of `error`; empty when there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const UNREACHED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH", // of a host that is switched off, too
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "CONNECT_TIMEOUT",
]);

/** No connection can be had: nothing listens there, or the host is away, or there is no way to it. */
export const isUnreached = (error: unknown): boolean => UNREACHED.has(codeOf(error));

/** A schema or table is not there (42P01, 3F000): not made yet, or dropped under us. */
export const isMissingTable = (error: unknown): boolean => ["42P01", "3F000"].includes(codeOf(error));

/** Ended because it took longer than a statement may, or because nobody wants its rows any more (57014). */
export const isCanceled = (error: unknown): boolean => codeOf(error) === "57014";

/** Lost against somebody else's lock: deadlock victim (40P01) or lock timeout (55P03). */
export const isLockLost = (error: unknown): boolean => ["40P01", "55P03"].includes(codeOf(error));
