// A streaming replica of one of our servers, made as an operator makes one: a base backup, `standby.signal`, and the primary's
// address. The npm package has no pg_basebackup: files are copied between pg_backup_start and pg_backup_stop.
import { spawn } from "node:child_process";
import { chownSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { serverAccount } from "../../launcher/postgres/binaries.ts";
import { findPlace, makePrivate } from "../../launcher/postgres/place.ts";
import { type PostgresServer, startPostgres } from "../../launcher/postgres/server.ts";

/** What a base backup leaves out: the primary's own state, and WAL, which the replica streams. */
const LEFT_OUT = ["pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp"];
const SERVER_FILES = ["postmaster.pid", "postmaster.opts"];

/** A server whose data lie in `dataDir`. */
export interface Node {
  name: string;
  dataDir: string;
  server: PostgresServer;
}

const placeOf = (dataDir: string) => findPlace(dataDir, serverAccount()).folder;
const clusterOf = (dataDir: string) => join(placeOf(dataDir), "cluster");

/** Settings that every server of the group has, so that each may become the primary. */
export async function prepareForReplicas(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const setting of [
      "wal_keep_size = '1GB'",
      "hot_standby_feedback = on",
      "max_standby_streaming_delay = '5s'",
      "wal_receiver_status_interval = '1s'",
      "wal_retrieve_retry_interval = '200ms'",
    ])
      await sql.unsafe(`alter system set ${setting}`);
    await sql.unsafe("select pg_reload_conf()");
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export const startNode = async (name: string, dataDir: string): Promise<Node> => ({
  name,
  dataDir,
  server: await startPostgres({ dataDir, hasReplicas: true, isTemporary: true }),
});

/** Copies `primary` into `dataDir` while it works, and starts the copy as its replica. */
export async function startReplica(
  name: string,
  { dataDir, primary }: { dataDir: string; primary: Node },
): Promise<Node> {
  const account = serverAccount();
  const cluster = clusterOf(dataDir);
  makePrivate(cluster, account);
  const sql = postgres(primary.server.url, { max: 1, idle_timeout: 0, onnotice: () => {} });
  try {
    await sql`select pg_backup_start(${name}, true)`;
    await copyFolder(clusterOf(primary.dataDir), cluster);
    const [stop] = await sql`select labelfile from pg_backup_stop(false)`;
    for (const folder of LEFT_OUT) empty(join(cluster, folder));
    for (const file of SERVER_FILES) rmSync(join(cluster, file), { force: true });
    writeFileSync(join(cluster, "backup_label"), String(stop?.labelfile));
    if (account) chownSync(join(cluster, "backup_label"), account.uid, account.gid);
  } finally {
    await sql.end({ timeout: 1 });
  }
  cpSync(join(placeOf(primary.dataDir), "password"), join(placeOf(dataDir), "password"));
  follow(dataDir, primary.server.url);
  return startNode(name, dataDir);
}

/** From its next start on, the server of `dataDir` is a replica of the one at `url`. */
export function follow(dataDir: string, url: string): void {
  const { hostname, port, username, password } = new URL(url);
  const cluster = clusterOf(dataDir);
  const settings = join(cluster, "postgresql.auto.conf");
  const remaining = readFileSync(settings, "utf8")
    .split("\n")
    .filter((line) => !line.startsWith("primary_conninfo"));
  const primary = `host=${hostname} port=${port} user=${username} password=${password}`;
  writeFileSync(settings, `${remaining.join("\n")}\nprimary_conninfo = '${primary}'\n`);
  const signal = join(cluster, "standby.signal");
  writeFileSync(signal, "");
  const account = serverAccount();
  if (account) chownSync(signal, account.uid, account.gid);
}

/** The postmaster ends at once; its backends follow. */
export async function killServer({ server }: Node): Promise<void> {
  process.kill(server.pid, "SIGKILL");
  await server.ended;
}

/** Files may vanish while they are copied: the replica restores them from the write-ahead log. */
async function copyFolder(from: string, to: string): Promise<void> {
  const child = spawn("cp", ["-a", `${from}/.`, to], { stdio: "ignore" });
  await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (!existsSync(join(to, "global", "pg_control"))) throw new Error(`${from} could not be copied to ${to}`);
}

/** Removes the files in the folder and in its folders; the folders stay. */
function empty(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) empty(path);
    else rmSync(path);
  }
}
