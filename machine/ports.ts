// Loopback ports: which are free, and which process has a taken one.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { commandLineOf } from "./processes.ts";

/** Whether a server could listen on the port of 127.0.0.1 now. */
export const isPortFree = async (port: number): Promise<boolean> => (await refusalOf(port, "127.0.0.1")) === undefined;

/** The system's code for why no server could listen there; undefined: one could. */
function refusalOf(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** @throws PortInUseError; HostError where the port is not taken and still nothing can listen there */
export async function requireListening(port: number, host: string): Promise<void> {
  const refusal = await refusalOf(port, host);
  if (refusal === "EADDRINUSE") throw new PortInUseError(port, "PORT");
  if (refusal === "EACCES") throw new HostError(`PORT=${port}: only root may listen there; take one above 1023`);
  if (refusal !== undefined)
    throw new HostError(
      `HOST=${host}: nothing can listen there (${refusal}); name an address of this machine, or 0.0.0.0 for all of them`,
    );
}

/** @throws PortInUseError */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  if (!(await isPortFree(port))) throw new PortInUseError(port, variable);
}

/** A loopback port that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

/** ` by pid 123 (command)` when the listener can be found (Linux), else `""`. */
export function describeListener(port: number): string {
  const pid = process.platform === "linux" ? listenerOf(port) : undefined;
  return pid === undefined ? "" : ` by pid ${pid} (${commandLineOf(pid).slice(0, 80)})`;
}

/** A port of ours is taken; the message names the port, its variable and the taker. */
export class PortInUseError extends Error {
  override name = "PortInUseError";
  constructor(port: number, variable: string) {
    super(
      `${variable}=${port}: this port is already in use${describeListener(port)}; stop that program or set ${variable} to a free port`,
    );
  }
}

/** Nothing can listen at the configured address; the message names the variable and what to write. */
export class HostError extends Error {
  override name = "HostError";
}

function listenerOf(port: number): number | undefined {
  const inodes = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningInodes(table, port)));
  if (inodes.size === 0) return undefined;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`))
        if (inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`))) return Number(pid);
    } catch {
      // Gone meanwhile, or another user's.
    }
  }
  return undefined;
}

/** Rows of /proc/net/tcp: local address as hex `ip:port` (column 1), state `0A` = listening (3), inode (9). */
function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  try {
    return readFileSync(table, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[1]?.endsWith(suffix) && columns[3] === "0A")
      .map((columns) => `socket:[${columns[9]}]`);
  } catch {
    return [];
  }
}
