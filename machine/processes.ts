// What the operating system says about processes: identities that are safe against pid reuse, and orderly endings.
import { type ChildProcess, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** The identity of a live process; `undefined` when there is none (a zombie counts as none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt;
}

/** The command line with spaces between arguments, `""` when the process is gone or not ours to see. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}

/** Pids of processes working in `folder`. Linux only: elsewhere nothing is found. */
export function pidsWorkingIn(folder: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Sends a signal; a process that is already gone is no error. A negative pid names a process group. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Resolves to whether the process was gone within `timeoutMs`. */
export async function waitForEnd(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  for (const deadline = performance.now() + timeoutMs; isRunning(identity); ) {
    if (performance.now() >= deadline) return false;
    await sleep(25);
  }
  return true;
}

/** Sends each signal in turn until the process ends; resolves to whether it did. */
export async function endProcess(
  identity: ProcessIdentity,
  steps: readonly (readonly [NodeJS.Signals, number])[],
): Promise<boolean> {
  for (const [name, patienceMs] of steps) {
    if (!isRunning(identity)) return true;
    signal(identity.pid, name);
    if (await waitForEnd(identity, patienceMs)) return true;
  }
  return !isRunning(identity);
}

/** Resolves when the child has ended, after `name` was sent to it where it had not yet. */
export async function endChild(child: ChildProcess, name: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(name);
  await ended;
}

function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name (field 2) may hold spaces and parentheses: count from its end. Field 3 is the state, field 22 the start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
    return `${boot}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return line.startsWith("Z") ? undefined : line.replace(/^\S+\s+/, "");
  } catch {
    return undefined;
  }
}
