// One invocation of a benchmark: the database server that it runs on, and where its figures go.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../machine/project-root.ts";
import type { Claim } from "./claim.ts";
import { endOnSignal } from "./end-on-signal.ts";
import { attachServer, type Server, startServer } from "./ground/workbench.ts";
import { recordedFile, recordRun } from "./recorded-runs.ts";

export interface Session {
  /** Whether this run has the smallest size: then its figures mean nothing. */
  isSmallest: boolean;
  /** Runs `use` on a server at `port` (any free port if absent), or on the server that all benchmarks share. */
  withServer<T>(port: number | undefined, use: (server: Server) => Promise<T>): Promise<T>;
  /** Keeps a phase's claims for docs/benchmarks.md, unless the run has the smallest size. */
  record(phase: string, claims: readonly Claim[]): void;
  /** Keeps every figure of the run beside its logs; returns the file's path. */
  keepFigures(figures: Record<string, unknown>): string;
}

export interface SessionOptions {
  bench: string;
  /** What was typed. */
  command: string;
  /** Figures of the smallest size are not claims. */
  isSmallest: boolean;
  /** A server that runs already. */
  databaseUrl: string | undefined;
}

const RAW_FOLDER = ".tidemark/bench";

export function openSession({ bench, command, isSmallest, databaseUrl }: SessionOptions): Session {
  // read now: later most of the load is the benchmark's own
  const load = `load ${(loadavg()[0] ?? 0).toFixed(1)} before it`;
  let machine = machineText();
  const recorded = new Set<string>();
  return {
    isSmallest,
    async withServer(port, use) {
      const server = await (databaseUrl === undefined
        ? startServer(port, { isTemporary: isSmallest })
        : attachServer(databaseUrl));
      machine = machineText(server);
      console.log(machine);
      const unwatch = endOnSignal(() => server.stop());
      try {
        return await use(server);
      } finally {
        unwatch();
        await server.stop();
      }
    },
    record(phase, claims) {
      if (isSmallest || claims.length === 0) return;
      recorded.add(phase);
      const at = new Date().toISOString().slice(0, 10);
      recordRun(bench, phase, { command, at, commit: commitText(), machine, load, claims });
    },
    keepFigures(figures) {
      mkdirSync(join(projectRoot, RAW_FOLDER), { recursive: true });
      const file = `${RAW_FOLDER}/${bench}.json`;
      const about = { at: new Date().toISOString(), command, machine, load };
      writeFileSync(join(projectRoot, file), JSON.stringify({ ...about, ...figures }, null, 2));
      return recorded.size === 0
        ? file
        : `${file}; claims: ${recordedFile(bench)}, which "npm run bench -- page" puts into docs/benchmarks.md`;
    },
  };
}

/** Processor, database and Node, without details of a single run. */
function machineText(server?: Server): string {
  const database = server ? [server.version] : [];
  return [`${cpus().length} cores`, cpus()[0]?.model ?? "", ...database, `Node ${process.versions.node}`].join(", ");
}

/** @throws Error outside a Git checkout */
function commitText(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: projectRoot, encoding: "utf8" }).trim();
  // files that the runs themselves write do not affect what is measured
  const changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!bench/figures", ":!docs");
  return `${git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : "+"}`;
}
