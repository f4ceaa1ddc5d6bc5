// The one way a pool's replay can fail: what the facts say and what the replay gives are not the same.
import type { FactPlace } from "../fact-place.ts";

/** Names the fact and both values. The pool's state stays as it was before that fact, and takes no more facts. */
export class ReplayMismatchError extends Error {
  readonly pool: string;
  readonly block: number;
  readonly logIndex: number;
  readonly field: string;
  /** What the event says. */
  readonly expected: string;
  /** What the replay gives. */
  readonly replayed: string;

  constructor(at: FactPlace & { pool: string }, mismatch: { field: string; expected: unknown; replayed: unknown }) {
    const { field } = mismatch;
    const [expected, replayed] = [String(mismatch.expected), String(mismatch.replayed)];
    super(
      `Pool ${at.pool} stops at block ${at.block}, log ${at.logIndex}: ${field} is ${expected} in the event and ${replayed} in the replay.`,
    );
    this.name = "ReplayMismatchError";
    this.pool = at.pool;
    this.block = at.block;
    this.logIndex = at.logIndex;
    this.field = field;
    this.expected = expected;
    this.replayed = replayed;
  }
}

/** Throws {@link ReplayMismatchError} unless both values are the same. */
export function requireEqual<T extends bigint | number>(
  at: FactPlace & { pool: string },
  mismatch: { field: string; expected: T; replayed: T },
): void {
  if (mismatch.expected !== mismatch.replayed) throw new ReplayMismatchError(at, mismatch);
}
