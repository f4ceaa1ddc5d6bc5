// What one statement may take, and what this process may.
import { readFileSync } from "node:fs";
import { SqlLimitError } from "../gateway/sql/sql-errors.ts";

export interface StatementLimits {
  seconds: number;
  rows: number;
  /** Of the answer as it is sent. */
  bytes: number;
}

/** The process's resident memory in megabytes, as Linux counts it; elsewhere what Node says. */
export function residentMegabytes(): number {
  try {
    const pages = Number(readFileSync("/proc/self/statm", "utf8").split(" ")[1]);
    return (pages * 4_096) / 1024 ** 2;
  } catch {
    return process.memoryUsage.rss() / 1024 ** 2;
  }
}

/** The error of a statement that wants more memory than `megabytes`. */
export const memoryLimitError = (megabytes: number): SqlLimitError =>
  new SqlLimitError("memory", megabytes, "aggregate or filter earlier, or ask for fewer rows");

/** Counts what a statement gives. */
export class Meter {
  readonly #limits: StatementLimits;
  rows = 0;
  bytes = 0;

  constructor(limits: StatementLimits) {
    this.#limits = limits;
  }

  /** @throws SqlLimitError */
  addRows(count: number): void {
    this.rows += count;
    if (this.rows > this.#limits.rows)
      throw new SqlLimitError("rows", this.#limits.rows, "aggregate, filter or add a LIMIT");
  }

  /** @throws SqlLimitError */
  addBytes(count: number): void {
    this.bytes += count;
    if (this.bytes > this.#limits.bytes)
      throw new SqlLimitError("bytes", this.#limits.bytes, "ask for fewer rows or columns, or for Parquet");
  }
}
