// A complete answer.

export interface Answered {
  /** 0 where no answer came. */
  status: number;
  headers: Headers;
  text: string;
  milliseconds: number;
}

/** Codes of a server that works, but is not ready for this question. */
export const NOT_NOW: ReadonlySet<string> = new Set([
  ...["STARTING", "CATCHING_UP", "INDEX_FOLDING", "METADATA_PENDING"],
  ...["OVERLOADED", "TIMEOUT", "DATABASE_UNAVAILABLE"],
  // of /ready
  ...["PART_FAILING", "NODE_UNAVAILABLE", "STALLED", "HISTORY_MISSING", "CHAIN_REPLACED"],
]);

/** Codes of a 503 that does not go away by waiting. */
export const STAYS: ReadonlySet<string> = new Set(["HISTORY_MISSING", "CHAIN_REPLACED"]);

/** Undefined for what is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
