// Rows as aligned columns. Whatever a cell holds, what comes out is text that a terminal can only show.
import { columnsOf, shortenedText } from "../machine/terminal-text.ts";

export interface Column {
  title: string;
  /** Numbers stand right. */
  align?: "right";
  /** Longer cells are cut; never numbers or addresses. */
  atMost?: number;
}

/** A line of titles, then one line per row; columns two spaces apart. Nothing at all without rows. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const shown = (text: string, at: number) => shortenedText(text, columns[at]?.atMost ?? Number.POSITIVE_INFINITY);
  const cells = [columns.map(({ title }) => title), ...rows].map((row) => row.map(shown));
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => columnsOf(row[at] ?? ""))));
  const padded = (text: string, at: number) => {
    const space = " ".repeat(Math.max(0, (widths[at] ?? 0) - columnsOf(text)));
    return columns[at]?.align === "right" ? space + text : text + space;
  };
  return cells.map((row) => row.map(padded).join("  ").trimEnd());
}
