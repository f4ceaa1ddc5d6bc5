// A pool whose facts and replay differ.
import type { FactPlace } from "../fact-place.ts";
import { MismatchError } from "../mismatch-error.ts";

export class ReplayMismatchError extends MismatchError {
  readonly pool: string;

  constructor(at: FactPlace & { pool: string }, mismatch: { field: string; expected: unknown; replayed: unknown }) {
    super(`Pool ${at.pool}`, at, mismatch);
    this.pool = at.pool;
  }
}

/** Throws {@link ReplayMismatchError} unless both values are the same. */
export function requireEqual<T extends bigint | number>(
  at: FactPlace & { pool: string },
  mismatch: { field: string; expected: T; replayed: T },
): void {
  if (mismatch.expected !== mismatch.replayed) throw new ReplayMismatchError(at, mismatch);
}
