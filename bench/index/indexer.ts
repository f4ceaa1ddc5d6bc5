// What the benchmark needs from each of the two indexers that it compares.

import { projectRoot } from "../../machine/project-root.ts";
import { type LoggedProcess, startLogged } from "../ground/child-process.ts";
import { BENCH_CHAIN_ID, type Ground, POLLING_MS } from "../ground/workbench.ts";

/** Times are performance.now(). */
export interface RunningIndexer {
  /** Every process of the indexer, without the database's. */
  pids: readonly number[];
  /** Ponder's process was started. */
  startedAt: number;
  /** Ponder's start-up is over: it begins to index. */
  indexingFrom: Promise<number>;
  /** Ponder has written the last row of the backfill. */
  indexedAt: Promise<number>;
  /** Everything is folded, and balances at the last final block are answered. */
  answerableAt: Promise<number>;
  /** Nothing is left to do: all tables are vacuumed, too. */
  settledAt: Promise<number>;
  /** Highest block whose rows Ponder has committed; -1 before the first. */
  indexedBlock(): Promise<number>;
  /** The block at which a question about `block` is answered now; -1 when it is not answered. */
  answeredBlock(block: number): Promise<number>;
  stop(): Promise<void>;
}

export interface Indexer {
  name: "tidemark" | "bare ponder";
  start(): Promise<RunningIndexer>;
  /** Drops everything but Ponder's RPC cache. */
  drop(): Promise<void>;
  /** Bytes of tables, indexes, maps and TOAST. */
  bytes(): Promise<Record<string, number>>;
  /** Every positive balance after `block`, as `token account amount` in lower-case hex and decimal. */
  balancesAt(block: number): Promise<Map<string, bigint>>;
}

/** Ponder in the project at `root`, by `program`: arguments for Node, relative to this project. */
export function startPonder(
  bench: Ground,
  options: { root: string; schema: string; program: readonly string[]; env?: Record<string, string> },
): LoggedProcess {
  const { root, schema, program, env = {} } = options;
  return startLogged({
    name: `ponder ${schema}`,
    args: [
      ...program,
      "start",
      ...["--root", root, "--schema", schema],
      ...["-p", String(bench.ponderPort), "-H", "127.0.0.1", "--log-format", "json"],
    ],
    cwd: projectRoot,
    env: {
      DATABASE_URL: bench.databaseUrl,
      RPC_URL: bench.rpc.url,
      CHAIN: bench.chainFilePath,
      PONDER_TELEMETRY_DISABLED: "1",
      BENCH_CHAIN_ID: String(BENCH_CHAIN_ID),
      BENCH_POLLING_MS: String(POLLING_MS),
      ...env,
    },
  });
}

/** Schemas whose names begin with one of `prefixes`, dropped. */
export async function dropSchemas({ sql }: Ground, prefixes: readonly string[]): Promise<void> {
  const found = await sql`select nspname as name from pg_namespace`;
  for (const { name } of found)
    if (prefixes.some((prefix) => String(name).startsWith(prefix))) await sql.unsafe(`drop schema "${name}" cascade`);
}

/** Total bytes per table of a schema, Ponder's own bookkeeping (`_ponder…`, `_reorg…`) left out. */
export async function tableBytes({ sql }: Ground, schema: string): Promise<Record<string, number>> {
  const rows = await sql`
    select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes from pg_class c
     where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r' and c.relname !~ '^_(ponder|reorg)'
     order by 2 desc`;
  return Object.fromEntries(rows.map(({ name, bytes }) => [String(name), Number(bytes)]));
}

/** The block in Ponder's own checkpoint, committed together with its rows; -1 while there is none. */
export async function checkpointBlock({ sql }: Ground, schema: string): Promise<number> {
  const [row] = await sql.unsafe(
    `select substr(latest_checkpoint, 27, 16)::float8 as block from "${schema}"._ponder_checkpoint`,
  );
  return row ? Number(row.block) : -1;
}
