// The lake of the seeded devnet in ClickHouse: in its tables, in those of a cluster of one shard, and read where it lies.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChdb } from "../../bench/lake/chdb.ts";
import { quoted } from "../../fold/tables.ts";
import { loadLake } from "../../lake/clickhouse/load.ts";
import { statementsOf } from "../../lake/clickhouse/schema.ts";
import { filesOf } from "../../lake/manifest.ts";
import { type AsOfQuestion, asOfQuestions } from "../support/as-of-questions.ts";
import { startClickHouse, type TestClickHouse } from "../support/clickhouse.ts";
import { sized } from "../support/sized.ts";
import { openSeededSql, type SeededLake, seeded, seededLake } from "./seeded-index.ts";

const place = (path: string): string => fileURLToPath(new URL(`../../ops/clickhouse/${path}`, import.meta.url));
const question = (name: string): string => readFileSync(place(`questions/${name}.sql`), "utf8");

let sql: Sql;
let lake: SeededLake;
let clickhouse: TestClickHouse;

const QUESTIONS = sized({ some: 100, whole: 1_000 });
const KILLS = sized({ some: 2, whole: 20 });
/** A file takes about ten times as long. */
const STEP_MS = 2;

describe.skipIf(!hasChdb())("the seeded devnet's lake in ClickHouse", () => {
  const clients: ClickHouseClient[] = [];
  let questions: AsOfQuestion[];

  beforeAll(async () => {
    sql = openSeededSql();
    lake = await seededLake();
    clickhouse = await startClickHouse();
    const last = lake.manifest.segments.at(-1)?.last ?? 0;
    const schemas = { facts: quoted(seeded.ponderSchema), fold: quoted(seeded.foldSchema) };
    questions = await asOfQuestions(sql, { ...schemas, last, count: QUESTIONS, seed: 23 });
  }, 600_000);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await clickhouse?.stop();
    await sql?.end();
  });

  const open = async (name: string): Promise<ClickHouseClient> => {
    const client = await clickhouse.openDatabase(name);
    clients.push(client);
    return client;
  };

  /** Those whose bytes differ from PostgreSQL's. */
  async function wrongAnswers(database: string, of: readonly AsOfQuestion[]): Promise<string[]> {
    const wrong: string[] = [];
    for (const { name, parameters, expected } of of) {
      const got = await clickhouse.ask(database, question(name), parameters);
      if (got !== expected)
        wrong.push(`${name} ${JSON.stringify(parameters)}: ${got.slice(0, 500)}, not ${expected.slice(0, 500)}`);
    }
    return wrong;
  }

  it("has several segments, and questions of every kind whose answers are not empty", () => {
    expect(lake.manifest.segments.length).toBeGreaterThan(3);
    const answered = new Set(questions.filter(({ expected }) => expected !== "").map(({ name }) => name));
    expect([...answered].sort()).toEqual(
      readdirSync(place("questions"))
        .map((file) => file.replace(".sql", ""))
        .sort(),
    );
  });

  it(`takes every row once by loads of which ${KILLS} end by kill -9`, async () => {
    const files = filesOf(lake.manifest);
    const args = ["lake/clickhouse/main.ts", "--lake", lake.folder, "--url", clickhouse.url, "--database", "server"];
    const start = (): ChildProcess =>
      spawn(process.execPath, args, { cwd: place("../.."), stdio: ["ignore", "pipe", "inherit"] });
    const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve));
    const recorded: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = start();
      // somewhere in the file after the first one that it says it took
      child.stdout?.once("data", () => setTimeout(() => child.kill("SIGKILL"), kill * STEP_MS));
      await ended(child);
      recorded.push(Number(await clickhouse.ask("server", "select count() from lake_file final")));
    }
    // each took something, and none the rest
    expect(recorded.every((files, kill) => files > (recorded[kill - 1] ?? 0))).toBe(true);
    expect(recorded.at(-1)).toBeLessThan(files.length);
    const last = start();
    last.stdout?.resume();
    expect(await ended(last)).toBe(0);
    const counted: string[] = [];
    for (const dataset of new Set(files.map(({ dataset }) => dataset))) {
      const text = `select '${dataset}', segment, count() from ${dataset} group by segment`;
      counted.push(...(await clickhouse.ask("server", text)).split("\n").slice(0, -1));
    }
    const written = files.filter(({ rows }) => rows > 0);
    expect(counted.sort()).toEqual(
      written.map(({ dataset, path, rows }) => `${dataset}\t${Number(path.slice(-18, -8))}\t${rows}`).sort(),
    );
    expect(await clickhouse.ask("server", "select count(), uniqExact(path) from lake_file final")).toBe(
      `${files.length}\t${files.length}\n`,
    );
  });

  it(`answers ${QUESTIONS} random questions from these tables as PostgreSQL does`, async () => {
    expect(await wrongAnswers("server", questions)).toEqual([]);
  });

  it("answers them from the files where they lie", async () => {
    await open("files");
    for (const text of statementsOf(readFileSync(place("files.sql"), "utf8")))
      await clickhouse.ask("files", text.replaceAll("LAKE", lake.folder));
    expect(await wrongAnswers("files", questions)).toEqual([]);
  });

  it("answers them through the tables of a cluster", async () => {
    const client = await open("cluster");
    // chdb has no queue of statements for a cluster, and its keeper in memory lets no replica write
    const alone = (text: string) =>
      text.replaceAll(" on cluster '{cluster}'", "").replaceAll(/Replicated(\w*MergeTree)\('[^)]*'\)/g, "$1");
    for (const text of statementsOf(readFileSync(place("cluster.sql"), "utf8")))
      await clickhouse.ask("cluster", alone(text));
    await loadLake({ client, isCluster: true, folder: lake.folder, manifest: lake.manifest });
    expect(await wrongAnswers("cluster", questions.slice(0, QUESTIONS / 5))).toEqual([]);
  });

  it("is understood as a cluster's replicated tables", async () => {
    await open("replicated");
    for (const text of statementsOf(readFileSync(place("cluster.sql"), "utf8")))
      await clickhouse.ask("replicated", text.replaceAll(" on cluster '{cluster}'", ""));
    const engines =
      "select engine, count() > 40 from system.tables where database = 'replicated' group by 1 order by 1";
    expect(await clickhouse.ask("replicated", engines)).toBe(
      "Distributed\t1\nReplicatedMergeTree\t1\nReplicatedReplacingMergeTree\t0\n",
    );
  });

  it("says that a block has no segment instead of an empty answer", async () => {
    const last = lake.manifest.segments.at(-1)?.last ?? 0;
    const parameters = { token: "0x00", block: last + 1 };
    await expect(clickhouse.ask("server", question("holders"), parameters)).rejects.toThrow(
      "no segment of the lake has this block",
    );
  });
});
