// DuckDB in memory, locked down before the first statement: it reads files of two folders and nothing else, loads no
// extension, and its settings cannot be changed any more.
import { type DuckDBConnection, DuckDBInstance, DuckDBTimestampTZValue } from "@duckdb/node-api";
import { literal } from "../core/sql-literal.ts";

export interface DuckdbSettings {
  /** What it may read: the lake, and the folder that the tail is loaded through. */
  folders: readonly string[];
  memoryMegabytes: number;
  threads: number;
}

export async function openDuckdb({ folders, memoryMegabytes, threads }: DuckdbSettings): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: `${memoryMegabytes}MiB`,
    threads: String(threads),
    // what does not fit into memory is refused, not written to a disk
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_persistent_secrets: "false",
    // positions, for line and column
    errors_as_json: "true",
    // what was verified is what is read: no copies of a file that may have changed since
    enable_external_file_cache: "false",
  });
  const connection = await instance.connect();
  // days and hours are those of UTC, wherever the machine is; DuckDB's client writes times by a setting of its own
  await connection.run("set global TimeZone = 'UTC'");
  DuckDBTimestampTZValue.timezoneOffsetInMinutes = 0;
  await connection.run(`set allowed_directories = [${folders.map(literal).join(", ")}]`);
  await connection.run("set enable_external_access = false");
  await connection.run("set lock_configuration = true");
  connection.closeSync();
  return instance;
}

/** All rows of a short statement, as objects. */
export async function rowsOf<Row extends object>(connection: DuckDBConnection, text: string): Promise<Row[]> {
  return (await connection.runAndReadAll(text)).getRowObjectsJS() as Row[];
}

/** Runs `work` in a transaction of `connection`. */
export async function inTransaction<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run("begin transaction");
  try {
    const result = await work();
    await connection.run("commit");
    return result;
  } catch (error) {
    await connection.run("rollback").catch(() => {});
    throw error;
  }
}
