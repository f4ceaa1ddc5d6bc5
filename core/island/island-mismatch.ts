// An island whose events do not fit together.
import { MismatchError } from "../mismatch-error.ts";
import type { IslandFact } from "./facts.ts";

export class IslandMismatchError extends MismatchError {
  readonly island: string;

  constructor(
    at: Pick<IslandFact, "island" | "block" | "logIndex">,
    mismatch: { field: string; expected: unknown; replayed: unknown },
  ) {
    super(`Island ${at.island}`, at, mismatch);
    this.island = at.island;
  }
}
