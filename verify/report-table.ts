// The table that verify prints.
import { columnsOf, shortenedText, terminalText } from "../machine/terminal-text.ts";
import type { TokenReport } from "./compare.ts";

const HEADINGS = ["token", "symbol", "blocks", "accounts", "compared", "differ", "wei off", "verdict"] as const;
const SYMBOL_COLUMNS = 12;
const isNumeric = (column: number) => column >= 3 && column <= 6;

function rowOf(report: TokenReport): string[] {
  const { token, blocks, accounts, comparisons, differences, weiOff, verdict } = report;
  const [first, last] = [blocks[0], blocks.at(-1)];
  const range = first === undefined ? "-" : first === last ? String(first) : `${blocks.length} in ${first}..${last}`;
  return [
    token.address,
    shortenedText(token.symbol, SYMBOL_COLUMNS),
    range,
    String(accounts),
    String(comparisons),
    String(differences),
    String(weiOff),
    verdict,
  ];
}

/** One line per token, columns aligned. */
export function formatTable(reports: readonly TokenReport[]): string {
  const rows = [[...HEADINGS], ...reports.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => columnsOf(row[column] ?? ""))));
  const align = (text: string, column: number) => {
    const padding = " ".repeat((widths[column] ?? 0) - columnsOf(text));
    return isNumeric(column) ? `${padding}${text}` : `${text}${padding}`;
  };
  return rows.map((row) => row.map(align).join("  ").trimEnd()).join("\n");
}

/** The lines below the table: reasons for every verdict but `exact`. */
export function formatDetails(reports: readonly TokenReport[], isVerbose: boolean): string[] {
  return reports
    .filter(({ verdict }) => verdict !== "exact")
    .flatMap(({ token, verdict, detail, noted }) => [
      `${verdict}: ${terminalText(token.symbol) || token.address}: ${detail}`,
      ...(isVerbose
        ? noted.map(
            ({ block, what, served, contract }) => `  block ${block}  ${what}  served ${served}  contract ${contract}`,
          )
        : []),
    ]);
}
