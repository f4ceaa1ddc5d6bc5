// The two apps of the v3 phase: the product, whose answer is its GraphQL API, and a plain Ponder project.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ponderSchemaName } from "../../../chains/build-hash.ts";
import { ponderProgram } from "../../../launcher/programs.ts";
import { projectRoot } from "../../../machine/project-root.ts";
import type { Ground } from "../../ground/workbench.ts";
import { dropSchemas, startPonder, tableBytes } from "../indexer.ts";
import { folded, latest, liveSchemas, startFold, startGateway } from "../tidemark.ts";
import { type PoolPoint, V3_FACTORY, type V3Chain } from "./v3-chain.ts";

export interface V3Run {
  pids: readonly number[];
  /** Times by performance.now(): Ponder began to index; its last row was committed; pools are answered at the last final block. */
  indexingFrom: Promise<number>;
  indexedAt: Promise<number>;
  answerableAt: Promise<number>;
  stop(): Promise<void>;
}

export interface V3App {
  name: "tidemark" | "bare ponder";
  start(): V3Run;
  drop(): Promise<void>;
  bytes(): Promise<number>;
  /** All pools by the end of a block, in the order of their creation. */
  poolsAt(block: number): Promise<PoolPoint[]>;
}

const POLL_MS = 10;
const PATIENCE_MS = 30 * 60_000;
const PEER_SCHEMA = "bare_v3";
const DONE = "Completed backfill indexing across all chains";

const sum = (bytes: Record<string, number>): number => Object.values(bytes).reduce((total, size) => total + size, 0);

/** One pool by the end of `block` as the gateway answers it; undefined while it does not. */
async function askPool(ground: Ground, pool: string, block: number): Promise<PoolPoint | undefined> {
  const query = `{ pool(address: "${pool}", block: { number: ${block} }) { sqrtPriceX96 tick liquidity } }`;
  try {
    const response = await fetch(`http://127.0.0.1:${ground.gatewayPort}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as {
      data?: { pool: { sqrtPriceX96: string; tick: number; liquidity: string } } | null;
    };
    if (!data?.pool) return undefined;
    const { sqrtPriceX96, tick, liquidity } = data.pool;
    return { price: BigInt(sqrtPriceX96), tick, liquidity: BigInt(liquidity) };
  } catch {
    return undefined;
  }
}

export function tidemarkV3(ground: Ground, chain: V3Chain): V3App {
  const schema = ponderSchemaName(ground.chainFile);
  const ask = async (pool: string, block: number): Promise<PoolPoint> => {
    const point = await askPool(ground, pool, block);
    if (point === undefined) throw new Error(`the gateway does not answer pool ${pool} at block ${block}`);
    return point;
  };
  return {
    name: "tidemark",
    start() {
      const ponder = startPonder(ground, { root: projectRoot, schema, program: ponderProgram });
      const fold = startFold(ground);
      const gateway = startGateway(ground);
      const indexedAt = ponder.said(DONE);
      const builtAt = fold.said("indexes built");
      let isStopped = false;
      const firstAnswer = async () => {
        await Promise.all([indexedAt, builtAt]);
        const deadline = performance.now() + PATIENCE_MS;
        while (!isStopped && (await askPool(ground, chain.poolAddresses[0] ?? "", chain.lastFinal)) === undefined) {
          if (performance.now() > deadline)
            throw new Error(`no answer for block ${chain.lastFinal}: see .tidemark/bench`);
          await sleep(POLL_MS);
        }
        return performance.now();
      };
      const foldedAt = folded(ground, { block: chain.lastFinal, from: builtAt, isStopped: () => isStopped });
      const answerableAt = latest([firstAnswer(), foldedAt]);
      return {
        pids: [ponder.pid, fold.pid, gateway.pid],
        indexingFrom: ponder.said("Started backfill indexing"),
        indexedAt,
        answerableAt,
        async stop() {
          isStopped = true;
          await Promise.all([ponder.stop(), fold.stop(), gateway.stop()]);
        },
      };
    },
    drop: () => dropSchemas(ground, ["facts_", "fold_", "tidemark"]),
    async bytes() {
      const live = await liveSchemas(ground);
      if (!live) throw new Error("the fold has not made its schema yet");
      return sum(await tableBytes(ground, live.facts)) + sum(await tableBytes(ground, live.fold));
    },
    poolsAt: (block) => Promise.all(chain.poolAddresses.map((pool) => ask(pool, block))),
  };
}

/** `isTuned`: with the Node options that `npm start` gives to our own Ponder. */
export function barePonderV3(ground: Ground, chain: V3Chain, { isTuned }: { isTuned: boolean }): V3App {
  const { sql } = ground;
  return {
    name: "bare ponder",
    start() {
      const root = join(projectRoot, "bench/index/bare-ponder-v3");
      const program = isTuned ? ponderProgram : ponderProgram.filter((argument) => !argument.startsWith("--"));
      const env = { BENCH_V3_FACTORY: V3_FACTORY };
      const ponder = startPonder(ground, { root, schema: PEER_SCHEMA, program, env });
      const indexedAt = ponder.said(DONE);
      return {
        pids: [ponder.pid],
        indexingFrom: ponder.said("Started backfill indexing"),
        indexedAt,
        // its tables can be queried as soon as the last row is written
        answerableAt: indexedAt,
        stop: ponder.stop,
      };
    },
    drop: () => dropSchemas(ground, [PEER_SCHEMA]),
    bytes: async () => sum(await tableBytes(ground, PEER_SCHEMA)),
    async poolsAt(block) {
      const rows = await sql`
        select distinct on (pool) pool, price::text as price, tick, liquidity::text as liquidity
          from ${sql(PEER_SCHEMA)}.history where block <= ${block} order by pool, block desc, log_index desc`;
      const byPool = new Map(rows.map((row) => [String(row.pool), row]));
      return chain.poolAddresses.map((pool) => {
        const row = byPool.get(pool);
        return { price: BigInt(row?.price ?? 0), tick: Number(row?.tick), liquidity: BigInt(row?.liquidity ?? 0) };
      });
    },
  };
}
