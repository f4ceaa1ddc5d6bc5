// The one way an island's replay can fail: its events do not fit together.
import type { IslandFact } from "./facts.ts";

/** Names the fact and both values. The island takes no more facts from there on. */
export class IslandMismatchError extends Error {
  readonly island: string;
  readonly block: number;
  readonly logIndex: number;
  readonly field: string;
  /** What the event says. */
  readonly expected: string;
  /** What the replay gives. */
  readonly replayed: string;

  constructor(
    at: Pick<IslandFact, "island" | "block" | "logIndex">,
    mismatch: { field: string; expected: unknown; replayed: unknown },
  ) {
    const { field } = mismatch;
    const [expected, replayed] = [String(mismatch.expected), String(mismatch.replayed)];
    super(
      `Island ${at.island} stops at block ${at.block}, log ${at.logIndex}: ${field} is ${expected} in the event and ${replayed} in the replay.`,
    );
    this.name = "IslandMismatchError";
    this.island = at.island;
    this.block = at.block;
    this.logIndex = at.logIndex;
    this.field = field;
    this.expected = expected;
    this.replayed = replayed;
  }
}
