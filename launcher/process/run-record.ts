// `<data>/run.json`: who runs on this data directory and what they started, so that a later start can clean up after a
// kill -9 without ever ending a stranger's process.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "../../machine/file-lock.ts";
import { makeFolder } from "../../machine/make-folder.ts";
import { endProcess, identify, isRunning, type ProcessIdentity } from "../../machine/processes.ts";
import { type RunAddresses, runFileOf } from "../../machine/published-run.ts";

interface RunRecord extends Partial<RunAddresses> {
  launcher: ProcessIdentity;
  children: Record<string, ProcessIdentity>;
}

export interface Run {
  /** Notes a child under a name; `undefined` forgets it. */
  note(name: string, identity: ProcessIdentity | undefined): void;
  publish(addresses: RunAddresses): void;
  /** The run is over and left nothing behind. */
  release(): void;
}

/** The devnet and the database write their state when they end. */
const PATIENCE_MS = 15_000;

/**
 * Makes this process the only launcher on `dataDir` and ends what a dead one left running; returns their names too.
 * @throws AlreadyRunningError when a live launcher has it; DataFolderError when nothing can be written there
 */
export async function claimRun(dataDir: string): Promise<{ run: Run; ended: string[] }> {
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw new DataFolderError(dataDir, error);
  }
  const file = runFileOf(dataDir);
  // Held for as long as the run lives. Without it two launchers starting at the same moment could both find and replace the same dead
  // record.
  const lock = tryLock(join(dataDir, "run.lock"));
  if (lock === undefined) throw new AlreadyRunningError(dataDir, runningPid(file));
  const me = identify(process.pid) ?? { pid: process.pid, startedAt: "" };
  const record: RunRecord = { launcher: me, children: {} };
  let previous: RunRecord | undefined;
  try {
    previous = claim(file, record, dataDir);
  } catch (error) {
    lock.release();
    throw error;
  }
  const ended: string[] = [];
  // The database last: it does not end in an orderly way while others are connected.
  const left = Object.entries(previous?.children ?? {}).sort(
    ([a], [b]) => Number(a === "database") - Number(b === "database"),
  );
  for (const [name, child] of left) {
    if (!isRunning(child)) continue;
    ended.push(name);
    await endProcess(child, [
      [name === "database" ? "SIGINT" : "SIGTERM", PATIENCE_MS],
      ["SIGKILL", 3_000],
    ]);
  }
  const save = () => {
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  save();
  const saveWhereThereIsRoom = () => {
    try {
      save();
    } catch {
      // A full disk, or a folder that cannot be written any more. What is missing is recorded when the next part is started.
    }
  };
  return {
    ended,
    run: {
      note(name, identity) {
        if (identity === undefined) delete record.children[name];
        else record.children[name] = identity;
        saveWhereThereIsRoom();
      },
      publish(addresses) {
        Object.assign(record, addresses);
        saveWhereThereIsRoom();
      },
      release() {
        rmSync(file, { force: true });
        lock.release();
      },
    },
  };
}

/** Replaces a dead launcher's record by ours, and returns the dead one's. */
function claim(file: string, record: RunRecord, dataDir: string): RunRecord | undefined {
  const previous = read(file);
  if (previous && isRunning(previous.launcher)) throw new AlreadyRunningError(dataDir, previous.launcher.pid);
  const own = `${file}.${process.pid}`;
  try {
    // The children of the dead run stay on record until they are ended: we may be killed meanwhile, or the disk be full.
    writeFileSync(own, JSON.stringify({ ...record, children: previous?.children ?? {} }), { mode: 0o600 });
    renameSync(own, file);
  } catch (error) {
    rmSync(own, { force: true });
    throw new DataFolderError(dataDir, error);
  }
  return previous;
}

function read(file: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RunRecord;
  } catch {
    return undefined;
  }
}

/** Of the launcher that is on record, while it lives. */
function runningPid(file: string): number | undefined {
  const launcher = read(file)?.launcher;
  return launcher !== undefined && isRunning(launcher) ? launcher.pid : undefined;
}

/** Another launcher lives on this data directory. */
export class AlreadyRunningError extends Error {
  override name = "AlreadyRunningError";
  /** Without `pid`: it has only just begun. */
  constructor(dataDir: string, pid: number | undefined) {
    super(
      `Tidemark is already running on ${dataDir} (${pid === undefined ? "just started" : `pid ${pid}`}); stop it first, or set TIDEMARK_DATA and the ports for a second one`,
    );
  }
}

/** Nothing can be written to the data directory. */
export class DataFolderError extends Error {
  override name = "DataFolderError";
  constructor(dataDir: string, why: unknown) {
    super(
      `TIDEMARK_DATA: ${dataDir} cannot be written (${why instanceof Error ? why.message : why}); make room or name another folder`,
    );
  }
}
