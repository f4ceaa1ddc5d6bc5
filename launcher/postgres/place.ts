// Where a cluster lies. Normally `dataDir` itself; when the server's account cannot get in there (a clone below a
// 0700 folder, started by root), a folder outside that it can reach, noted in `<dataDir>.location`.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { type Account, type Binaries, canRun, canWrite, DatabaseStartError } from "./binaries.ts";

export interface Place {
  /** Holds `cluster/`, `port`, `password` and `owner.json`. */
  folder: string;
  isRelocated: boolean;
}

interface Location {
  path: string;
  id: string;
}

interface Origin {
  origin: string;
  id: string;
}

const PREFIX = "tidemark-postgres-";

/** The folder of this cluster, made when missing. */
export function findPlace(dataDir: string, account: Account): Place {
  mkdirSync(resolve(dataDir, ".."), { recursive: true });
  const parent = realpathSync(resolve(dataDir, ".."));
  const origin = join(parent, basename(dataDir));
  if (account === undefined || canEnter(origin, parent, account)) {
    const made = mkdirSync(origin, { recursive: true });
    if (made !== undefined && account !== undefined) chmodSync(origin, 0o711); // whatever the umask says
    return { folder: origin, isRelocated: false };
  }
  const stored = readLocation(origin);
  if (stored) return { folder: stored.path, isRelocated: true };
  return { folder: relocate(origin, account), isRelocated: true };
}

/** Relocated folders that `<dataDir>.location` does not name. */
export interface UnnamedPlaces {
  /** Made for a temporary data directory, which is gone or names another one: nobody wants them. */
  abandoned: string[];
  /** Made for this data directory, whose clone may have been moved, and its location file with it. */
  left: string[];
}

export function unnamedPlaces(dataDir: string): UnnamedPlaces {
  const parent = resolve(dataDir, "..");
  const origin = join(existsSync(parent) ? realpathSync(parent) : parent, basename(dataDir));
  const temporary = `${realpathSync(tmpdir())}/`;
  const unnamed = bases(origin)
    .flatMap(list)
    .filter((folder) => {
      const made = readOrigin(folder);
      if (made === undefined || statSync(folder).uid !== process.getuid?.()) return false;
      if (made.origin === origin) return readLocation(origin)?.id !== made.id;
      return made.origin.startsWith(temporary) && !existsSync(resolve(made.origin, ".."));
    });
  const isTemporary = (folder: string) => readOrigin(folder)?.origin.startsWith(temporary) ?? false;
  return { abandoned: unnamed.filter(isTemporary), left: unnamed.filter((folder) => !isTemporary(folder)) };
}

/** Forgets the cluster of `dataDir`; only for one whose server has ended. */
export function removePlace(dataDir: string, { folder, isRelocated }: Place): void {
  rmSync(folder, { recursive: true, force: true });
  if (isRelocated) rmSync(locationFile(dataDir), { force: true });
}

/** The binaries themselves, or a copy beside the cluster when `account` cannot run them where they are. */
export function reachableBinaries(binaries: Binaries, place: Place, account: Account): Binaries {
  if (canRun(binaries.folder, account)) return binaries;
  const copy = join(place.folder, `binaries-${binaries.major}`);
  if (!canRun(copy, account)) {
    const incoming = `${copy}.new`;
    rmSync(incoming, { recursive: true, force: true });
    rmSync(copy, { recursive: true, force: true });
    cpSync(binaries.folder, incoming, { recursive: true, verbatimSymlinks: true });
    if (account) spawnSync("chown", ["-R", `${account.uid}:${account.gid}`, incoming]);
    renameSync(incoming, copy);
  }
  if (canRun(copy, account)) return { ...binaries, folder: copy };
  throw new DatabaseStartError(
    `PostgreSQL's binaries cannot be run by ${account?.name ?? "this account"} from ${copy}; set DATABASE_URL`,
  );
}

function canEnter(origin: string, parent: string, account: NonNullable<Account>): boolean {
  if (existsSync(origin)) return canRead(origin, account);
  return canRead(parent, account);
}

/** Entering is all that is needed: what PostgreSQL writes is made for it by root. */
function canRead(folder: string, account: NonNullable<Account>): boolean {
  const run = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { cwd: "/", uid: account.uid, gid: account.gid });
  return run.status === 0;
}

function relocate(origin: string, account: NonNullable<Account>): string {
  for (const base of bases(origin)) {
    const folder = mkdtempSync(join(base, PREFIX));
    chmodSync(folder, 0o711);
    if (canRead(folder, account)) {
      const id = randomBytes(8).toString("hex");
      writeFileSync(join(folder, "origin.json"), JSON.stringify({ origin, id } satisfies Origin));
      writeFileSync(locationFile(origin), JSON.stringify({ path: folder, id } satisfies Location));
      return folder;
    }
    rmSync(folder, { recursive: true });
  }
  throw new DatabaseStartError(
    `PostgreSQL runs as ${account.name}, which can enter neither ${origin} nor ${bases(origin).join(" nor ")}; set TIDEMARK_DATA to a folder it can enter`,
  );
}

/** A temporary origin gets a temporary place; others one that survives a reboot. */
function bases(origin: string): string[] {
  const temporary = realpathSync(tmpdir());
  const all = origin.startsWith(`${temporary}/`) ? [temporary, "/var/tmp"] : ["/var/tmp", temporary];
  return [...new Set([...all, "/tmp"])].filter((base) => existsSync(base));
}

const locationFile = (origin: string): string => `${origin}.location`;

/** What `<dataDir>.location` says, if the folder it names still carries the same id. */
function readLocation(origin: string): Location | undefined {
  try {
    const location = JSON.parse(readFileSync(locationFile(origin), "utf8")) as Location;
    return readOrigin(location.path)?.id === location.id ? location : undefined;
  } catch {
    return undefined;
  }
}

function readOrigin(folder: string): Origin | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "origin.json"), "utf8")) as Origin;
  } catch {
    return undefined;
  }
}

function list(base: string): string[] {
  return readdirSync(base)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(base, name));
}

/** A folder only `account` can read, for the cluster's own files. */
export function makePrivate(folder: string, account: Account): void {
  mkdirSync(folder, { mode: 0o700 });
  if (account) chownSync(folder, account.uid, account.gid);
  if (!canWrite(folder, account))
    throw new DatabaseStartError(`${folder} cannot be written by ${account?.name ?? "this account"}`);
}
