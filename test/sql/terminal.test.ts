// `npm run sql` that nobody waits for any more: the pipe is closed, or it is stopped in the middle.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { buildIndex } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let made: TestLake;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-terminal-"));
  database = await startTestDatabase();
  await buildIndex(database.sql, smallIndex);
  made = await makeLake(database.url, {
    ...{ chainId: 31337, name: "small" },
    lake: { segmentBlocks: 2, segmentTransfers: 1 },
  });
});
afterAll(async () => {
  made?.remove();
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const LONG = "select a.*, b.range from blocks a, range(10000000) b";

function start(args: readonly string[], { lake = join(made.folder, ".."), seconds = 30 } = {}) {
  const child = spawn(process.execPath, ["sql/main.ts", LONG, ...args], {
    env: {
      ...{ PATH: process.env.PATH, CHAIN: "devnet", TIDEMARK_DATA: folder, LAKE: lake },
      ...{ DATABASE_URL: database.url, SQL_ROWS: "1000000000", SQL_MB: "1000000", SQL_SECONDS: String(seconds) },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  return { child, said, ended: once(child, "exit") };
}

it("the command says that its seconds are over when the reader of its output reads on too late", async () => {
  const { child, said, ended } = start([], { seconds: 2 });
  await once(child.stdout, "readable");
  // longer than a statement may take to stop once it is interrupted
  await sleep(6_000);
  child.stdout.resume();
  expect([await ended, said.join("")]).toEqual([[1, null], expect.stringMatching(/^sql: .* more than 2 seconds.*\n$/)]);
});

it("the command ends well when its reader closes the pipe, removes what a killed run left, and leaves a run alone that, when it is stopped, leaves neither half a file nor a folder", async () => {
  const own = join(folder, "sql", "31337");
  const file = join(folder, "killed.csv");
  const partials = () => readdirSync(folder).filter((name) => name.startsWith("killed.csv.partial-"));
  const killed = start(["--file", file]);
  await vi.waitUntil(() => partials().length === 1, 120_000);
  killed.child.kill("SIGKILL");
  await killed.ended;
  expect(readdirSync(own)).toContain(`terminal-${killed.child.pid}`);
  const left = partials();
  const running = start(["--file", file]);
  await vi.waitUntil(() => partials().length === 1 && partials()[0] !== left[0], 120_000);
  const third = start([]);
  third.child.stdout.once("data", () => third.child.stdout.destroy());
  expect([await third.ended, third.said]).toEqual([[0, null], []]);
  expect(readdirSync(own).sort()).toEqual([`terminal-${running.child.pid}`, "verified.json"]);
  running.child.kill("SIGINT");
  expect(await running.ended).toEqual([null, "SIGINT"]);
  expect([readdirSync(folder), readdirSync(own)]).toEqual([["sql"], ["verified.json"]]);
});

it("the command names the lake's folder where it cannot be made, and leaves nothing behind", async () => {
  const { said, ended } = start([], { lake: "/proc/tidemark" });
  expect(await ended).toEqual([1, null]);
  expect(said.join("")).toMatch(
    /^sql: LAKE: \/proc\/tidemark\/31337 cannot be written, or was taken away \(ENOENT.*\n$/,
  );
  expect(readdirSync(join(folder, "sql", "31337"))).toEqual(["verified.json"]);
});
