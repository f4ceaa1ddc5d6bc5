// What the storm sets off balance: the clock that a process sees, and the room on the database's disk.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTrialClock } from "../../trials/faults/trial-clock.ts";
import { mountDisk } from "../../trials/faults/trial-disk.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOUR_MS = 3_600_000;

it("a process sees its clock jump and come back, and its timers do not", async () => {
  const clock = createTrialClock(folder);
  clock.setOff(HOUR_MS);
  const tell = `setInterval(() => console.log(JSON.stringify([
    Date.now(), new Date().getTime(), Date.parse(Date()), new Date(5).getTime(), new Date() instanceof Date,
    performance.now()])), 20)`;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...clock.arguments, "-e", tell], {
    env: { ...process.env, ...clock.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const seen: [number, number, number, number, boolean, number][] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const entry = JSON.parse(line) as (typeof seen)[number];
      seen.push(entry);
      if (seen.length === 1) clock.setOff(-HOUR_MS);
      if (entry[0] < Date.now() - HOUR_MS / 2) break;
    }
    const [first, last] = [seen[0], seen.at(-1)];
    if (!first || !last) throw new Error("it said nothing");
    for (const moment of first.slice(0, 3)) expect(Number(moment)).toBeGreaterThan(Date.now() + HOUR_MS / 2);
    for (const moment of last.slice(0, 3)) expect(Number(moment)).toBeLessThan(Date.now() - HOUR_MS / 2);
    expect(first.slice(3, 5)).toEqual([5, true]);
    expect(last[5]).toBeGreaterThan(first[5]);
    expect(last[5] - first[5]).toBeLessThan(HOUR_MS / 2);
  } finally {
    child.kill("SIGKILL");
  }
});

it("a full disk refuses what does not fit, and takes it when there is room", async (context) => {
  const disk = mountDisk(join(folder, "disk"), 4_000_000);
  if (disk === undefined) return context.skip("nothing may be mounted here");
  const file = openSync(join(disk.folder, "file"), "w");
  try {
    const page = Buffer.alloc(25 * 4_096);
    writeSync(file, page);
    disk.fill(0);
    expect(() => writeSync(file, page)).toThrow("ENOSPC");
    disk.free();
    expect(writeSync(file, page)).toBe(page.length);
  } finally {
    closeSync(file);
    await disk.unmount();
  }
});

it("a disk is filled while somebody goes on writing to it", async (context) => {
  const disk = mountDisk(join(folder, "busy"), 400_000_000);
  if (disk === undefined) return context.skip("nothing may be mounted here");
  const write = `const fs = require("node:fs"), file = fs.openSync(${JSON.stringify(join(disk.folder, "file"))}, "w");
    for (const page = Buffer.alloc(4096); ; )
      try { fs.writeSync(file, page); if (fs.fstatSync(file).size > 3e8) fs.ftruncateSync(file); }
      catch { fs.ftruncateSync(file); }`;
  const writer = spawn(process.execPath, ["-e", write], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(writer, "exit");
  try {
    for (let round = 0; round < 40; round++) {
      await sleep(10);
      disk.fill(0);
      disk.free();
    }
    expect(writer.exitCode).toBeNull();
  } finally {
    writer.kill("SIGKILL");
    await ended;
    await disk.unmount();
  }
});
