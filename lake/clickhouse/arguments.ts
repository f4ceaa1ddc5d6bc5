// The options of `npm run lake:clickhouse`.
import { readArguments, UsageError } from "../../machine/command-line.ts";

export const USAGE = `npm run lake:clickhouse -- --lake <folder> --url <http://host:8123>

  --lake      a chain's folder of the lake: the one with manifest.json
  --url       ClickHouse's HTTP interface
  --user      default
  --database  tidemark_<chain id>; created where it is missing, with its tables
  --cluster   the tables of a cluster, by its servers' macros cluster, shard and replica

The password is in CLICKHOUSE_PASSWORD. Files that were taken before are left out; load with one loader at a time.`;

export interface Plan {
  folder: string;
  url: string;
  user: string;
  database: string | undefined;
  isCluster: boolean;
}

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const options = { lake: text, url: text, user: text, database: text, cluster: flag, help: flag };

/** @throws UsageError with one line naming the option */
export function parsePlan(args: readonly string[]): Plan | "help" {
  const { lake, url, user, database, cluster, help } = readOptions(args);
  if (help) return "help";
  if (lake === undefined) throw new UsageError("--lake: name the folder that has manifest.json");
  if (!/^https?:\/\//.test(url ?? "")) throw new UsageError("--url: must be an http(s):// URL");
  if (database !== undefined && !/^\w+$/.test(database))
    throw new UsageError("--database: must be letters, digits and underscores");
  return { folder: lake, url: url ?? "", user: user ?? "default", database, isCluster: cluster };
}

function readOptions(args: readonly string[]) {
  return readArguments(args, { options }).values;
}
