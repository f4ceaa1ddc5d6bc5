// The hot token's holders at blocks of a history lake: GET /balances whole, written by the SQL process and by PostgreSQL, and rows
// through POST /statement of that process, in turns.

import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import postgres from "postgres";
import { LakeWriter } from "../../lake/lake-writer.ts";
import { type Manifest, readManifest } from "../../lake/manifest.ts";
import { freePort } from "../../scripts/launcher/ports.ts";
import { type LoggedProcess, startLogged } from "../index/child-process.ts";
import { projectFolder } from "../index/project-folder.ts";
import { BENCH_CHAIN_ID, chainFileOf } from "../index/workbench.ts";
import { FOLD_SCHEMA, type Ground, PONDER_SCHEMA, startGateway } from "./ground.ts";
import { get } from "./http-client.ts";
import { type Moment, momentNames } from "./sizes.ts";
import { pairs, turns } from "./turns.ts";

/** `csv`, `parquet`: rows of `holders(token, block)` in that form. */
export type LakeWay = "postgres" | "lake" | "csv" | "parquet";

export interface LakeRun {
  moment: Moment;
  way: LakeWay;
  bytes: number;
  ms: number;
}

/** Segments, about. */
const SEGMENTS = 20;
/** Blocks that a segment may end with. */
const BOUNDARIES = 1_000;

export async function measureLake(ground: Ground, rounds: number): Promise<LakeRun[]> {
  const { lake, manifest } = await writeLake(ground);
  const blocks = blocksIn(ground, manifest);
  const sql = await startSql(ground, lake);
  const gateways = [await startGateway(ground), await startGateway(ground, { SQL_URL: sql.url })] as const;
  const [without, withLake] = gateways;
  const urlAt = (url: string, moment: Moment) => `${url}/balances/${ground.hot}?blockNumber=${blocks[moment]}`;
  const read = (moment: Moment, way: LakeWay): Promise<Buffer> => {
    if (way === "csv" || way === "parquet") return statement(sql.url, rowsText(ground.hot, blocks[moment]), way);
    return get(urlAt(way === "lake" ? withLake.url : without.url, moment)).then(({ status, body }) => {
      if (status !== 200) throw new Error(`the gateway answered ${status}`);
      return body;
    });
  };
  try {
    const runs: LakeRun[] = [];
    for (const moment of momentNames) {
      const [found, expected] = [await read(moment, "lake"), await read(moment, "postgres")];
      if (!found.equals(expected)) throw new Error(`the ${moment} answer from the lake has other bytes`);
    }
    const ways: readonly LakeWay[] = ["postgres", "lake", "csv", "parquet"];
    for (const { round, contender } of turns(pairs(momentNames, ways), rounds)) {
      const [moment, way] = contender;
      const started = performance.now();
      const { length } = await read(moment, way);
      if (round > 0) runs.push({ moment, way, bytes: length, ms: performance.now() - started });
    }
    await requireOutcome(withLake.url, runs.filter(({ way }) => way === "lake").length);
    return runs;
  } finally {
    await Promise.all([sql, ...gateways].map((one) => one.stop()));
  }
}

const rowsText = (token: string, block: number): string => `select account, amount from holders('${token}', ${block})`;

/** Late ones may lie behind the lake's end. */
function blocksIn({ blocks }: Ground, { segments }: Manifest): Ground["blocks"] {
  const last = segments.at(-1)?.last ?? 0;
  return Object.fromEntries(momentNames.map((moment) => [moment, Math.min(blocks[moment], last)])) as Ground["blocks"];
}

/** Small sizes have too few holders at early blocks. @throws Error when PostgreSQL has written one that counts as the lake's */
async function requireOutcome(gateway: string, atLeast: number): Promise<void> {
  const metrics = (await get(`${gateway}/metrics`)).body.toString();
  const outcomes = [...metrics.matchAll(/^tidemark_lake_answers_total\{.*outcome="(\w+)"\} (\d+)/gm)];
  const counts = Object.fromEntries(outcomes.map(([, outcome, count]) => [outcome, Number(count)]));
  if ((counts.lake ?? 0) + (counts.absent ?? 0) < atLeast || counts.mended || counts.failed || counts.paused)
    throw new Error(`not all of it came from the lake: ${JSON.stringify(counts)}`);
}

/** As many transfers as there are changes: they alone decide where segments end. */
async function writeLake(ground: Ground): Promise<{ lake: string; manifest: Manifest }> {
  const { db, server, databaseUrl, size } = ground;
  await db.unsafe(`
    insert into ${PONDER_SCHEMA}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
    select block, row_number() over (partition by block), 0, 1700000000 + 2 * block, '0x' || encode(account, 'hex'), '0x', '0x', 1
      from made.change`);
  const every = size.blocks / BOUNDARIES;
  for (const schema of [PONDER_SCHEMA, FOLD_SCHEMA])
    await db.unsafe(`insert into ${schema}.block (number, hash, timestamp)
      select n, '0x' || lpad(to_hex(n), 64, '0'), 1700000000 + 2 * n from (select generate_series(${every - 1}, ${size.blocks}, ${every}) union select ${size.blocks}) b(n)
      on conflict do nothing`);
  await db.unsafe(`analyze ${PONDER_SCHEMA}.erc20_transfer`);
  const connect = () => postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const connections = { snapshot: connect(), facts: connect() };
  const rule = { segmentBlocks: every, segmentTransfers: Math.floor(size.changes / SEGMENTS) };
  const lake = join(server.folder, "lake");
  try {
    const chain = { chainId: BENCH_CHAIN_ID, name: "bench", lake: rule };
    const readPrices = async () => [];
    const writer = new LakeWriter({ chain, lake, connections, readPrices, say: () => {} });
    await writer.open();
    await writer.writeFinal();
    const manifest = await readManifest(writer.folder);
    if (manifest === undefined) throw new Error("the lake has no segment");
    return { lake, manifest };
  } finally {
    await Promise.all(Object.values(connections).map((connection) => connection.end({ timeout: 2 })));
  }
}

/** The process behind POST /sql, as `npm start` runs it, when it has verified the lake. */
async function startSql({ server, databaseUrl }: Ground, lake: string): Promise<LoggedProcess & { url: string }> {
  const chainFile = join(server.folder, "as-of-chain.json");
  writeFileSync(chainFile, JSON.stringify(chainFileOf(null)));
  const port = await freePort();
  const env = {
    ...{ CHAIN: chainFile, DATABASE_URL: databaseUrl, LAKE: lake, SQL_PORT: String(port) },
    ...{ TIDEMARK_DATA: join(server.folder, "data"), LOG_LEVEL: "info" },
  };
  const sql = startLogged({ name: "as-of sql", args: ["sql/main.ts", "serve"], cwd: projectFolder, env });
  await sql.said("listening");
  const url = `http://127.0.0.1:${port}`;
  await statement(url, "select 1", "csv");
  return { ...sql, url };
}

function statement(url: string, query: string, format: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/statement`, { method: "POST" }, async (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(pieces);
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`the SQL process answered ${response.statusCode}: ${body}`));
      });
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ query, format }));
  });
}
