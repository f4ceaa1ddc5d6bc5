// The ClickHouse engine as an npm package, for benchmarks and tests alone: it is large, so it is installed where it is first
// needed and kept there.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { projectFolder } from "../index/project-folder.ts";

const VERSION = "3.4.0";
const FOLDER = join(projectFolder, ".tidemark/bench", `chdb-${VERSION}`);

/** Whether it has been built for this machine: Linux with glibc and macOS. */
export const hasChdb = (): boolean =>
  ["linux", "darwin"].includes(process.platform) &&
  ["x64", "arm64"].includes(process.arch) &&
  (process.platform !== "linux" || isGlibc());

const isGlibc = (): boolean =>
  (process.report.getReport() as { header?: { glibcVersionRuntime?: string } }).header?.glibcVersionRuntime !==
  undefined;

export interface ChdbResult {
  text(): string;
  rowsRead: number;
  bytesRead: number;
}

export interface ChdbSession {
  query(text: string, format?: string): string;
  queryBindAsync(text: string, parameters: Record<string, unknown>, options: { format: string }): Promise<ChdbResult>;
  close(): void;
}

/**
 * Installs it where it is missing. A session keeps its data in `folder`; a process has one folder at a time.
 * @throws Error when the registry does not give it
 */
export async function openChdb(folder: string, connectionArgs: readonly string[] = []): Promise<ChdbSession> {
  if (!existsSync(FOLDER)) await install();
  const { Session } = createRequire(join(FOLDER, "package.json"))("chdb") as {
    Session: new (path: string, options: { connectionArgs: readonly string[] }) => ChdbSession;
  };
  return new Session(folder, { connectionArgs });
}

/** Aside, then at its place at once: others may be installing it too. */
async function install(): Promise<void> {
  await mkdir(join(FOLDER, ".."), { recursive: true });
  const aside = await mkdtemp(`${FOLDER}.`);
  try {
    await writeFile(join(aside, "package.json"), '{ "private": true }');
    const npm = spawn("npm", ["install", "--no-audit", "--no-fund", "--silent", "--save-exact", `chdb@${VERSION}`], {
      cwd: aside,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = await once(npm, "exit");
    if (code !== 0) throw new Error(`chdb ${VERSION} could not be installed: npm ended with ${code}`);
    await rename(aside, FOLDER).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(FOLDER)) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
