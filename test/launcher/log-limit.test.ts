// Logs of parts that run for months: they are moved aside while their part goes on.
import { appendFileSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { shortenLog } from "../../launcher/process/log-limit.ts";
import { supervise } from "../../launcher/process/supervised-child.ts";

let home: string;
let log: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  log = join(home, "part.log");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("moves a long log aside, and its writer goes on at the beginning", () => {
  const writer = openSync(log, "a");
  writeSync(writer, "first\n");
  expect(shortenLog(log, 10)).toBe(false);
  writeSync(writer, "x".repeat(200_000));
  expect(shortenLog(log, 10)).toBe(true);
  writeSync(writer, "later\n");
  closeSync(writer);
  expect(readFileSync(`${log}.1`, "utf8")).toBe(`first\n${"x".repeat(200_000)}`);
  expect(readFileSync(log, "utf8")).toBe("later\n");
});

it("leaves a log alone that cannot be copied, and one that is not there", () => {
  expect(shortenLog(log, 0)).toBe(false);
  appendFileSync(log, "line\n");
  expect(shortenLog(join(log, "below"), 0)).toBe(false);
  expect(readFileSync(log, "utf8")).toBe("line\n");
});

it("bounds the log of a part that runs, and still says what the part died of", async () => {
  const lastLines: string[] = [];
  const child = supervise(
    {
      name: "the part",
      command: process.execPath,
      args: [
        "-e",
        `const line = () => console.log("x".repeat(999)); const pace = setInterval(line, 1);
        process.on("SIGUSR2", () => { console.log("out of luck"); process.exit(1); })`,
      ],
      env: process.env,
      cwd: home,
      logFile: log,
      graceMs: 1_000,
      hopelessAfter: 1,
      hopelessCodes: [1],
      logLimit: { bytes: 20_000, everyMs: 1_000 },
    },
    {
      onStart: ({ pid }) =>
        void vi
          .waitUntil(() => existsSync(`${log}.1`), { timeout: 60_000 })
          .then(() => sleep(200))
          .then(() => process.kill(pid, "SIGUSR2")),
      onDeath: ({ lastLine }) => lastLines.push(lastLine),
    },
  );
  expect(await child.finished).toMatch(/^the part ended with code 1/);
  expect(lastLines).toEqual(["out of luck"]);
});
