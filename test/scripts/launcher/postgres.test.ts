// Our own PostgreSQL: wherever the data lie, whatever a killed run left behind.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres } from "../../../scripts/launcher/postgres.ts";
import { DatabaseStartError } from "../../../scripts/launcher/postgres-binaries.ts";
import { endProcess, identify } from "../../../scripts/launcher/processes.ts";

const isRoot = process.getuid?.() === 0;
let home: string;
let dataDir: string;

// mkdtemp makes folders that only their owner can enter: as root, PostgreSQL's account cannot. One cluster serves all
// tests in turn, as it would an operator: making one takes seconds.
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  dataDir = join(home, "postgres");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function ask(url: string, query: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql.unsafe(query);
    return row && Object.values(row)[0];
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** The folder that holds the cluster, relocated or not. */
const place = (): string =>
  existsSync(`${dataDir}.location`)
    ? (JSON.parse(readFileSync(`${dataDir}.location`, "utf8")) as { path: string }).path
    : dataDir;

describe("startPostgres", () => {
  it("keeps data over a stop, in a folder only its owner can enter", async () => {
    const first = await startPostgres({ dataDir });
    expect(place() === dataDir).toBe(!isRoot);
    await ask(first.url, "create table kept as select 'ÄÖ'::text as word");
    await first.stop();
    const second = await startPostgres({ dataDir });
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, "select lower(word) from kept")).toBe("äö");
    await second.stop();
  });

  it("listens on loopback only and wants the password", async () => {
    const server = await startPostgres({ dataDir });
    expect(await ask(server.url, "show listen_addresses")).toBe("127.0.0.1");
    await expect(ask(server.url.replace(/:\w+@/, ":wrong@"), "select 1")).rejects.toThrow(/password/);
    await server.stop();
  });

  it("starts again after kill -9 of the server, without losing a commit", async () => {
    const first = await startPostgres({ dataDir });
    await ask(first.url, "create table survived as select 42 as answer");
    await endProcess({ pid: first.pid, startedAt: identify(first.pid)!.startedAt }, [["SIGKILL", 5_000]]);
    await first.ended;
    expect(existsSync(join(place(), "cluster", "postmaster.pid"))).toBe(true);
    const second = await startPostgres({ dataDir });
    expect(await ask(second.url, "select answer from survived")).toBe(42);
    await second.stop();
  });

  it("is not fooled by a pid file that names a living stranger", async () => {
    await (await startPostgres({ dataDir })).stop();
    const file = join(place(), "cluster", "postmaster.pid");
    writeFileSync(file, `${process.pid}\n${join(place(), "cluster")}\n1\n5432\n\n127.0.0.1\n0 0\nready   \n`);
    const server = await startPostgres({ dataDir });
    expect(await ask(server.url, "select 1")).toBe(1);
    await server.stop();
  });

  it("refuses a cluster that another live process owns", async () => {
    const server = await startPostgres({ dataDir });
    const owner = join(place(), "owner.json");
    writeFileSync(owner, JSON.stringify(identify(process.ppid)));
    await expect(startPostgres({ dataDir })).rejects.toThrow(DatabaseStartError);
    expect(await ask(server.url, "select 1")).toBe(1);
    rmSync(owner);
    await server.stop();
  });

  it("starts over when the data directory was removed, and removes what a temporary one leaves", async () => {
    const abandoned = place();
    expect(existsSync(abandoned)).toBe(true);
    rmSync(home, { recursive: true });
    mkdirSync(home, { mode: 0o700 });
    const server = await startPostgres({ dataDir, isTemporary: true });
    expect(await ask(server.url, "select to_regclass('kept') is null")).toBe(true);
    if (isRoot) expect(existsSync(abandoned)).toBe(false);
    const folder = place();
    await server.stop();
    expect(existsSync(folder)).toBe(false);
  });
});
