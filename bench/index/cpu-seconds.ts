// Processor time, which a busy machine changes less than elapsed time. Linux only: elsewhere it is NaN.
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts in hundredths of a second on every architecture it exports (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

/** Fields of proc(5) `/proc/<pid>/stat` after the name: parent (4), own ticks (14, 15), those of ended children (16, 17). */
function readStat(pid: number): { parent: number; ticks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    return { parent: fields[1] ?? 0, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    return undefined;
  }
}

/** Seconds spent so far by `pids` and by all their children, ended ones included. */
export function cpuSeconds(pids: readonly number[]): number {
  if (process.platform !== "linux") return Number.NaN;
  const roots = new Set(pids);
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat && (roots.has(Number(name)) || roots.has(stat.parent))) ticks += stat.ticks;
  }
  return ticks / TICKS_PER_SECOND;
}
