// A log that several sources have is one fact, whatever Ponder gives again after failures and replaced blocks.
import { describe, expect, test } from "vitest";
import { SharedLogs } from "../../src/shared-logs.ts";

const logAt = (blockHash: string, logIndex: number) => ({ block: { hash: blockHash }, log: { logIndex } });

describe("a log that several sources have", () => {
  test("is written by the first of them alone", () => {
    const logs = new SharedLogs();
    const sources = ["Erc20", "PairShare", "VaultShare"];
    expect(sources.map((source) => logs.isWritten(logAt("0xa", 3), source))).toEqual([false, true, true]);
  });

  test("is written again by the same source when Ponder gives it again", () => {
    const logs = new SharedLogs();
    const give = () => ["PairShare", "VaultShare"].map((source) => logs.isWritten(logAt("0xa", 0), source));
    expect([give(), give()]).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  test("is another in a block that replaces its own, and under another index", () => {
    const logs = new SharedLogs();
    expect(logs.isWritten(logAt("0xa", 1), "Erc20")).toBe(false);
    expect(logs.isWritten(logAt("0xb", 1), "PairShare")).toBe(false);
    expect(logs.isWritten(logAt("0xb", 2), "Erc20")).toBe(false);
  });
});
