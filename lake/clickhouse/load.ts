// Loads a lake's files into ClickHouse, each once, recognised by its hash, however often a load is killed and begun again. A file is a
// partition of its table. Rows of a file that is not recorded come from a load that did not end, and are deleted before it is loaded again.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClickHouseClient } from "@clickhouse/client";
import { hashOfFile } from "../made-file.ts";
import type { FileEntry, Manifest, SegmentEntry } from "../manifest.ts";
import { statementsOf } from "./schema.ts";

/** The lake and what is in ClickHouse do not match; the message says what to do. */
export class LoadError extends Error {
  override name = "LoadError";
}

export interface Load {
  /** Connected to the database that the lake goes into. */
  client: ClickHouseClient;
  /** Whether its tables are those of a cluster: their rows are then in tables of the shards. */
  isCluster: boolean;
  /** The lake's folder of the chain, which has the manifest. */
  folder: string;
  manifest: Manifest;
  /** Called for each file that has been loaded. */
  onFile?: (file: FileEntry) => void;
}

/** @returns how many files it loaded: those of whole segments that were not there, in the order of the chain. @throws LoadError */
export async function loadLake(load: Load): Promise<number> {
  const { client, manifest } = load;
  const [segments, recorded, knowsSelects] = await Promise.all([
    rowsOf<{ first: number; last: number; hash: string }>(
      client,
      "select distinct first, last, hash from lake_segment",
    ),
    rowsOf<{ path: string; sha256: string }>(client, "select path, sha256 from lake_file final"),
    rowsOf(client, "select name from system.settings where name = 'deduplicate_insert_select'"),
  ]);
  const hashes = new Map(recorded.map(({ path, sha256 }) => [path, sha256]));
  requireSameLake(manifest, { segments, hashes });
  const whole = new Set(segments.map(({ last }) => last));
  // before 25.12 ClickHouse recognised repeated inserts from a SELECT, too, and had no setting for it
  const selects = knowsSelects.length > 0 ? { deduplicate_insert_select: "enable_even_for_bad_queries" } : {};
  let taken = 0;
  for (const segment of manifest.segments.filter(({ last }) => !whole.has(last))) {
    for (const file of segment.files.filter(({ path }) => !hashes.has(path))) {
      await takeFile(load, { file, segment, settings: selects });
      taken += 1;
    }
    await insertRow(client, "lake_segment", { first: segment.first, last: segment.last, hash: segment.hash });
  }
  return taken;
}

/** Creates the tables of `ops/clickhouse/` in the client's database where they are missing. */
export async function createTables(client: ClickHouseClient, { isCluster }: { isCluster: boolean }): Promise<void> {
  const file = new URL(`../../ops/clickhouse/${isCluster ? "cluster" : "server"}.sql`, import.meta.url);
  for (const query of statementsOf(await readFile(file, "utf8"))) await client.command({ query });
}

interface Recorded {
  segments: readonly { first: number; last: number; hash: string }[];
  hashes: ReadonlyMap<string, string>;
}

const OTHER_DATABASE = "name another database with --database";

/** Files are never rewritten: one of another hash is of another lake, whose segments would not fit this one's. */
function requireSameLake({ segments: all }: Manifest, { segments, hashes }: Recorded): void {
  const expected = new Map(all.map(({ first, last, hash }) => [last, `${first} ${hash}`]));
  const end = all.at(-1)?.last ?? -1;
  for (const { first, last, hash } of segments)
    if (last <= end && expected.get(last) !== `${first} ${hash}`)
      throw new LoadError(`the database has blocks ${first} to ${last} of another lake (${hash}): ${OTHER_DATABASE}`);
  const loaded = Math.max(-1, ...segments.map(({ last }) => last));
  if (loaded > end)
    throw new LoadError(
      `the database has blocks up to ${loaded}, the lake ${end < 0 ? "none yet" : `up to ${end} only`}: load again when \`npm run lake\` has written it that far`,
    );
  const files = new Map(all.flatMap(({ files: some }) => some.map(({ path, sha256 }) => [path, sha256])));
  for (const [path, sha256] of hashes)
    if (files.get(path) !== sha256)
      throw new LoadError(`the database has ${path} of another lake (sha-256 ${sha256}): ${OTHER_DATABASE}`);
  requireWhole(all, { segments, hashes });
}

/** A lake that was written anew from more sources may have all files that were loaded, and others beside them. */
function requireWhole(all: readonly SegmentEntry[], { segments, hashes }: Recorded): void {
  const whole = new Set(segments.map(({ last }) => last));
  for (const { first, last, files } of all.filter((segment) => whole.has(segment.last))) {
    const lacks = files.find(({ path }) => !hashes.has(path));
    if (lacks !== undefined)
      throw new LoadError(
        `the database has blocks ${first} to ${last} of another lake, without ${lacks.path}: ${OTHER_DATABASE}`,
      );
  }
}

interface Taken {
  file: FileEntry;
  segment: SegmentEntry;
  settings: Record<string, string>;
}

async function takeFile(load: Load, { file, segment, settings }: Taken): Promise<void> {
  const { client, folder, isCluster, manifest } = load;
  const { dataset, path, sha256, rows } = file;
  const found = await hashOfFile(join(folder, path));
  if (found !== sha256)
    throw new LoadError(
      `${path} is damaged: its sha-256 is ${found}, not ${sha256}; \`npm run lake -- --check\` mends it`,
    );
  if ((await countRows(client, dataset, segment)) > 0) {
    const table = isCluster ? `${dataset}_shard on cluster '{cluster}'` : dataset;
    await client.command({ query: `alter table ${table} drop partition ${segment.last}` });
  }
  await insertFile(client, {
    body: join(folder, path),
    file,
    segment,
    settings,
    columns: manifest.schema[dataset] ?? [],
  });
  const counted = await countRows(client, dataset, segment);
  if (counted !== rows)
    throw new LoadError(`${dataset} has ${counted} rows of ${path}, not ${rows}: load again, by one loader alone`);
  await insertRow(client, "lake_file", { path, sha256, rows });
  load.onFile?.(file);
}

/**
 * The file's bytes are the body; ClickHouse turns text into numbers. One thread cuts it into the same blocks each time, so
 * that its token identifies those that are there already.
 */
async function insertFile(
  client: ClickHouseClient,
  { body, file, segment, settings, columns }: Taken & { body: string; columns: Manifest["schema"][string] },
): Promise<void> {
  const names = columns.map(({ name }) => `\`${name}\``).join(", ");
  const structure = columns
    .map(({ name, type }) => `\`${name}\` Nullable(${type === "INTEGER" ? "Int32" : "String"})`)
    .join(", ");
  const { stream } = await client.exec({
    query: `insert into ${file.dataset} (segment, ${names}) select ${segment.last}, ${names}
      from input('${structure}') format Parquet`,
    values: createReadStream(body),
    clickhouse_settings: {
      ...settings,
      insert_deduplication_token: file.sha256,
      distributed_foreground_insert: 1,
      max_threads: 1,
      max_insert_threads: "1",
      // so that the status reports errors, even late ones
      wait_end_of_query: 1,
    },
  });
  await stream.resume().toArray();
}

async function countRows(client: ClickHouseClient, dataset: string, { last }: SegmentEntry): Promise<number> {
  const [row] = await rowsOf<{ rows: string }>(
    client,
    `select count() as rows from ${dataset} where segment = ${last}`,
  );
  return Number(row?.rows);
}

async function rowsOf<T>(client: ClickHouseClient, query: string): Promise<T[]> {
  return (await client.query({ query, format: "JSONEachRow" })).json<T>();
}

async function insertRow(client: ClickHouseClient, table: string, row: object): Promise<void> {
  await client.insert({ table, values: [row], format: "JSONEachRow" });
}
