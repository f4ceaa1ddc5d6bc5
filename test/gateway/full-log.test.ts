// Parts, Ponder among them, whose log lies on a full disk, as far as a device that is always full can stand for one.
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { freePort } from "../../machine/ports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** With a standard output that refuses every line. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", full, "pipe"],
  });
  closeSync(full);
  let errors = "";
  child.stderr?.on("data", (text) => {
    errors += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return { child, ended, errors: () => errors };
}

describe.skipIf(!existsSync("/dev/full"))("a log on a full disk", () => {
  it("lets the gateway answer, and end when it is stopped", { timeout: 120_000 }, async () => {
    const port = await freePort();
    const gateway = start(["gateway/main.ts"], {
      CHAIN: "devnet",
      DATABASE_URL: "postgres://127.0.0.1:1/none",
      PORT: String(port),
    });
    const health = () =>
      fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(5_000) }).then(
        ({ status }) => status,
        () => undefined,
      );
    try {
      for (let i = 0; i < 100 && (await health()) === undefined; i++) await sleep(200);
      // lines are written after some 200 ms
      await sleep(1_000);
      expect([await health(), gateway.child.exitCode]).toEqual([200, null]);
      await sleep(500);
      gateway.child.kill("SIGTERM");
      expect([await Promise.race([gateway.ended, sleep(10_000, "hangs")]), gateway.errors()]).toEqual([
        0,
        expect.not.stringContaining("ENOSPC"),
      ]);
    } finally {
      gateway.child.kill("SIGKILL");
    }
  });

  it("throws nothing at a part that writes its lines one by one", async () => {
    const part = start([
      "--input-type=module",
      "-e",
      `import { pino } from "pino";
       import { outliveFullDisk } from "./core/log-output.ts";
       const log = pino({}, outliveFullDisk(pino.destination({ dest: 1, sync: true })));
       for (let i = 0; i < 3; i++) log.info("a line");
       console.error("lives");`,
    ]);
    expect([await part.ended, part.errors()]).toEqual([0, expect.stringContaining("lives")]);
  });

  it("throws nothing at Ponder", async () => {
    const ponder = start([
      "--input-type=module",
      "-e",
      `import { replaceImports } from "./scripts/ponder/imports.ts";
       replaceImports();
       const { createLogger } = await import("./node_modules/ponder/dist/esm/internal/logger.js");
       const log = createLogger({ level: "info", mode: "json" });
       for (let i = 0; i < 3; i++) log.info({ msg: "a line" });
       console.error("lives");`,
    ]);
    expect([await ponder.ended, ponder.errors()]).toEqual([0, expect.stringContaining("lives")]);
  });
});
