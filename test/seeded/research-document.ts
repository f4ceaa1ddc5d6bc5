// docs/research.md as data: its questions with their SQL, and the answers that it shows.
import { readFileSync, writeFileSync } from "node:fs";
import type { TestAnswer } from "../support/sql-engine.ts";

export interface ResearchQuestion {
  number: number;
  title: string;
  sql: string;
  /** Markdown of the answer shown; empty where there is none yet. */
  table: string;
}

const place = new URL("../../docs/research.md", import.meta.url);

/** A heading with a number, text, a block of SQL, and the table behind it. */
const QUESTION = /^(## (\d+)\. (.+)\n(?:(?!## ).*\n)*?```sql\n([^`]*)```\n)(?:\n((?:\|.*\n)+))?/gm;

export const researchQuestions = (): ResearchQuestion[] =>
  [...readFileSync(place, "utf8").matchAll(QUESTION)].map(([, , number, title, sql, table]) => ({
    ...{ number: Number(number), title: String(title) },
    ...{ sql: String(sql), table: table ?? "" },
  }));

const line = (cells: readonly unknown[]): string => `| ${cells.map((cell) => String(cell ?? "")).join(" | ")} |\n`;

/** Markdown of an answer. */
export function tableOf({ columns, rows }: TestAnswer): string {
  const names = columns.map(({ name }) => name);
  const values = rows.map((row) => line(names.map((name) => row[name])));
  return `${line(names)}|${"---|".repeat(names.length)}\n${values.join("")}`;
}

/** Shows these answers, by number of the question, in place of the ones before. */
export function writeTables(tables: ReadonlyMap<number, string>): void {
  const document = readFileSync(place, "utf8");
  const shown = document.replace(QUESTION, (_, question, number) => `${question}\n${tables.get(Number(number)) ?? ""}`);
  writeFileSync(place, shown);
}
