// Reading Ponder's tables for analysts: an answer may need many rows, but a reorganisation must not wait for it.
import { codeOf, UnavailableError } from "../errors.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";

/** Locks of Ponder's tables are let go of within about this. */
const LONGEST_READ = "1s";

/**
 * Rows of one statement that may run into its limit.
 * @throws TooManyFactsError after a second
 */
export async function readBounded<T extends object>(facts: FactsScope, text: string): Promise<T[]> {
  try {
    // undone together with the locks
    return await facts.runAndRead<T>(`set local statement_timeout = '${LONGEST_READ}'; ${text}`);
  } catch (error) {
    if (codeOf(error) === "57014") throw new TooManyFactsError();
    throw error;
  }
}

/** 503 `TIMEOUT`: more facts had to be looked at than a second suffices for. */
export class TooManyFactsError extends UnavailableError {
  override name = "TooManyFactsError";

  constructor() {
    super(
      "TIMEOUT",
      "More facts had to be looked at than fit into a second. Give a shorter range of blocks or time, or name a pool, vault, token or account.",
    );
  }
}
