// Every phase of every benchmark at its smallest size, with all answers checked. Timings assert nothing.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasChdb } from "../../bench/lake/chdb.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const LAKE_CONTENDERS = ["postgres", "http", "duckdb parquet", "duckdb csv", "chdb tables", "chdb parquet"];
const NAMES = ["aggregator", "as-of", "averages", "gateway", "index", "lake", "live", "lookthrough", "router", "scale"];

// one of them needs ClickHouse's engine, which is not built for every machine
it.skipIf(!hasChdb())(
  "every benchmark runs at its smallest size, and all of its answers are right",
  async () => {
    const bench = spawn(process.execPath, ["bench/main.ts", "all", "--smallest"], { cwd: root });
    const [output, errors, code] = await Promise.all([
      text(bench.stdout),
      text(bench.stderr),
      new Promise((resolve) => bench.once("close", resolve)),
    ]);
    console.log(output);
    expect(code, `${output}\n${errors}`).toBe(0);
    expect([...output.matchAll(/^bench: (\S+): right/gm)].map(([, name]) => name).sort()).toEqual(NAMES);
    const { runs } = JSON.parse(readFileSync(`${root}/.tidemark/bench/lake.json`, "utf8"));
    expect(new Set(runs.map(({ name }: { name: string }) => name))).toEqual(new Set(LAKE_CONTENDERS));
  },
  3_600_000,
);
