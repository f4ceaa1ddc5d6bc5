// What verify prints of tokens: their names are strangers' text.
import { expect, it } from "vitest";
import type { TokenReport } from "../../verify/compare.ts";
import { formatDetails, formatTable } from "../../verify/report-table.ts";
import { tokenOf } from "../support/reference-ledger.ts";

const report = (symbol: string): TokenReport => ({
  token: { address: tokenOf(1) as `0x${string}`, symbol, quarantine: undefined },
  flagged: undefined,
  verdict: "drift",
  blocks: [5],
  accounts: 1,
  comparisons: 2,
  differences: 1,
  contradiction: undefined,
  noted: [],
  readable: undefined,
  differing: new Map(),
  weiOff: 3n,
  detail: "differs",
});

it("the table shows symbols that a terminal would obey as text, in columns that stay aligned", () => {
  const symbols = ["HONEY", "\u202eYENOH", "\u{1f4a9}".repeat(8), "\u001b[31m"];
  const lines = formatTable(symbols.map(report)).split("\n");
  expect(lines).toHaveLength(5);
  expect(lines[2]).toContain("\\u{202e}YEN…");
  expect(lines[4]).toContain("\\u{1b}[31m");
  expect(lines.join("")).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}/u);
  expect(new Set([lines[1], lines[2], lines[4]].map((line) => line?.indexOf("5  ", 60))).size).toBe(1);
  expect(formatDetails([report("\u202eYENOH")], false)).toEqual(["drift: \\u{202e}YENOH: differs"]);
});
