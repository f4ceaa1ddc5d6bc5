// The lake's own process: killed at any moment, without room on the disk, and with files that somebody has changed.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ASIDE } from "../../core/lake/paths.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { findWrong } from "../../lake/check-lake.ts";
import { filesOf, type Manifest, readManifest } from "../../lake/manifest.ts";
import { mountDisk } from "../../trials/faults/trial-disk.ts";
import { secondsToKeepalive } from "../support/keepalive-timers.ts";
import { sized } from "../support/sized.ts";
import { BLOCKS, type LakeGround, startLakeGround } from "./lake-ground.ts";

const KILLS = sized({ some: 4, whole: 20 });

/** The session with the lock of the lake's writer. */
const HAS_TURN = `application_name = 'tidemark-lake'
  and pid in (select pid from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock')`;

let ground: LakeGround;
let whole: { manifest: Manifest; text: string; ms: number };

const folderOf = (lake: string): string => join(lake, "31337");
const textOf = (lake: string): string => readFileSync(join(folderOf(lake), "manifest.json"), "utf8");

beforeAll(async () => {
  ground = await startLakeGround();
  const lake = join(ground.folder, "whole");
  const startedAt = performance.now();
  const { code, output } = await ground.run(lake);
  expect(code, output).toBe(0);
  const manifest = (await readManifest(folderOf(lake)))!;
  whole = { manifest, text: textOf(lake), ms: performance.now() - startedAt };
});
afterAll(() => ground?.stop());

/** Whether everything is there; what a manifest names is always right. */
async function isWhole(lake: string): Promise<boolean> {
  const manifest = await readManifest(folderOf(lake));
  if (manifest === undefined) return false;
  expect(await findWrong(folderOf(lake), manifest)).toEqual([]);
  expect(whole.manifest.segments.slice(0, manifest.segments.length)).toEqual(manifest.segments);
  return manifest.segments.length === whole.manifest.segments.length;
}

describe("the lake's process", () => {
  it("gives files that sha256sum confirms, and says how far it is", async () => {
    const lake = join(ground.folder, "whole");
    expect(whole.manifest.segments.length).toBeGreaterThan(10);
    const confirmed = execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], {
      cwd: folderOf(lake),
      encoding: "utf8",
    });
    expect(confirmed.trim().split("\n").length).toBe(filesOf(whole.manifest).length);
    const { code, output } = await ground.run(lake);
    const last = whole.manifest.segments.at(-1)?.last;
    expect(code).toBe(0);
    expect(output).toContain(
      `0 segments written; ${lake} has everything up to block ${last}, final up to block ${BLOCKS}`,
    );
  });

  it(`goes on where it was after ${KILLS} kills, and writes the same bytes`, { timeout: 900_000 }, async () => {
    const lake = join(ground.folder, "killed");
    const random = seedRandom("lake kills");
    const aside = join(folderOf(lake), ASIDE);
    const isWriting = () => existsSync(aside) && readdirSync(aside).length > 0;
    let inWriting = 0;
    for (let kill = 0; kill < KILLS || inWriting <= KILLS / 4; kill += 1) {
      const { child, ended } = ground.start(lake);
      await sleep(random.between(Math.round(whole.ms * 0.3), Math.round(whole.ms * 0.95)));
      // every other one is in the midst of a file
      while (kill % 2 === 1 && !isWriting() && child.exitCode === null) await sleep(1);
      child.kill("SIGKILL");
      await ended;
      if (isWriting()) inWriting += 1;
      if (await isWhole(lake)) rmSync(lake, { recursive: true });
    }
    expect(await ground.run(lake)).toMatchObject({ code: 0 });
    expect(await isWhole(lake)).toBe(true);
    expect(textOf(lake)).toBe(whole.text);
    expect(readdirSync(join(folderOf(lake), ASIDE))).toEqual([]);
  });

  it("ends with 75 on a full disk, with nothing wrong there, and goes on when there is room", async (context) => {
    const disk = mountDisk(join(ground.folder, "disk"), 64_000_000);
    if (disk === undefined) return context.skip("nothing may be mounted here");
    const lake = join(disk.folder, "lake");
    try {
      for (const room of [100_000, 8_000]) {
        disk.fill(room);
        const { code, output } = await ground.run(lake);
        expect(code, output).toBe(75);
        expect(output).toMatch(/No space left on device|ENOSPC/);
        expect(await isWhole(lake)).toBe(false);
      }
      disk.free();
      expect(await ground.run(lake)).toMatchObject({ code: 0 });
      expect(textOf(lake)).toBe(whole.text);
    } finally {
      await disk.unmount();
    }
  });

  it("ends with 75 where its folder was taken away or cannot be made, and says which and the way out", {
    timeout: 300_000,
  }, async () => {
    const lake = join(ground.folder, "moved");
    const { child, ended } = ground.start(lake, "--follow");
    await expect.poll(() => existsSync(join(folderOf(lake), "manifest.json")), { timeout: 120_000 }).toBe(true);
    renameSync(lake, `${lake}-away`);
    const { code, output } = await ended;
    expect([code, child.signalCode], output).toEqual([75, null]);
    expect(output).toContain(`LAKE: ${lake} cannot be written, or was taken away (`);
    renameSync(`${lake}-away`, lake);
    expect(await ground.run(lake)).toMatchObject({ code: 0 });
    expect(textOf(lake)).toBe(whole.text);
    expect(await ground.run("/proc/tidemark")).toMatchObject({
      code: 75,
      output: expect.stringContaining("LAKE: /proc/tidemark cannot be written, or was taken away (ENOENT"),
    });
  });

  it("names files that are cut off, changed or missing, and writes them again", async () => {
    const lake = join(ground.folder, "whole");
    const of = (dataset: string) => filesOf(whole.manifest).filter((file) => file.dataset === dataset);
    const [cut, flipped, missing] = [of("erc20_transfer")[3]!, of("holding_closed")[5]!, of("holding_open")[7]!];
    const place = (file: { path: string }) => join(folderOf(lake), file.path);
    truncateSync(place(cut), cut.bytes - 1);
    const bytes = readFileSync(place(flipped));
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(place(flipped), bytes);
    rmSync(place(missing));
    const { code, output } = await ground.run(lake, "--check");
    expect(code, output).toBe(3);
    expect(output).toContain(`${cut.path} has ${cut.bytes - 1} bytes, not ${cut.bytes}\n`);
    expect(output).toContain(`${flipped.path} has sha-256 `);
    expect(output).toContain(`${missing.path} is missing\n`);
    expect(output).toContain(
      `${filesOf(whole.manifest).length} files: 3 not as the manifest says, 3 of them written again\n`,
    );
    expect(await isWhole(lake)).toBe(true);
    expect(await ground.run(lake, "--check")).toMatchObject({ code: 0 });
  });

  it("leaves a file that the index gives no more as it is, and says so", async () => {
    const lake = join(ground.folder, "whole");
    const lost = filesOf(whole.manifest).find(({ dataset }) => dataset === "holding_closed")!;
    rmSync(join(folderOf(lake), lost.path));
    const { sql } = ground.database;
    const s = ground.foldSchema;
    await sql.unsafe(
      `create table saved as select * from ${s}.holding_interval; update ${s}.holding_interval set amount = amount + 1`,
    );
    const { code, output } = await ground.run(lake, "--check");
    expect(code, output).toBe(1);
    expect(output).toContain(
      `${lost.path} cannot be written again: the index gives other rows now than when it was written`,
    );
    expect(existsSync(join(folderOf(lake), lost.path))).toBe(false);
    await sql.unsafe(`truncate ${s}.holding_interval; insert into ${s}.holding_interval select * from saved`);
    expect(await ground.run(lake, "--check")).toMatchObject({ code: 3 });
  });

  it("refuses a manifest that was changed, and one of another chain or rule", async () => {
    const lake = join(ground.folder, "whole");
    const path = join(folderOf(lake), "manifest.json");
    const refused = async (from: string, to: string) => {
      expect(whole.text).toContain(from);
      writeFileSync(path, whole.text.replace(from, to));
      const { code, output } = await ground.run(lake);
      expect(code, output).toBe(1);
      return output;
    };
    const [last, first] = [whole.manifest.segments.at(-1)!, filesOf(whole.manifest)[0]!];
    expect(await refused(first.sha256, "0".repeat(64))).toContain("does not have the root");
    expect(await refused(last.hash, "0x00")).toContain("is a lake of another chain");
    expect(await refused('"segmentBlocks": 2', '"segmentBlocks": 3')).toContain("the chain file says");
    writeFileSync(path, whole.text);
  });

  it("refuses a folder that another product writes, naming who, until that one is gone", {
    timeout: 300_000,
  }, async () => {
    const lake = join(ground.folder, "shared");
    const first = ground.start(lake, "--follow");
    const other = await startLakeGround();
    try {
      await expect.poll(() => existsSync(join(folderOf(lake), "manifest.json")), { timeout: 120_000 }).toBe(true);
      const { code, output } = await other.run(lake);
      expect(code, output).toBe(1);
      expect(output).toContain(`LAKE: another product writes ${folderOf(lake)} (process ${first.child.pid} on `);
      expect(output).toContain("give each product a folder of its own");
      await expect.poll(() => isWhole(lake), { timeout: 120_000, interval: 500 }).toBe(true);
      first.child.kill("SIGKILL");
      await first.ended;
      expect(await other.run(lake)).toMatchObject({ code: 0 });
    } finally {
      first.child.kill("SIGKILL");
      await other.stop();
    }
  });

  it.skipIf(process.platform !== "linux")(
    "loses its turn soon once its machine is gone",
    {
      timeout: 300_000,
    },
    async () => {
      const { child, ended } = ground.start(join(ground.folder, "whole"), "--follow");
      const areSoon = async () => {
        const seconds = await secondsToKeepalive(ground.database.sql, HAS_TURN);
        expect(seconds).toHaveLength(1);
        expect(seconds.filter((one) => !(one <= 15))).toEqual([]);
      };
      await vi.waitFor(areSoon, { timeout: 120_000, interval: 50 });
      child.kill("SIGTERM");
      await ended;
    },
  );

  it("says in one line what is missing", async () => {
    expect(await ground.run("")).toMatchObject({
      code: 2,
      output: expect.stringContaining("LAKE is not set: name the folder"),
    });
    const both = await ground.run(join(ground.folder, "whole"), "--check", "--follow");
    expect(both).toMatchObject({ code: 2, output: expect.stringContaining("--check: not together with --follow") });
  });
});
