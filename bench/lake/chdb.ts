// The ClickHouse engine as an npm package, for benchmarks and tests alone: 550 MB.
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageFolder } from "../package-folder.ts";

const VERSION = "3.4.0";

/** Where it is; installs it where it is missing. @throws Error when the registry does not give it */
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
 * Installs it where it is missing. A session keeps its data in `folder`; a process has one folder at a time.
 * @throws Error when the registry does not give it
 */
export async function openChdb(folder: string, connectionArgs: readonly string[] = []): Promise<ChdbSession> {
  const { Session } = createRequire(join(await chdbFolder(), "package.json"))("chdb") as {
    Session: new (path: string, options: { connectionArgs: readonly string[] }) => ChdbSession;
  };
  return new Session(folder, { connectionArgs });
}
