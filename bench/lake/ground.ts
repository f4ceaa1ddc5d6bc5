// One made-up history in every place that is queried: PostgreSQL, the lake that the product's own writer makes from it, and a CSV
// of its transfers.
import { statSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import postgres, { type Sql } from "postgres";
import { undelayed } from "../../database/undelayed.ts";
import { quoted } from "../../fold/tables.ts";
import { LakeWriter } from "../../lake/lake-writer.ts";
import { type Manifest, readManifest } from "../../lake/manifest.ts";
import { pointAt, writeFacts } from "../as-of/facts.ts";
import { generateChanges, tokenAddress } from "../as-of/generate.ts";
import { FOLD_SCHEMA, PONDER_SCHEMA } from "../as-of/ground.ts";
import { writeFold } from "../as-of/product-tables.ts";
import { blockOf, DECIMALS, HOT, type Moment, type Size } from "../as-of/sizes.ts";
import { BENCH_CHAIN_ID, type Server } from "../ground/workbench.ts";
import { timed } from "../timed.ts";
import { withDatabase } from "../with-database.ts";

/** About how many segments there are: a segment has at least one in this many of the history's transfers. */
const SEGMENTS = 20;
const BOUNDARIES = 1_000;

export interface LakeGround {
  server: Server;
  /** One connection. */
  db: Sql;
  databaseUrl: string;
  changes: number;
  /** Address of the hot token. */
  hot: string;
  blocks: Readonly<Record<Moment, number>>;
  /** The chain's folder, with the manifest. */
  folder: string;
  manifest: Manifest;
  /** Every transfer of the lake, with a header: block, token, from, to, amount. */
  csv: string;
  bytes: { postgres: number; lake: number; csv: number };
}

/** Fills a fresh database of `server` and a lake below its folder, for as long as `use` runs. */
export function withLakeGround<T>(
  { server, size, say }: { server: Server; size: Size; say: (what: string) => void },
  use: (ground: LakeGround) => Promise<T>,
): Promise<T> {
  return withDatabase(server, "lake", async (databaseUrl) => {
    const db = postgres(databaseUrl, { max: 1, ...undelayed(), onnotice: () => {}, fetch_types: false });
    try {
      const changes = await fill(db, size, say);
      const [row] = await db.unsafe(`select '0x' || encode(${tokenAddress(String(HOT))}, 'hex') as hot`);
      const { folder, manifest } = await writeLake({ server, databaseUrl, size, say });
      const csv = join(server.folder, "transfers.csv");
      await writeCsv(folder, csv);
      const last = manifest.segments.at(-1)?.last ?? 0;
      const blocks = {
        early: blockOf("early", size),
        middle: blockOf("middle", size),
        // blocks that are newer than the lake are not asked about
        late: Math.min(blockOf("late", size), last),
      };
      const bytes = { postgres: await holdingBytes(db), lake: lakeBytes(manifest), csv: statSync(csv).size };
      const hot = String(row?.hot);
      return await use({ server, db, databaseUrl, changes, hot, blocks, folder, manifest, csv, bytes });
    } finally {
      await db.end({ timeout: 2 });
    }
  });
}

async function fill(db: Sql, size: Size, say: (what: string) => void): Promise<number> {
  const head = size.blocks;
  const changes = await timed(say, "made the history", () => generateChanges(db, size));
  await timed(say, "PostgreSQL's tables", async () => {
    const factOid = await writeFacts(db, PONDER_SCHEMA, head);
    const place = { chainId: BENCH_CHAIN_ID, ponderSchema: PONDER_SCHEMA, foldSchema: FOLD_SCHEMA, factOid };
    await writeFold(db, place, { changes: "made.change", head });
    await pointAt(db, place, head);
    await db.unsafe(`insert into ${quoted(FOLD_SCHEMA)}.token (address, name, symbol, decimals, read_at_block)
      values (${tokenAddress(String(HOT))}, 'Made up', 'MADE', ${DECIMALS}, ${head})`);
  });
  await timed(say, "transfers", () => writeTransfers(db, size));
  await db.unsafe("checkpoint");
  return changes;
}

/** Each change as a transfer from or to the zero address, and the blocks that a segment may end with. */
async function writeTransfers(db: Sql, size: Size): Promise<void> {
  const zero = `'0x${"0".repeat(40)}'`;
  await db.unsafe(`
    insert into ${PONDER_SCHEMA}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
    select block, row_number() over (partition by block), 0, 1700000000 + 2 * block, token,
           case when delta > 0 then ${zero} else account end, case when delta > 0 then account else ${zero} end, abs(delta)
      from (select block, '0x' || encode(${tokenAddress("token")}, 'hex') as token, '0x' || encode(account, 'hex') as account,
                   balance - coalesce(lag(balance) over (partition by token, account order by block), 0) as delta
              from made.change) c`);
  const every = size.blocks / BOUNDARIES;
  const ends = `select n, '0x' || lpad(to_hex(n), 64, '0'), 1700000000 + 2 * n
    from generate_series(${every - 1}, ${size.blocks}, ${every}) n`;
  for (const schema of [PONDER_SCHEMA, FOLD_SCHEMA])
    await db.unsafe(`insert into ${schema}.block (number, hash, timestamp) ${ends} on conflict do nothing`);
  await db.unsafe(`analyze ${PONDER_SCHEMA}.erc20_transfer`);
}

async function writeLake({
  server,
  databaseUrl,
  size,
  say,
}: {
  server: Server;
  databaseUrl: string;
  size: Size;
  say: (what: string) => void;
}): Promise<Pick<LakeGround, "folder" | "manifest">> {
  const connect = () => postgres(databaseUrl, { max: 1, ...undelayed(), onnotice: () => {} });
  const connections = { snapshot: connect(), facts: connect() };
  const rule = { segmentBlocks: size.blocks / BOUNDARIES, segmentTransfers: size.changes / SEGMENTS };
  const chain = { chainId: BENCH_CHAIN_ID, name: "bench", lake: rule };
  // no token here has a pool
  const readPrices = async () => [];
  try {
    const lake = join(server.folder, "lake");
    const writer = new LakeWriter({ chain, lake, connections, readPrices, say: () => {} });
    await writer.open();
    await timed(say, "the lake", () => writer.writeFinal());
    const manifest = await readManifest(writer.folder);
    if (manifest === undefined) throw new Error("the lake has no segment");
    return { folder: writer.folder, manifest };
  } finally {
    await Promise.all(Object.values(connections).map((connection) => connection.end({ timeout: 2 })));
  }
}

/** Writes transfers in the order of the chain, as an exporter of logs does. */
async function writeCsv(folder: string, csv: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const duck = await instance.connect();
  const files = join(folder, "erc20_transfer/*.parquet");
  await duck.run(`copy (select block, token, "from", "to", amount from read_parquet('${files}') order by block, log_index)
    to '${csv}' (format csv, header)`);
  duck.closeSync();
  instance.closeSync();
}

/** Bytes of the tables that answer who held how much at a block, with indexes and maps. */
async function holdingBytes(db: Sql): Promise<number> {
  const sizes = ["interval", "current"].map((part) => `pg_total_relation_size('${FOLD_SCHEMA}.holding_${part}')`);
  const [row] = await db.unsafe(`select (${sizes.join(" + ")})::float8 as bytes`);
  return Number(row?.bytes);
}

/** The same for the lake. */
const lakeBytes = ({ segments }: Manifest): number =>
  segments
    .flatMap(({ files }) => files)
    .filter(({ dataset }) => dataset.startsWith("holding_"))
    .reduce((sum, { bytes }) => sum + bytes, 0);
