// The one way in which the replay of a contract's events can fail: they do not fit together.

/** Names the fact and both values. The contract's state stays as it was before that fact, and takes no more facts. */
export abstract class MismatchError extends Error {
  readonly block: number;
  readonly logIndex: number;
  readonly field: string;
  /** What the event says. */
  readonly expected: string;
  /** What the replay gives. */
  readonly replayed: string;

  constructor(
    contract: string,
    { block, logIndex }: { block: number; logIndex: number },
    mismatch: { field: string; expected: unknown; replayed: unknown },
  ) {
    const { field } = mismatch;
    const [expected, replayed] = [String(mismatch.expected), String(mismatch.replayed)];
    super(
      `${contract} stops at block ${block}, log ${logIndex}: ${field} is ${expected} in the event and ${replayed} in the replay.`,
    );
    this.name = new.target.name;
    this.block = block;
    this.logIndex = logIndex;
    this.field = field;
    this.expected = expected;
    this.replayed = replayed;
  }
}
