// What a run of the benchmark needs: a database server, the synthetic node, a chain file, ports, a folder.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import { startPostgres } from "../../launcher/postgres/server.ts";
import { freePort } from "../../machine/ports.ts";
import { signal } from "../../machine/processes.ts";
import { withDatabase } from "../with-database.ts";
import { type ChainShape, createSyntheticChain, type SyntheticChain } from "./synthetic-chain.ts";
import { type ServedChain, type SyntheticRpc, startSyntheticRpc } from "./synthetic-rpc.ts";
import { serveTransfers } from "./transfer-logs.ts";

/** An id of no known chain, so that Ponder's finality is its default of 30 blocks. */
export const BENCH_CHAIN_ID = 13_371_337;
/** Both apps ask for new blocks this often. */
export const POLLING_MS = 100;
export const FINALITY_BLOCKS = 30;

/** What an indexer needs, whatever the chain holds. */
export interface Ground {
  rpc: SyntheticRpc;
  sql: Sql;
  databaseUrl: string;
  databasePid: number;
  chainFile: ChainFile;
  chainFilePath: string;
  ponderPort: number;
  gatewayPort: number;
}

export interface Workbench extends Ground {
  chain: SyntheticChain;
}

export interface Server {
  /** For files that a run writes besides its databases; removed by `stop()`. */
  folder: string;
  url: string;
  pid: number;
  /** As in `PostgreSQL 18`. */
  version: string;
  stop(): Promise<void>;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * One server for a whole invocation. It runs with the settings `npm start` uses, durable commits included unless it is
 * temporary.
 * @throws DatabaseStartError when no PostgreSQL can be started
 */
export async function startServer(
  databasePort: number | undefined,
  { isTemporary = false }: { isTemporary?: boolean } = {},
): Promise<Server> {
  const folder = makeFolder();
  const server = await startPostgres({
    dataDir: join(folder, "postgres"),
    isTemporary,
    ...(databasePort === undefined ? {} : { port: databasePort }),
  });
  const kill = () => signal(server.pid, "SIGINT");
  process.once("exit", kill);
  return {
    folder,
    url: server.url,
    pid: server.pid,
    version: (server.description.split(/ \(/)[0] ?? "").trim(),
    async stop() {
      process.off("exit", kill);
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server at `url` that runs already and goes on running; its account may do everything. */
export async function attachServer(url: string): Promise<Server> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await admin`
      select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid,
             'PostgreSQL ' || current_setting('server_version_num')::int / 10000 as version`;
    const folder = makeFolder();
    const stop = async () => rmSync(folder, { recursive: true, force: true });
    return { folder, url, pid: Number(row?.pid), version: String(row?.version), stop };
  } finally {
    await admin.end({ timeout: 2 });
  }
}

/** A fresh database of `server` and a node with a chain of that shape, for as long as `use` runs. */
export function withWorkbench<T>(
  options: { server: Server; shape: ChainShape; ports: readonly number[] },
  use: (bench: Workbench) => Promise<T>,
): Promise<T> {
  const { server, shape, ports } = options;
  const chain = createSyntheticChain(shape);
  const setting = { server, ports, served: serveTransfers(chain), v3: null, name: `index_${shape.events}` };
  return withGround(setting, (ground) => use({ ...ground, chain }));
}

/** A fresh database of `server` and a node that serves `served`, for as long as `use` runs. */
export function withGround<T>(
  options: { server: Server; ports: readonly number[]; served: ServedChain; v3: ChainFile["v3"]; name: string },
  use: (ground: Ground) => Promise<T>,
): Promise<T> {
  const { server, ports, served, v3, name } = options;
  const port = async (at: number) => ports[at] ?? (await freePort());
  return withDatabase(server, name, async (databaseUrl) => {
    const rpc = await startSyntheticRpc({ chain: served, chainId: BENCH_CHAIN_ID, port: await port(0) });
    const chainFilePath = join(server.folder, `${name}-chain.json`);
    const chainFile = chainFileOf(v3);
    writeFileSync(chainFilePath, JSON.stringify(chainFile));
    const sql = postgres(databaseUrl, { max: 3, onnotice: () => {}, types: {} });
    try {
      return await use({
        rpc,
        sql,
        databaseUrl,
        databasePid: server.pid,
        chainFile,
        chainFilePath,
        ponderPort: await port(1),
        gatewayPort: await port(2),
      });
    } finally {
      await sql.end({ timeout: 2 });
      await rpc.stop();
    }
  });
}

/**
 * Sets the chain back to the time before it grew: the head goes back, and Ponder's RPC cache forgets the blocks above it (Ponder
 * asks the node for the highest block it has cached, and ends when that is gone). Ponder stores the end of a range of
 * whole blocks as one more than its last block.
 */
export async function rewindChain({ chain, rpc, sql }: Workbench): Promise<void> {
  rpc.setHead(chain.baseHead);
  const [cache] = await sql`select to_regclass('ponder_sync.intervals') is not null as there`;
  if (cache?.there)
    await sql`update ponder_sync.intervals set blocks = blocks * nummultirange(numrange(0, ${chain.lastFinal + 1}, '[]'))`;
}

/** A chain file that tracks every token and names no protocol but v3. */
export function chainFileOf(v3: ChainFile["v3"]): ChainFile {
  return chainFileSchema.parse({
    name: "bench",
    chainId: BENCH_CHAIN_ID,
    nativeSymbol: "ETH",
    wrappedNative: { address: `0x${"ee".repeat(20)}`, symbol: "WETH", flavour: "transfer" },
    startBlock: 0,
    pollingIntervalMs: POLLING_MS,
    tokens: "all",
    v2: null,
    v3,
    islands: null,
    rewardVaults: null,
    farms: null,
    baults: null,
    infrared: null,
    launch: null,
    aggregator: null,
    ownRouterName: "bench",
    providers: [],
  });
}
