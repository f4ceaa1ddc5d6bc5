// What a row takes at each measured size: shows whether the figures of a plan may be extrapolated along a line.
import type { Runs } from "./measured-file.ts";
import { bytesOf, bytesPerRow, sumOver } from "./table-sizes.ts";

const bytes = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
const count = (value: number): string => value.toLocaleString("en-US");

/** A Markdown table. @throws Error when a run is missing */
export function sizesTable({ backfill, lake }: Runs): string {
  if (!backfill || !lake) throw new Error("the sizes need runs of backfill and lake: run those phases first");
  const indexed = [backfill.few, backfill.many];
  const row = (title: string, cells: readonly string[]) => `| ${title} | ${cells.join(" | ")} |`;
  return [
    row(
      "bytes of PostgreSQL for one transfer, of so many",
      indexed.map(({ transfers }) => count(transfers)),
    ),
    `|---|${indexed.map(() => "---|").join("")}`,
    row(
      "log, as Ponder keeps it",
      indexed.map(({ sizes }) => bytes(bytesPerRow(sizes, "raw.logs"))),
    ),
    row(
      "fact",
      indexed.map(({ sizes }) => bytes(bytesPerRow(sizes, "facts.erc20_transfer"))),
    ),
    row(
      "fold, all tables",
      indexed.map(({ sizes, transfers }) =>
        bytes(sumOver(sizes, (table) => table.startsWith("fold.")).bytes / transfers),
      ),
    ),
    row(
      "`holding_interval` alone",
      indexed.map(({ sizes, transfers }) => bytes(bytesOf(sizes, "fold.holding_interval") / transfers)),
    ),
    "",
    row(
      "bytes of the lake for one closed interval, of so many",
      lake.closed.map(({ rows }) => count(rows)),
    ),
    `|---|${lake.closed.map(() => "---|").join("")}`,
    row(
      "bytes",
      lake.closed.map((one) => bytes(one.bytes / one.rows)),
    ),
    row(
      "in all",
      lake.closed.map((one) => `${bytes(one.bytes / 1e6)} MB`),
    ),
  ].join("\n");
}
