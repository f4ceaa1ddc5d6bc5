// What `/status`, GraphQL and `/metrics` say of the lake's writer: its own process on an index, and a gateway beside it.
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../lake/manifest.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { BLOCKS, type LakeGround, startLakeGround } from "./lake-ground.ts";

/** Until the next sign is due, and some. */
const PATIENCE_MS = 60_000;
/** The newest block of the last whole segment. */
const LAST = BLOCKS - 1;

let ground: LakeGround;
let gateway: TestGateway;

beforeAll(async () => {
  ground = await startLakeGround();
  gateway = openGateway(ground.database.url, ground.chain);
});
afterAll(async () => {
  await gateway?.close();
  await ground?.stop();
});

const lake = (name = "lake"): string => join(ground.folder, name);
const manifestOf = (name?: string): string => join(lake(name), "31337", "manifest.json");
const lastBlock = async () => (await readManifest(join(lake(), "31337")))?.segments.at(-1)?.last;

interface Shown {
  isRunning: boolean;
  block: number | null;
  writtenAt: string | null;
  heardAt: string;
  waitsFor: string | null;
  error: string | null;
}

const shown = async () => (await gateway.get("/status")).body.lake as Shown | null;
const waitUntil = async (isTrue: (status: Shown | null) => boolean): Promise<Shown | null> => {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const status = await shown();
    if (isTrue(status)) return status;
    if (Date.now() > deadline) throw new Error(`/status still says ${JSON.stringify(status)}`);
  }
};
const metric = async (name: string) =>
  new RegExp(`^tidemark_lake_${name}\\{chain="fixture"\\} (\\d+)$`, "m").exec(
    (await gateway.get("/metrics")).text,
  )?.[1];
const now = async () => Date.parse((await ground.database.sql`select now()::timestamptz as now`)[0]?.now);

describe("the lake's writer", () => {
  it("is nothing in /status and /metrics where there has never been one", async () => {
    expect(await shown()).toBeNull();
    expect([await metric("up"), await metric("block")]).toEqual([undefined, undefined]);
  });

  it("shows that it runs, how far it is and when it wrote that, and is gone at once when it is stopped", async () => {
    const before = await now();
    const { child, ended } = ground.start(lake(), "--follow");
    const status = await waitUntil((found) => found?.isRunning === true && found.block === LAST);
    expect(status).toMatchObject({ block: await lastBlock(), waitsFor: null, error: null });
    expect(Date.parse(status?.writtenAt ?? "")).toBeGreaterThanOrEqual(before - 1);
    const { status: queried } = (
      await gateway.graphql("{ status { lake { isRunning block writtenAt heardAt waitsFor error } } }")
    ).data as { status: { lake: Shown } };
    expect({ ...queried.lake, heardAt: "" }).toEqual({ ...status, heardAt: "" });
    expect([await metric("up"), await metric("block")]).toEqual(["1", String(LAST)]);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    expect(await shown()).toMatchObject({ isRunning: false, block: LAST, writtenAt: status?.writtenAt, error: null });
    expect(await metric("up")).toBe("0");
  });

  it("is missed ten seconds after it was killed, and there again with what it had written", async () => {
    const before = await shown();
    const killed = ground.start(lake(), "--follow");
    await waitUntil((found) => found?.isRunning === true);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await shown()).toMatchObject({ isRunning: true });
    // nobody waits: its last sign is written down as older
    const [sign] = await ground.database.sql`
      update tidemark.lake set heard_at = heard_at - interval '10 seconds', due_at = due_at - interval '10 seconds'
      returning extract(epoch from due_at - heard_at)::int as seconds`;
    expect(sign).toEqual({ seconds: 10 });
    expect(await waitUntil((found) => found?.isRunning === false)).toMatchObject({ block: LAST, error: null });
    const { child, ended } = ground.start(lake(), "--follow");
    expect(await waitUntil((found) => found?.isRunning === true)).toMatchObject({
      ...{ block: LAST, writtenAt: before?.writtenAt, error: null },
    });
    child.kill("SIGTERM");
    await ended;
  });

  it("is the one that runs, where another folder is written beside it", async () => {
    const { child, ended } = ground.start(lake(), "--follow");
    const status = await waitUntil((found) => found?.isRunning === true && found.block === LAST);
    expect(await ground.run(lake("other"))).toMatchObject({ code: 0 });
    expect(await shown()).toMatchObject({ isRunning: true, writtenAt: status?.writtenAt });
    child.kill("SIGTERM");
    await ended;
    expect(await ground.run(lake("third"))).toMatchObject({ code: 0 });
    const third = await shown();
    expect(third).toMatchObject({ isRunning: false, block: LAST, error: null });
    expect(Date.parse(third?.writtenAt ?? "")).toBeGreaterThan(Date.parse(status?.writtenAt ?? ""));
  });

  it("says of what it ended, without folders, until it has gone on", async () => {
    expect(await ground.run(lake())).toMatchObject({ code: 0 });
    const text = readFileSync(manifestOf(), "utf8");
    writeFileSync(manifestOf(), text.replace('"segmentBlocks": 2', '"segmentBlocks": 3'));
    expect(await ground.run(lake())).toMatchObject({ code: 1 });
    const failed = await shown();
    expect(failed).toMatchObject({
      isRunning: false,
      error: expect.stringMatching(/^the lake is cut by .*"segmentBlocks":3/),
    });
    expect(failed?.error).not.toContain(ground.folder);
    writeFileSync(manifestOf(), text);
    expect(await ground.run(lake())).toMatchObject({ code: 0 });
    expect(await shown()).toMatchObject({ isRunning: false, error: null });
  });

  it("waits for nothing any more once it writes", async () => {
    const { database, foldSchema } = ground;
    const setIndexed = (isIndexed: boolean) =>
      database.sql.unsafe(`update ${foldSchema}.meta set is_indexed = ${isIndexed}`);
    await setIndexed(false);
    const { child, ended } = ground.start(lake("fourth"), "--follow");
    await waitUntil((found) => found?.waitsFor === "a fold that can be read");
    await database.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${foldSchema}.holding_interval in access exclusive mode`);
      await setIndexed(true);
      expect(await waitUntil((found) => found?.waitsFor === null)).toMatchObject({ isRunning: true, block: null });
    });
    child.kill("SIGTERM");
    await ended;
  });

  it("that follows lends its turn to a check, which mends what it has written, and goes on", async () => {
    const { child, ended } = ground.start(lake(), "--follow");
    await waitUntil((found) => found?.isRunning === true && found.block === LAST);
    const file = join(lake(), "31337", (await readManifest(join(lake(), "31337")))?.segments[0]?.files[0]?.path ?? "");
    const bytes = readFileSync(file);
    writeFileSync(file, "x");
    expect(await ground.run(lake(), "--check")).toMatchObject({ code: 3 });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    rmSync(manifestOf());
    while ((await lastBlock()) !== LAST) await sleep(100);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining("another process wants its turn") });
  });

  it("ends with its connection, which holds its turn, and says so", async () => {
    const { child, ended } = ground.start(lake(), "--follow");
    await waitUntil((found) => found?.isRunning === true && found.block === LAST);
    await ground.database.sql`
      select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and a.application_name = 'tidemark-lake' and a.datname = current_database()`;
    if (child.exitCode === null) await once(child, "exit");
    expect(await ended).toMatchObject({ code: 75 });
    expect(await shown()).toMatchObject({
      isRunning: false,
      // in the words of the one that reports it first: PostgreSQL, the driver, or the socket, where PostgreSQL's were lost on the way
      error: expect.stringMatching(/^(the database closed the connection|terminating connection|read ECONNRESET)/),
    });
  });
});
