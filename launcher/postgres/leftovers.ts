// What earlier runs left in a cluster's folder: a postmaster that still runs, a pid file that is out of date, orphaned backends.
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  commandLineOf,
  endProcess,
  identify,
  isRunning,
  type ProcessIdentity,
  pidsWorkingIn,
  signal,
} from "../../machine/processes.ts";

export interface Postmaster extends ProcessIdentity {
  isReady: boolean;
}

/** The live postmaster of this cluster. A pid file whose pid now belongs to something else names none. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  const file = join(cluster, "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  const identity = identify(Number(lines[0]));
  if (identity === undefined || !isServerOf(cluster, identity.pid)) return undefined;
  return { ...identity, isReady: lines[7]?.trim() === "ready" };
}

/** The live process that started the server of this folder. */
export function ownerOf(folder: string): ProcessIdentity | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")) as ProcessIdentity;
    return isRunning(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Fast shutdown (SIGINT, as `pg_ctl stop -m fast`), immediate if that takes long, then by force. */
export async function stopPostmaster(cluster: string): Promise<void> {
  const running = readPostmaster(cluster);
  if (running)
    await endProcess(running, [
      ["SIGINT", 20_000],
      ["SIGQUIT", 5_000],
      ["SIGKILL", 5_000],
    ]);
}

/**
 * Makes the cluster startable: a server of a launcher that is gone is stopped properly (it may hold connections of
 * processes that are gone too), backends without a postmaster end, a pid file and sockets without a server are removed.
 */
export async function putRightLeftovers(cluster: string): Promise<void> {
  if (!existsSync(cluster)) return;
  await stopPostmaster(cluster);
  if (readPostmaster(cluster)) return;
  const orphans = pidsWorkingIn(realpathSync(cluster)).filter((pid) => /postgres/.test(commandLineOf(pid)));
  for (const pid of orphans) {
    const identity = identify(pid);
    if (identity === undefined) continue;
    signal(pid, "SIGQUIT");
    await endProcess(identity, [
      ["SIGQUIT", 2_000],
      ["SIGKILL", 2_000],
    ]);
  }
  const sockets = readdirSync(cluster).filter((name) => name.startsWith(".s.PGSQL."));
  for (const name of ["postmaster.pid", ...sockets]) rmSync(join(cluster, name), { force: true });
}

function isServerOf(cluster: string, pid: number): boolean {
  const command = commandLineOf(pid);
  return command.includes("postgres") && command.includes(`-D ${cluster}`);
}
