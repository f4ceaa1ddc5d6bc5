// The ClickHouse engine as an npm package, only for benchmarks and tests: 550 MB.
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageFolder } from "../package-folder.ts";

const VERSION = "3.4.0";

/** Resolves to its folder; installs it if missing. @throws Error when the registry does not have it */
export const chdbFolder = (): Promise<string> =>
  packageFolder({ name: `chdb-${VERSION}`, packages: [`chdb@${VERSION}`] });

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
 * Installs it if missing. A session keeps its data in `folder`; a process has one folder at a time.
 * @throws Error when the registry does not have it
 */
export async function openChdb(folder: string, connectionArgs: readonly string[] = []): Promise<ChdbSession> {
  const { Session } = createRequire(join(await chdbFolder(), "package.json"))("chdb") as {
    Session: new (path: string, options: { connectionArgs: readonly string[] }) => ChdbSession;
  };
  return new Session(folder, { connectionArgs });
}
