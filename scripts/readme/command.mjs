// Commands as a shell runs them when they are typed, each in a process group of its own so that all of it can be ended.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** How long ending after Ctrl-C may take. */
const GRACE_MS = 60_000;

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
let isStopping = false;

/**
 * @param {string} text
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, onOutput: (text: string) => void }} around
 */
export function startCommand(text, { cwd, env, onOutput }) {
  if (isStopping) throw new Error(`stopped before "${text}"`);
  const child = spawn("sh", ["-e", "-c", text], { cwd, env, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.stdout.setEncoding("utf8").on("data", onOutput);
  /** @type {Promise<number>} */
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
  return {
    ended,
    /** Ctrl-C, which reaches the whole group. Resolves to whether that ended it. */
    async interrupt() {
      signal(child, "SIGINT");
      const inTime = await Promise.race([ended.then(() => true), sleep(GRACE_MS, false, { ref: false })]);
      if (!inTime) signal(child, "SIGKILL");
      return inTime;
    },
  };
}

/** Kills what is still running, at once. */
export function killCommands() {
  for (const child of running) signal(child, "SIGKILL");
}

/** Ctrl-C to what is still running; nothing is started any more. */
export async function interruptCommands() {
  isStopping = true;
  if (running.size === 0) return;
  const ends = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)));
  for (const child of running) signal(child, "SIGINT");
  await Promise.race([Promise.all(ends), sleep(GRACE_MS, undefined, { ref: false })]);
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} name
 */
function signal(child, name) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch {
    // It has ended.
  }
}
