// What a benchmark starts ends with it, also when somebody breaks it off.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The processes that `pid` started, and those that these started; with their parents and command lines. */
function startedBy(pid: number): string[] {
  const lines = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" }).split("\n").slice(1);
  const children = lines.filter((line) => Number(line.trim().split(/\s+/)[1]) === pid);
  return children.flatMap((line) => [line, ...startedBy(Number(line.trim().split(/\s+/)[0]))]);
}

const isThere = (line: string): boolean => {
  try {
    return process.kill(Number(line.trim().split(/\s+/)[0]), 0);
  } catch {
    return false;
  }
};

it("a benchmark that gets a signal twice, from a terminal and from npm, ends its database and its indexer, too", async () => {
  const bench = spawn(process.execPath, ["bench/main.ts", "index", "--smallest"], { cwd: root });
  const ended = once(bench, "exit");
  try {
    bench.stdout.resume();
    const started = await vi.waitFor(
      () => {
        const all = startedBy(bench.pid ?? 0);
        expect(all.filter((line) => line.includes("postgres -D"))).toHaveLength(1);
        expect(all.filter((line) => line.includes("ponder"))).not.toEqual([]);
        return all;
      },
      { timeout: 180_000, interval: 200 },
    );
    bench.kill("SIGINT");
    // of two signals of one kind that wait at the same time only one arrives
    await sleep(20);
    bench.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    await vi.waitFor(() => expect(started.filter(isThere)).toEqual([]), { timeout: 90_000 });
  } finally {
    bench.kill("SIGTERM");
  }
}, 300_000);
