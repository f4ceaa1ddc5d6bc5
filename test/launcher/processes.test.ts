// Processes: the Node 22 wrapper, supervision, who owns a data directory, and the environment's one-line errors.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EnvironmentError, readEnvironment } from "../../launcher/environment.ts";
import { requirePartSettings } from "../../launcher/part-settings.ts";
import { AlreadyRunningError, claimRun } from "../../launcher/process/run-record.ts";
import { createShutdown } from "../../launcher/process/shutdown.ts";
import { backoffMs, type ChildSpec, HopelessError, supervise } from "../../launcher/process/supervised-child.ts";
import { createProgressView } from "../../launcher/terminal/progress-view.ts";
import { freePort, isPortFree, PortInUseError, requireListening } from "../../machine/ports.ts";
import { identify, isRunning, type ProcessIdentity, signal } from "../../machine/processes.ts";
import { readPublishedRun } from "../../machine/published-run.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), text);
  return join(home, name);
};
const ended = (child: ChildProcess) =>
  new Promise<{ code: number | null; name: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (code, name) => resolve({ code, name })),
  );

describe("node22.mjs", () => {
  const wrapper = join(root, "scripts", "node22.mjs");

  it("runs TypeScript on Node 22, passing arguments, output and exit code", () => {
    const entry = write(
      "entry.ts",
      "const n: number = 7; console.log(process.versions.node, process.argv[2]); process.exit(n);",
    );
    const run = () =>
      execFileSync(process.execPath, [wrapper, entry, "an argument"], { encoding: "utf8", stdio: "pipe" });
    expect(run).toThrow(
      expect.objectContaining({ status: 7, stdout: expect.stringMatching(/^2[2-9]\.\d+\.\d+ an argument\n$/) }),
    );
  });

  it("passes SIGTERM on and waits for the orderly end", async () => {
    const done = join(home, "done");
    const entry = write(
      "entry.ts",
      `
      import { writeFileSync } from "node:fs";
      process.on("SIGTERM", () => setTimeout(() => { writeFileSync(${JSON.stringify(done)}, ""); process.exit(3); }, 200));
      console.log("up"); setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [wrapper, entry], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGTERM");
    expect(await ended(child)).toEqual({ code: 3, name: null });
    expect(existsSync(done)).toBe(true);
  });

  it("installs when the lock file is newer than what is installed, and only then; reads .env for the product's commands alone", () => {
    // A project of its own with a stand-in for npm: what is tested is when npm runs and with which arguments.
    const project = join(home, "project");
    mkdirSync(join(project, "scripts"), { recursive: true });
    cpSync(wrapper, join(project, "scripts", "node22.mjs"));
    write("project/package-lock.json", '{"packages": {"": {}, "node_modules/left": {"version": "1.0.0"}}}');
    const node = join(project, "node_modules", "node", "bin", "node");
    write(
      "bin/npm",
      `#!/bin/sh\necho "$1" >> ${home}/npm-calls\nmkdir -p ${dirname(node)}\nln -sf ${process.execPath} ${node}\n`,
    );
    execFileSync("chmod", ["+x", join(home, "bin", "npm")]);
    const entry = write("entry.ts", "");
    const run = () =>
      execFileSync(process.execPath, [join(project, "scripts", "node22.mjs"), entry], {
        env: { PATH: `${join(home, "bin")}:${process.env.PATH}` },
        stdio: "pipe",
      });
    const calls = () => readFileSync(join(home, "npm-calls"), "utf8").trim().split("\n");
    run();
    run();
    expect(calls()).toEqual(["ci"]);
    write("project/package-lock.json", '{"packages": {"": {}, "node_modules/left": {"version": "1.0.1"}}}');
    run();
    expect(calls()).toEqual(["ci", "ci"]);
    rmSync(node);
    symlinkSync("/nowhere", node);
    run();
    expect(calls()).toEqual(["ci", "ci", "ci"]);
    // it is installed now
    write("project/.env", "IN_FILE=file\nIN_BOTH=file\n");
    write("project/fold/main.ts", "console.log(process.env.IN_FILE, process.env.IN_BOTH);");
    write("project/bench/main.ts", "console.log(process.env.IN_FILE, process.env.IN_BOTH);");
    const settingsOf = (name: string) =>
      execFileSync(process.execPath, ["scripts/node22.mjs", name], {
        cwd: project,
        env: { PATH: process.env.PATH, IN_BOTH: "shell" },
        encoding: "utf8",
      });
    expect(["fold/main.ts", "bench/main.ts"].map(settingsOf)).toEqual(["file shell\n", "undefined shell\n"]);
  });
});

describe("supervise", () => {
  const spec = (script: string, more: Partial<ChildSpec> = {}): ChildSpec => ({
    name: "the child",
    command: process.execPath,
    args: ["-e", script],
    env: process.env,
    cwd: home,
    logFile: join(home, "logs", "child.log"),
    graceMs: 1_000,
    hopelessAfter: 3,
    hopelessCodes: [1],
    ...more,
  });

  it("starts a killed child again at once, after putting things right", async () => {
    const starts: ProcessIdentity[] = [];
    let prepared = 0;
    const child = supervise(
      spec("console.log('up'); setInterval(() => {}, 1000)", { beforeStart: async () => void prepared++ }),
      { onStart: (identity) => starts.push(identity) },
    );
    await vi.waitFor(() => expect(starts).toHaveLength(1), 60_000);
    signal(starts[0]!.pid, "SIGKILL");
    await vi.waitFor(() => expect(starts).toHaveLength(2), 60_000);
    expect(prepared).toBe(2);
    await child.stop();
    expect(starts.map(isRunning)).toEqual([false, false]);
    expect(await child.finished).toBeUndefined();
  });

  it("gives up on a configuration error that repeats, naming the log, and quotes its last line", async () => {
    const deaths: string[] = [];
    const child = supervise(spec("console.log('the setting is wrong'); process.exit(1)"), {
      onDeath: ({ reason, lastLine }) => deaths.push(`${reason}: ${lastLine}`),
    });
    expect(await child.finished).toMatch(/the child ended with code 1 3 times in a row; see .*child\.log/);
    expect(deaths).toEqual(Array(3).fill("ended with code 1: the setting is wrong"));
  });

  it("quotes of a child that dies silently, or is not even started, nothing that the one before had said", async () => {
    const script = `const first = !require("node:fs").existsSync("there"); require("node:fs").writeFileSync("there", "");
      if (first) console.log("the disk is full"); process.exit(1)`;
    const quoted: string[] = [];
    const onDeath = ({ lastLine }: { lastLine: string }) => quoted.push(lastLine);
    await supervise(spec(script, { hopelessAfter: 2 }), { onDeath }).finished;
    const beforeStart = async () => expect(quoted).toHaveLength(2);
    const unprepared = supervise(spec("console.log('the disk is full')", { beforeStart }), { onDeath });
    await vi.waitFor(() => expect(quoted).toEqual(["the disk is full", "", "the disk is full", ""]), 60_000);
    await unprepared.stop();
  });

  it("does not start again what no start cures, and says why", async () => {
    let starts = 0;
    const events = { onStart: () => starts++ };
    const died = supervise(
      spec('console.log(\'{"level":60,"msg":"the chain is another one"}\'); process.exit(3)', { finalCode: 3 }),
      events,
    );
    expect(await died.finished).toBe("the child: the chain is another one");
    const unprepared = spec("", { beforeStart: () => Promise.reject(new HopelessError("the node is another one")) });
    expect(await supervise(unprepared, events).finished).toBe("the child: the node is another one");
    expect(starts).toBe(1);
  });

  it("never gives up on other deaths, ever more slowly", async () => {
    let deaths = 0;
    const child = supervise(spec("process.exit(75)", { hopelessAfter: 1 }), { onDeath: () => deaths++ });
    await vi.waitFor(() => expect(deaths).toBeGreaterThanOrEqual(2), 60_000);
    await child.stop();
    expect([1, 2, 3, 4, 9].map(backoffMs)).toEqual([0, 1_000, 2_000, 4_000, 30_000]);
  });

  it("ends a child that ignores SIGTERM, and what that child had started", async () => {
    const pidFile = join(home, "grandchild");
    const started: ProcessIdentity[] = [];
    const child = supervise(
      spec(
        `process.on("SIGTERM", () => {});
        const { pid } = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
        require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(pid)); setInterval(() => {}, 1000)`,
        { graceMs: 300 },
      ),
      { onStart: (identity) => started.push(identity) },
    );
    await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), 60_000);
    await sleep(50);
    const grandchild = identify(Number(readFileSync(pidFile, "utf8")))!;
    await child.stop();
    await vi.waitFor(() => expect([...started, grandchild].map(isRunning)).toEqual([false, false]), 60_000);
  });
});

describe("claimRun", () => {
  it("refuses a second launcher and forgets a released one", async () => {
    const { run } = await claimRun(home);
    await expect(claimRun(home)).rejects.toThrow(AlreadyRunningError);
    run.release();
    (await claimRun(home)).run.release();
  });

  it("refuses a second launcher that starts in the same moment, before there is a record of the first, until that is gone", async () => {
    const claim = `
      import { tryLock } from ${JSON.stringify(join(root, "machine", "file-lock.ts"))};
      if (tryLock(process.argv[1]) === undefined) process.exit(3);
      console.log("has it"); setInterval(() => {}, 1000);`;
    const first = spawn(process.execPath, ["--input-type=module", "-e", claim, join(home, "run.lock")], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const over = ended(first);
    await new Promise((resolve) => first.stdout.once("data", resolve));
    await expect(claimRun(home)).rejects.toThrow(/^Tidemark is already running on .* \(just started\); stop it first/);
    first.kill("SIGKILL");
    await over;
    (await claimRun(home)).run.release();
  });

  it("says what runs beside it where its parts answer, once they do and while it lives", async () => {
    const rpcUrls = { 1: "http://n", 2: "http://m" };
    const addresses = { databaseUrl: "postgres://d", rpcUrls, chain: "devnet", gatewayUrl: "http://g" };
    const { run } = await claimRun(home);
    run.note("sql", { pid: 7, startedAt: "now" });
    expect(readPublishedRun(home)).toBeUndefined();
    run.publish(addresses);
    expect(readPublishedRun(home)).toEqual({ ...addresses, children: { sql: { pid: 7 } } });
    run.release();
    expect(readPublishedRun(home)).toBeUndefined();
  });

  it("ends what a killed launcher left, but no stranger with a reused pid", async () => {
    const leftover = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const children = { ponder: identify(leftover.pid!), gateway: { pid: stranger.pid, startedAt: "another life" } };
    write("run.json", JSON.stringify({ launcher: { pid: process.pid, startedAt: "another life" }, children }));
    const over = ended(leftover);
    const { run, ended: names } = await claimRun(home);
    expect(names).toEqual(["ponder"]);
    expect(await over).toEqual({ code: null, name: "SIGTERM" });
    expect(identify(stranger.pid!)).toBeDefined();
    stranger.kill("SIGKILL");
    run.release();
  });

  it("names TIDEMARK_DATA where it is no folder", async () => {
    write("file", "");
    await expect(claimRun(join(home, "file"))).rejects.toThrow(/^TIDEMARK_DATA: .*file cannot be written \(EEXIST/);
  });

  it.skipIf(!existsSync("/dev/full"))(
    "does not take a full disk for another launcher, and keeps what a killed one left",
    async () => {
      const left = JSON.stringify({ launcher: { pid: 1, startedAt: "another life" }, children: {} });
      write("run.json", left);
      symlinkSync("/dev/full", join(home, `run.json.${process.pid}`));
      await expect(claimRun(home)).rejects.toThrow(/^TIDEMARK_DATA: .* cannot be written \(ENOSPC/);
      expect(readFileSync(join(home, "run.json"), "utf8")).toBe(left);
    },
  );
});

describe("a run whose folder cannot be written any more", () => {
  it("goes on, and notes what it started once there is room", async () => {
    const { run } = await claimRun(home);
    mkdirSync(join(home, "run.json.new"));
    run.note("fold", { pid: 7, startedAt: "now" });
    rmSync(join(home, "run.json.new"), { recursive: true });
    run.note("sql", { pid: 8, startedAt: "now" });
    const { children } = JSON.parse(readFileSync(join(home, "run.json"), "utf8")) as { children: object };
    expect(Object.keys(children)).toEqual(["fold", "sql"]);
    run.release();
  });
});

describe("shutdown", () => {
  it("ends what asks before what answers, also when one cannot be stopped", async () => {
    const order: string[] = [];
    const shutdown = createShutdown();
    const item = (name: string, fails = false) => ({
      stop: async () => {
        order.push(name);
        if (fails) throw new Error("cannot");
      },
      kill: () => {},
    });
    shutdown.add("database", item("database"));
    shutdown.add("indexer", item("indexer", true));
    shutdown.add("gateway", item("gateway"));
    await shutdown.stopAll();
    expect(order).toEqual(["gateway", "indexer", "database"]);
    shutdown.add("devnet", item("too late"));
    expect(order).toContain("too late");
  });
});

describe("readEnvironment", () => {
  const chain = join(root, "chains", "berachain.json");
  const good = { CHAIN: chain, RPC_URL: "http://127.0.0.1:1" };

  it.each([
    [{ ...good, PORT: "abc" }, /^PORT=abc: /],
    [{ ...good, PORT: "99999" }, /^PORT=99999: must be 1 to 65535/],
    [{ ...good, RPC_URL: "node.example" }, /^RPC_URL: must be an http/],
    [{ ...good, RPC_URL: "http://no de" }, /^RPC_URL: must be an http/],
    [{ ...good, RPC_URL: "https://user:secret@node.example" }, /^RPC_URL: must not hold a user or password/],
    [{ ...good, DATABASE_URL: "mysql://u:secret@x" }, /^DATABASE_URL: must be a postgres/],
    [{ ...good, PORT: "42069" }, /^PORT and PONDER_PORT are both 42069/],
    [{ CHAIN: chain }, /^RPC_URL is not set/],
    [{ CHAIN: chain, RPC_URL_80094: "ftp://x/secret" }, /^RPC_URL_80094: must be an http/],
    [
      { ...good, CHAIN: `devnet,${chain}`, RPC_URL_80094: good.RPC_URL, PONDER_PORT: "3999" },
      /^PORT and PONDER_PORT of \S+berachain.json are both 4000/,
    ],
    [
      { ...good, CHAIN: `devnet,${chain}`, RPC_URL_80094: good.RPC_URL, PONDER_PORT: "65535" },
      /^PONDER_PORT of \S+ would be 65536: /,
    ],
  ])("stops at %j with one line", (env, message) => {
    const read = () => readEnvironment(env);
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/\n|secret/);
  });

  it("fills in what is not set, or set to nothing", () => {
    expect(readEnvironment({ ...good, PORT: "", DATABASE_URL: "" })).toMatchObject({
      port: 4000,
      host: "127.0.0.1",
      devnetPort: 8545,
      databaseUrl: undefined,
      chains: [{ rpcUrl: "http://127.0.0.1:1", ponderPort: 42069 }],
    });
  });
});

describe("requirePartSettings", () => {
  const good = { ...process.env, DATABASE_URL: "", LAKE: "lake-data", SQL: "on" };
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ["RATE_LIMIT", "many"],
    ["API_KEYS", "short"],
    ["CACHE_MB", "0"],
    ["QUOTE_TIMEOUT_MS", "fast"],
    ["DATABASE_READ_URL", "mysql://x"],
    ["LOG_LEVEL", "verbose"],
    ["KEEP_OLD_INDEX_MINUTES", "-1"],
    ["KEEP_OLD_INDEX_MINUTES", "1e300"],
    ["LAKE_LOADED_ROWS", "-1"],
    ["SQL_MEMORY_MB", "1"],
    ["SQL_URL_31337", "sql"],
    ["FLY_RPS", "0"],
  ])("names %s=%s before anything is started", (name, value) => {
    const environment = readEnvironment(good);
    expect(() => requirePartSettings(environment)).not.toThrow();
    // a port that the launcher chooses wins
    vi.stubEnv(name, value);
    expect(() => requirePartSettings(environment)).toThrow(new RegExp(`^${name}\\b[^\n]*$`));
  });
});

describe("ports", () => {
  it("that are taken are named with their variable and the process that listens there", async () => {
    const port = await freePort();
    const server = createServer().listen(port, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await isPortFree(port)).toBe(false);
    const { message } = new PortInUseError(port, "PORT");
    expect(message).toMatch(new RegExp(`^PORT=${port}: .*set PORT to a free port$`));
    if (process.platform === "linux") expect(message).toContain(`pid ${process.pid}`);
    await expect(requireListening(port, "127.0.0.1")).rejects.toThrow(message);
    server.close();
  });

  it("are not called taken where the machine does not have the address", async () => {
    const port = await freePort();
    await expect(requireListening(port, "192.0.2.1")).rejects.toThrow(/^HOST=192\.0\.2\.1: .*EADDRNOTAVAIL/);
    await expect(requireListening(port, "nowhere.invalid")).rejects.toThrow(/^HOST=nowhere\.invalid: /);
    await requireListening(port, "127.0.0.1");
  });
});

describe("the progress view without a terminal", () => {
  it("prints new states and steps of five percent only", () => {
    const lines: string[] = [];
    const view = createProgressView(["fold"], { write: (text: string) => lines.push(text.trim()) });
    for (const percent of [0, 1, 4, 5, 9, 10, 99, 100]) view.show("fold", `block ${percent}`, percent);
    view.show("fold", "done", 100);
    expect(lines.map((line) => Number(/(\d+)%/.exec(line)?.[1]))).toEqual([0, 5, 10, 99, 100, 100]);
  });
});
