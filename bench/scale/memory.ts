// The most memory that processes had at once. Linux only: elsewhere it is NaN.
import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 1_000;

/** Bytes of a process; pages that several processes share are divided among them: proc(5), `smaps_rollup`. */
function bytesOf(pid: number): number {
  try {
    const [, kilobytes] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

/** `pid` and its children. */
function familyOf(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return all.filter((other) => other === pid || parentOf(other) === pid);
}

export interface MemoryWatch<Name extends string> {
  /** Peak bytes by name so far. */
  stop(): Record<Name, number>;
}

/** Samples the processes and their children once a second. */
export function watchMemory<Name extends string>(pids: Readonly<Record<Name, number>>): MemoryWatch<Name> {
  const names = Object.keys(pids) as Name[];
  const peaks = Object.fromEntries(names.map((name) => [name, Number.NaN])) as Record<Name, number>;
  const sample = () => {
    if (process.platform !== "linux") return;
    for (const name of names) {
      const bytes = familyOf(pids[name]).reduce((sum, pid) => sum + bytesOf(pid), 0);
      peaks[name] = Math.max(bytes, peaks[name] || 0);
    }
  };
  const timer = setInterval(sample, EVERY_MS);
  sample();
  return {
    stop() {
      clearInterval(timer);
      return peaks;
    },
  };
}
