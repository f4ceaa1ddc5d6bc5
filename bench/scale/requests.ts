// Counts what `npm start` asks its node: from nothing to the head of the seeded devnet, then idle, then with a block every
// other second.
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { startLive } from "../../devnet/live.ts";
import { DEFAULT_SEED } from "../../devnet/scenario/scenario.ts";
import { type SeededDevnet, startSeededDevnet } from "../../devnet/seeded.ts";
import { freePort } from "../../machine/ports.ts";
import { addressesIn, perRange, questionsOf, readSources } from "../../plan/log-queries.ts";
import type { Server } from "../ground/workbench.ts";
import { withDatabase } from "../with-database.ts";
import { type CountingNode, startCountingNode } from "./counting-node.ts";
import { startProduct } from "./product.ts";
import { indexSizes, rowsOf, sumOver, type TableSizes } from "./table-sizes.ts";

/** Ponder's polls, at the interval of most chains. */
const POLLING_MS = 1_000;

export interface RequestRun {
  blocks: number;
  /** Rows of fact tables, blocks aside. */
  events: number;
  tokens: number;
  settings: number;
  transactions: number;
  /** Mean bytes of their input. */
  inputBytes: number;
  addresses: number;
  questionsPerRange: number;
  ranges: number;
  seconds: number;
  backfill: Record<string, number>;
  idle: { seconds: number; byKind: Record<string, number> };
  live: { seconds: number; blocks: number; byKind: Record<string, number> };
  /** HTTP requests: a batch is one. */
  http: { backfill: number; idle: number; live: number };
  sizes: TableSizes;
}

export interface RequestSetting {
  /** Number of steps of the devnet's scenario; undefined: all of it. */
  steps: number | undefined;
  idleMs: number;
  liveMs: number;
  /** Requests that follow the folding of the last block are sent within this time. */
  restMs: number;
}

/** @throws Error when a block of the devnet is not followed */
export async function measureRequests(server: Server, setting: RequestSetting): Promise<RequestRun> {
  const { steps } = setting;
  const devnet = await startSeededDevnet({ port: await freePort(), ...(steps === undefined ? {} : { steps }) });
  const node = await startCountingNode(devnet.rpcUrl);
  try {
    return await withDatabase(server, "requests", async (databaseUrl) => {
      const sql = postgres(databaseUrl, { max: 2, onnotice: () => {} });
      try {
        return await countAll({ devnet, node, sql, databaseUrl, setting });
      } finally {
        await sql.end({ timeout: 2 });
      }
    });
  } finally {
    await node.stop();
    await devnet.stop();
  }
}

interface Ground {
  setting: RequestSetting;
  devnet: SeededDevnet;
  node: CountingNode;
  sql: Sql;
  databaseUrl: string;
}

async function countAll({ devnet, node, sql, databaseUrl, setting }: Ground): Promise<RequestRun> {
  const chain = { ...chainFileOf(devnet.world.at), pollingIntervalMs: POLLING_MS };
  const headOf = async () => Number((await devnet.chain.client.getBlock()).number);
  const startedAt = performance.now();
  const product = await startProduct({ chain, rpcUrl: node.url, databaseUrl, sql });
  try {
    const blocks = await headOf();
    await product.settled(blocks);
    await sleep(setting.restMs);
    const seconds = (performance.now() - startedAt) / 1000;
    const backfill = node.take();
    await sleep(setting.idleMs);
    const idle = node.take();
    const sizes = await indexSizes(sql, product.schemas);
    const facts = sumOver(sizes, (table) => table.startsWith("facts.") && table !== "facts.block");
    const [inputs] =
      await sql`select count(*)::int as n, avg(length(input) / 2 - 1)::float8 as bytes from ponder_sync.transactions`;
    const live = startLive({ chain: devnet.chain, world: devnet.world, seed: DEFAULT_SEED });
    await sleep(setting.liveMs);
    await live.stop();
    await sleep(setting.restMs);
    const followed = node.take();
    const head = await headOf();
    await product.settled(head);
    return {
      blocks: blocks + 1,
      events: facts.rows,
      tokens: rowsOf(sizes, "fold.token"),
      settings: rowsOf(sizes, "fold.island_settings") + rowsOf(sizes, "fold.farm_settings"),
      transactions: Number(inputs?.n),
      inputBytes: Number(inputs?.bytes),
      addresses: addressesIn(chain),
      questionsPerRange: perRange(questionsOf(await readSources(product.chainFile))),
      ranges: backfill.ranges.size,
      seconds,
      backfill: Object.fromEntries(backfill.byKind),
      idle: { seconds: setting.idleMs / 1000, byKind: Object.fromEntries(idle.byKind) },
      live: {
        seconds: (setting.liveMs + setting.restMs) / 1000,
        blocks: head - blocks,
        byKind: Object.fromEntries(followed.byKind),
      },
      http: { backfill: backfill.http, idle: idle.http, live: followed.http },
      sizes,
    };
  } finally {
    await product.stop();
  }
}
