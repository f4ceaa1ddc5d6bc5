// A PostgreSQL server that hangs: its processes are there and its connections stay open, but nothing is answered any more.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { startPostgres } from "../../launcher/postgres/server.ts";
import { signal } from "../../machine/processes.ts";
import { startFold } from "../support/running-fold.ts";

/** Linux only. */
function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      // its name stands in parentheses and may hold anything; state and parent follow
      return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]) === parent;
    } catch {
      return false;
    }
  });
}

/** The server starts no other process once it is stopped itself. */
function send(server: number, name: "SIGSTOP" | "SIGCONT"): void {
  signal(server, name);
  for (const pid of childrenOf(server)) signal(pid, name);
}

/** Longer than the product waits for an answer, and longer than it keeps a silent connection. */
const HANG_MS = [11_000, 22_000];

describe.concurrent("a server", () => {
  it.skipIf(process.platform !== "linux").for(HANG_MS)(
    "that hangs for %i ms is named, and the product is ready again once it goes on",
    async (hangMs) => {
      const folder = mkdtempSync(join(tmpdir(), "tidemark-test-"));
      const server = await startPostgres({ dataDir: join(folder, "data"), isTemporary: true });
      const sql = postgres(server.url, { max: 2, onnotice: () => {} });
      const fold = await startFold({ sql, url: server.url });
      try {
        await fold.becomes({ status: 200 });
        send(server.pid, "SIGSTOP");
        const hanging = sleep(hangMs);
        await fold.becomes({ status: 503, code: "DATABASE_UNAVAILABLE" });
        const began = performance.now();
        const [{ status, body }, metrics] = await Promise.all([
          fold.gateway.get("/status"),
          fold.gateway.get("/metrics"),
        ]);
        console.log(`/status and /metrics took ${((performance.now() - began) / 1_000).toFixed(1)} s`);
        expect([status, body]).toMatchObject([503, { error: { code: "DATABASE_UNAVAILABLE" } }]);
        expect(metrics.text).toContain('tidemark_ready{chain="fixture"} 0');
        await hanging;
        send(server.pid, "SIGCONT");
        await fold.becomes({ status: 200 });
        expect((await fold.gateway.get("/status")).body).toMatchObject({ state: "ready" });
        expect((await fold.gateway.get("/metrics")).text).toContain('tidemark_ready{chain="fixture"} 1');
      } finally {
        send(server.pid, "SIGCONT");
        await fold.stop();
        await sql.end({ timeout: 1 });
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
