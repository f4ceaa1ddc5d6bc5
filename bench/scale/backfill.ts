// How much processor, disk and memory a backfill from a node takes, on made-up chains of several shapes, from nothing.

import type { ChainShape } from "../ground/synthetic-chain.ts";
import { type Server, withWorkbench } from "../ground/workbench.ts";
import { cpuSeconds } from "../index/cpu-seconds.ts";
import { liveSchemas, tidemark } from "../index/tidemark.ts";
import { checkBalances } from "../index/truth.ts";
import { watchMemory } from "./memory.ts";
import { indexSizes, type TableSizes } from "./table-sizes.ts";
import { type LakeSegments, type WrittenLake, writeLake } from "./written-lake.ts";

const PROCESSES = ["ponder", "fold", "gateway", "database"] as const;
type Process = (typeof PROCESSES)[number];

export interface BackfillRun {
  blocks: number;
  transfers: number;
  /** Seconds from the start of the processes to the last index built. */
  seconds: number;
  /** Seconds of one core, by process. */
  cpu: Record<Process, number>;
  memory: Record<Process, number>;
  sizes: TableSizes;
  /** Only for runs that write one. */
  lake: WrittenLake | undefined;
}

const TRANSFERS_PER_BLOCK = 50;
const TRANSFERS_PER_ACCOUNT = 20;
const FEWEST_ACCOUNTS = 1_000;

/** `emptyBlocks` follow those with transfers. */
export const shapeOf = (transfers: number, emptyBlocks: number): ChainShape => ({
  events: transfers,
  transfersPerBlock: TRANSFERS_PER_BLOCK,
  emptyBlocks,
  transfersPerLiveBlock: 0,
  tokens: 50,
  accounts: Math.max(Math.round(transfers / TRANSFERS_PER_ACCOUNT), FEWEST_ACCOUNTS),
});

/** `segments`: also writes a lake with segments like these. @throws Error when a balance is wrong */
export function measureBackfill(
  server: Server,
  { shape, segments }: { shape: ChainShape; segments?: LakeSegments },
): Promise<BackfillRun> {
  return withWorkbench({ server, shape, ports: [] }, async (bench) => {
    const before = cpuSeconds([server.pid]);
    const app = tidemark(bench);
    const running = await app.start();
    const [ponder = 0, fold = 0, gateway = 0] = running.pids;
    const pids = { ponder, fold, gateway, database: server.pid };
    const memory = watchMemory(pids);
    try {
      await running.settledAt;
      const seconds = (performance.now() - running.startedAt) / 1000;
      const spent = (name: Process) => cpuSeconds([pids[name]]) - (name === "database" ? before : 0);
      const cpu = Object.fromEntries(PROCESSES.map((name) => [name, spent(name)])) as Record<Process, number>;
      const schemas = await liveSchemas(bench);
      if (!schemas) throw new Error("the fold has not made its schema");
      const sizes = await indexSizes(bench.sql, schemas);
      const peaks = memory.stop();
      await checkBalances(app, bench.chain, bench.chain.lastFinal);
      const { chainFile, databaseUrl } = bench;
      const lake = segments === undefined ? undefined : await writeLake({ chainFile, databaseUrl, segments });
      const [blocks, transfers] = [bench.chain.baseHead + 1, shape.events];
      return { blocks, transfers, seconds, cpu, memory: peaks, sizes, lake };
    } finally {
      memory.stop();
      await running.stop();
    }
  });
}

/** Seconds that one more block and one more transfer take, from runs that differ in both. */
export function slopes(
  runs: { few: BackfillRun; empty: BackfillRun; many: BackfillRun },
  of: (run: BackfillRun) => number,
): { perBlock: number; perTransfer: number } {
  const { few, empty, many } = runs;
  // c = start + blocks * b + transfers * t, three runs
  const [db1, dt1, dc1] = [empty.blocks - few.blocks, empty.transfers - few.transfers, of(empty) - of(few)];
  const [db2, dt2, dc2] = [many.blocks - few.blocks, many.transfers - few.transfers, of(many) - of(few)];
  const determinant = db1 * dt2 - db2 * dt1;
  if (determinant === 0)
    throw new Error("the costs of blocks and transfers cannot be separated by these runs: give them other shapes");
  const perBlock = (dc1 * dt2 - dc2 * dt1) / determinant;
  const perTransfer = (db1 * dc2 - db2 * dc1) / determinant;
  return { perBlock: Math.max(perBlock, 0), perTransfer: Math.max(perTransfer, 0) };
}
