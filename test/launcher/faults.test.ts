// Faults within the launcher's own process: whatever goes wrong, nothing that it has started is left running.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { supervise } from "../../launcher/process/supervised-child.ts";
import { freePort } from "../../machine/ports.ts";
import { isRunning, type ProcessIdentity, signal } from "../../machine/processes.ts";
import { runFileOf } from "../../machine/published-run.ts";
import { chainFixture } from "../support/gateway-fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Nothing listens there. */
const NO_NODE = "http://127.0.0.1:1";
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  // PostgreSQL does not run as root, and its account must come in
  chmodSync(home, 0o711);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("a part whose log cannot be opened has failed to start, and is started as soon as it can be", async () => {
  const logs = join(home, "logs");
  writeFileSync(logs, "no folder");
  const deaths: string[] = [];
  const starts: ProcessIdentity[] = [];
  const child = supervise(
    {
      ...{ name: "the child", command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] },
      ...{ env: process.env, cwd: home, logFile: join(logs, "child.log") },
      ...{ graceMs: 1_000, hopelessAfter: 1, hopelessCodes: [1] },
    },
    {
      onStart: (identity) => starts.push(identity),
      onDeath({ reason }) {
        deaths.push(reason);
        rmSync(logs);
      },
    },
  );
  await vi.waitFor(() => expect(starts).toHaveLength(1), 60_000);
  expect(deaths).toEqual([expect.stringMatching(/^did not start \(E.*logs/)]);
  await child.stop();
});

describe("npm start", () => {
  let launcher: ChildProcess;
  /** What it says. */
  let output: string;
  const children: ProcessIdentity[] = [];

  afterEach(() => {
    launcher.kill("SIGKILL");
    for (const child of children.splice(0)) if (isRunning(child)) signal(child.pid, "SIGKILL");
  });

  const noted = (name: string): ProcessIdentity | undefined => {
    try {
      const { children } = JSON.parse(readFileSync(runFileOf(home), "utf8")) as {
        children: Record<string, ProcessIdentity>;
      };
      return children[name];
    } catch {
      return undefined;
    }
  };

  /** Starts it with `preload` in its process, and waits until its database and its gateway run. Of several chains each is waited for. */
  async function start(preload: string): Promise<void> {
    const file = join(home, "preload.mjs");
    writeFileSync(file, preload);
    const chains = [7, 8].map((chainId) => {
      const chain = join(home, `${chainId}.json`);
      writeFileSync(chain, JSON.stringify({ ...chainFixture({ chainId, startBlock: 0 }), name: `chain-${chainId}` }));
      return chain;
    });
    const [port, ponderPort] = [await freePort(), await freePort()];
    launcher = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--import", file, "launcher/start.ts"],
      {
        cwd: root,
        env: {
          ...process.env,
          ...{ CHAIN: chains.join(","), RPC_URL_7: NO_NODE, RPC_URL_8: NO_NODE },
          ...{ DATABASE_URL: "", TIDEMARK_DATA: home, PORT: String(port), PONDER_PORT: String(ponderPort) },
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    output = "";
    for (const stream of [launcher.stdout, launcher.stderr]) stream?.on("data", (data) => (output += String(data)));
    for (const name of ["database", "gateway"])
      await vi.waitFor(
        () => {
          const child = noted(name);
          expect(child, output).toBeDefined();
          children.push(child!);
        },
        { timeout: 120_000, interval: 20 },
      );
  }

  it.each([
    ["an exception that nobody catches", "throw fault;"],
    ["a rejection that nobody handles", "void Promise.reject(fault);"],
  ])("after %s stops every part, prints it without keys, and exits with 1", async (_, fail) => {
    const trigger = join(home, "trigger");
    await start(`import { existsSync } from "node:fs";
      const fault = new Error("nobody expected https://node.example/key");
      const timer = setInterval(() => {
        if (!existsSync(${JSON.stringify(trigger)})) return;
        clearInterval(timer);
        ${fail}
      }, 20);
      timer.unref();`);
    mkdirSync(trigger);
    const [code] = await once(launcher, "close");
    expect([code, output]).toEqual([
      1,
      expect.stringContaining("tidemark: Error: nobody expected https://node.example/…"),
    ]);
    expect(children.map(isRunning)).toEqual([false, false]);
  });

  it("ends at once on a second Ctrl-C, also where the clock was set back since the first", async () => {
    await start(`process.once("SIGINT", () => setTimeout(() => {
      const now = Date.now;
      Date.now = () => now() - 3_600_000;
    }, 100));`);
    // it is waited for
    signal(children[1]!.pid, "SIGSTOP");
    const closed = once(launcher, "close");
    launcher.kill("SIGINT");
    await vi.waitFor(() => expect(output).toContain("stopping gateway"), 60_000);
    await sleep(1_000);
    launcher.kill("SIGINT");
    expect((await closed)[0], output).toBe(130);
    await vi.waitFor(() => expect(children.map(isRunning)).toEqual([false, false]), 60_000);
  });
});
