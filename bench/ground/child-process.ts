// Starts one of a benchmark's processes and listens to its JSON log, line by line.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../../machine/project-root.ts";

export interface LoggedProcess {
  pid: number;
  /** performance.now() at the spawn. */
  startedAt: number;
  /** performance.now() when a line with exactly this message was first read; rejects when the process ends before. */
  said(message: string): Promise<number>;
  stop(): Promise<void>;
}

const STOP_MS = 7_000;
const TAIL_LINES = 15;
const TAIL_WIDTH = 300;

/** The whole log of the newest run goes to `.tidemark/bench/<name>.log`. */
export function startLogged(options: {
  name: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** After this message the log goes to its file unread: reading a line for each request would slow down the measurement. */
  lastMessage?: string;
}): LoggedProcess {
  const { name, args, cwd, env, lastMessage } = options;
  const child: ChildProcess = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const startedAt = performance.now();
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const logFolder = join(projectRoot, ".tidemark/bench");
  mkdirSync(logFolder, { recursive: true });
  const log = createWriteStream(join(logFolder, `${name.replaceAll(" ", "-")}.log`));
  const seen = new Map<string, number>();
  const tail: string[] = [];
  const waiting: { message: string; resolve: (at: number) => void; reject: (error: Error) => void }[] = [];
  const listen = (line: string) => {
    log.write(`${line}\n`);
    tail.push(line.slice(0, TAIL_WIDTH));
    if (tail.length > TAIL_LINES) tail.shift();
    const message = messageOf(line);
    if (message === undefined || seen.has(message)) return;
    const at = performance.now();
    seen.set(message, at);
    for (const waiter of waiting) if (waiter.message === message) waiter.resolve(at);
    if (message === lastMessage) stopReading();
  };
  const stopReading = () => {
    lines?.close();
    child.stdout?.pipe(log, { end: false });
  };
  const lines = child.stdout && createInterface(child.stdout).on("line", listen);
  if (child.stderr) createInterface(child.stderr).on("line", listen);
  let isStopping = false;
  const ended = once(child, "exit").then(() => {
    log.end();
    process.off("exit", kill);
    if (isStopping) return;
    for (const waiter of waiting) waiter.reject(new Error(`${name} ended; its last lines:\n${tail.join("\n")}`));
  });

  return {
    pid: child.pid ?? 0,
    startedAt,
    said(message) {
      const at = seen.get(message);
      if (at !== undefined) return Promise.resolve(at);
      if (child.exitCode !== null)
        return Promise.reject(new Error(`${name} had ended; its last lines:\n${tail.join("\n")}`));
      const promise = new Promise<number>((resolve, reject) => waiting.push({ message, resolve, reject }));
      // A caller that waits gets the rejection; one that nobody waits for must not end the benchmark.
      promise.catch(() => {});
      return promise;
    },
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function messageOf(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === "string" ? msg : undefined;
  } catch {
    return undefined;
  }
}
