// What every error of the integer ports has in common: a caller can tell "the contract would have reverted here"
// from a mistake in our own code.

/** An operation that the Solidity library refuses. `reason` is the contract's own revert string where it has one. */
export class MathError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = new.target.name;
    this.reason = reason;
  }
}
