// What came back, read whole.

export interface Answered {
  /** 0 where nothing came. */
  status: number;
  headers: Headers;
  text: string;
  milliseconds: number;
}

/** Codes of a server that is well, but not ready for this question. */
export const NOT_NOW: ReadonlySet<string> = new Set([
  ...["STARTING", "CATCHING_UP", "INDEX_FOLDING", "METADATA_PENDING", "POOL_STOPPED"],
  ...["OVERLOADED", "TIMEOUT", "DATABASE_UNAVAILABLE"],
]);

/** Undefined of what is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
