// A log that several sources have is one fact, whatever Ponder gives again after failures and replaced blocks.
import { describe, expect, test } from "vitest";
import { isWritten } from "../../src/written-once.ts";

const logAt = (blockHash: string, logIndex: number) => ({ block: { hash: blockHash }, log: { logIndex } });

describe("a log that several sources have", () => {
  test("is written by the first of them alone", () => {
    const log = logAt("0xa1", 3);
    expect(["Erc20", "PairShare", "VaultShare"].map((source) => isWritten(log, source))).toEqual([false, true, true]);
  });

  test("is written again by the same source when Ponder gives it again", () => {
    const log = logAt("0xa2", 0);
    const given = ["PairShare", "VaultShare"].map((source) => isWritten(log, source));
    const givenAgain = ["PairShare", "VaultShare"].map((source) => isWritten(log, source));
    expect([given, givenAgain]).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  test("is another in a block that replaces its own, and beside another index", () => {
    expect(isWritten(logAt("0xa3", 1), "Erc20")).toBe(false);
    expect(isWritten(logAt("0xb3", 1), "PairShare")).toBe(false);
    expect(isWritten(logAt("0xb3", 2), "Erc20")).toBe(false);
  });
});
