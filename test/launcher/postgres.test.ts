// Our own PostgreSQL: wherever the data lie, whatever a killed run left behind.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readEnvironment } from "../../launcher/environment.ts";
import { DatabaseStartError } from "../../launcher/postgres/binaries.ts";
import { readPostmaster } from "../../launcher/postgres/leftovers.ts";
import { startPostgres } from "../../launcher/postgres/server.ts";
import { indexingEnvironment } from "../../launcher/programs.ts";
import { endProcess, identify } from "../../machine/processes.ts";

/** Ponder's own driver. */
const pg = createRequire(new URL("../../node_modules/ponder/package.json", import.meta.url))("pg") as {
  Client: new (
    options: object,
  ) => { connect(): Promise<void>; query(text: string): Promise<{ rows: object[] }>; end(): Promise<void> };
};
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

  it("is reached through its socket by both drivers, with what the launcher gives its children and with the password alone", async () => {
    const { url: databaseUrl, socketFolder, stop } = await startPostgres({ dataDir });
    const [served] = readEnvironment({}).chains;
    const { DATABASE_URL, ...variables } = indexingEnvironment({
      ...{ served, rpcUrl: "http://127.0.0.1:1", ponderSchema: "facts", databaseUrl, socketFolder },
    });
    for (const name of ["PGHOST", "PGPORT", "PGUSER", "PGPASSWORD"]) vi.stubEnv(name, variables[name]);
    const text =
      "select inet_server_addr() is null and current_database() = 'tidemark' and current_user = 'tidemark' as is_socket";
    expect(await ask(DATABASE_URL ?? "", text)).toBe(true);
    const byPonders = new pg.Client({ connectionString: DATABASE_URL });
    await byPonders.connect();
    expect((await byPonders.query(text)).rows).toEqual([{ is_socket: true }]);
    await byPonders.end();
    vi.stubEnv("PGPASSWORD", "wrong");
    await expect(ask(DATABASE_URL ?? "", "select 1")).rejects.toThrow(/password/);
    vi.unstubAllEnvs();
    await stop();
  });

  it("has no socket where nobody could name it, as its path is too long", async () => {
    const open = mkdtempSync(join(tmpdir(), "tidemark-test-"));
    chmodSync(open, 0o755); // so that the cluster lies in it, whichever account runs it
    const far = join(open, "a".repeat(90));
    const server = await startPostgres({ dataDir: far, isTemporary: true });
    expect(server.logFile.startsWith(far)).toBe(true);
    expect(server.socketFolder).toBeUndefined();
    expect(await ask(server.url, "show unix_socket_directories")).toBe("");
    await server.stop();
    rmSync(open, { recursive: true });
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

  it("is not fooled by a pid file, or the lock of a socket, that names a living stranger", async () => {
    await (await startPostgres({ dataDir })).stop();
    const file = join(place(), "cluster", "postmaster.pid");
    const written = `${process.pid}\n${join(place(), "cluster")}\n1\n5432\n\n127.0.0.1\n0 0\nready   \n`;
    writeFileSync(file, written);
    const port = readFileSync(join(place(), "port"), "utf8");
    writeFileSync(join(place(), "cluster", `.s.PGSQL.${port}.lock`), written);
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

  it("leaves no server behind whose database cannot be opened, and says where its password is", async () => {
    await (await startPostgres({ dataDir })).stop();
    const file = join(place(), "password");
    const password = readFileSync(file, "utf8");
    writeFileSync(file, "another");
    const failure = await startPostgres({ dataDir }).catch((error: unknown) => error);
    writeFileSync(file, password);
    expect(failure).toBeInstanceOf(DatabaseStartError);
    expect(String(failure)).toMatch(
      /cannot be opened \(password authentication failed.*its password in \/.*\/password$/,
    );
    expect(readPostmaster(join(place(), "cluster"))).toBeUndefined();
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
