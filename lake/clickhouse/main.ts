// `npm run lake:clickhouse`: loads a lake's files into ClickHouse. Options: see arguments.ts.
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { UsageError } from "../../machine/command-line.ts";
import { ManifestError, readManifest } from "../manifest.ts";
import { type Plan, parsePlan, USAGE } from "./arguments.ts";
import { createTables, LoadError, loadLake } from "./load.ts";

const REQUEST_MS = 60 * 60_000;

async function main({ folder, url, user, database, isCluster }: Plan): Promise<void> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) throw new LoadError(`${folder} has no manifest.json: run \`npm run lake\` first`);
  const name = database ?? `tidemark_${manifest.chainId}`;
  const log = { level: ClickHouseLogLevel.OFF };
  const login = {
    log,
    url,
    username: user,
    password: process.env.CLICKHOUSE_PASSWORD ?? "",
    request_timeout: REQUEST_MS,
  };
  const server = createClient(login);
  const client = createClient({ ...login, database: name });
  try {
    const everywhere = isCluster ? " on cluster '{cluster}'" : "";
    await server.command({ query: `create database if not exists \`${name}\`${everywhere}` });
    await createTables(client, { isCluster });
    const onFile = ({ path, rows }: { path: string; rows: number }) => console.log(`${path}: ${rows} rows`);
    const taken = await loadLake({ client, isCluster, folder, manifest, onFile });
    const last = manifest.segments.at(-1)?.last;
    console.log(`${name}: ${taken} files taken; ${last === undefined ? "no block yet" : `whole up to block ${last}`}`);
  } finally {
    await Promise.all([server.close(), client.close()]);
  }
}

try {
  const plan = parsePlan(process.argv.slice(2));
  if (plan === "help") console.log(USAGE);
  else await main(plan);
} catch (error) {
  console.error(`lake:clickhouse: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = error instanceof LoadError || error instanceof ManifestError ? 1 : 2;
}
