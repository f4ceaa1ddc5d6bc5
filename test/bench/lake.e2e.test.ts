// `npm run bench -- lake` at its smallest: it ends with an error unless all of its answers are equal.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasChdb } from "../../bench/lake/chdb.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

it.skipIf(!hasChdb())(
  "compares PostgreSQL, DuckDB and ClickHouse's engine on one history, and keeps every figure",
  async () => {
    const bench = spawn(process.execPath, ["bench/main.ts", "lake", "--size", "XS", "--rounds", "1"], { cwd: root });
    const [output, errors, code] = await Promise.all([
      text(bench.stdout),
      text(bench.stderr),
      new Promise((resolve) => bench.once("close", resolve)),
    ]);
    expect([code, errors.replaceAll(/^.*ExperimentalWarning.*\n.*\n/gm, "")]).toEqual([0, ""]);
    expect(output).toContain("late block: duckdb parquet against http");
    const kept = JSON.parse(readFileSync(join(root, ".tidemark/bench/lake.json"), "utf8"));
    const names = new Set(kept.runs.map(({ name }: { name: string }) => name));
    expect(names).toEqual(new Set(["postgres", "http", "duckdb parquet", "duckdb csv", "chdb tables", "chdb parquet"]));
  },
  600_000,
);
