// Starts and stops anvil itself: the native binary of the npm package, so that its pid is anvil's own.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isAnswering } from "./json-rpc.ts";

export const DEVNET_CHAIN_ID = 31337;
/** 2026-01-05T00:00:00Z: so the seeded part lies in the past on every machine that runs it. */
export const GENESIS_TIMESTAMP = 1_767_571_200;
export const ACCOUNT_COUNT = 200;
/** Older states are dropped: at about a megabyte each they would fill the memory of a devnet that runs for days. */
const HISTORY_BLOCKS = 8_000;

const platforms: Record<string, string> = {
  "darwin-x64": "darwin-amd64",
  "darwin-arm64": "darwin-arm64",
  "linux-x64": "linux-amd64",
  "linux-arm64": "linux-arm64",
  "win32-x64": "win32-amd64",
};

/** Anvil cannot be found or does not come up. */
export class AnvilError extends Error {
  override name = "AnvilError";
}

/** Path of the native anvil that npm installed for this machine. */
export function locateAnvil(): string {
  const platform = platforms[`${process.platform}-${process.arch}`];
  if (platform === undefined) throw new AnvilError(`no anvil for ${process.platform}-${process.arch} on npm`);
  const wrapper = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json");
  const fromWrapper = createRequire(wrapper);
  const file = process.platform === "win32" ? "anvil.exe" : "anvil";
  try {
    return fromWrapper.resolve(`@foundry-rs/anvil-${platform}/bin/${file}`);
  } catch {
    throw new AnvilError(`package @foundry-rs/anvil-${platform} is missing: run npm install`);
  }
}

export interface AnvilOptions {
  port: number;
  /** Holds anvil's log. */
  dir: string;
  /** The devnet's if absent. */
  chainId?: number;
  /** Called before anvil answers, so that a process that is ended meanwhile has already noted the pid. */
  onSpawn?(pid: number): void;
}

export interface Anvil {
  pid: number;
  rpcUrl: string;
}

/**
 * Starts anvil on an empty chain, detached from this process. States (`eth_call` at a block) are kept in memory for the
 * last `HISTORY_BLOCKS`. Nothing is saved: anvil would write the complete state of every block, 2.3 GB for the seeded part.
 */
export async function spawnAnvil({ port, dir, chainId, onSpawn }: AnvilOptions): Promise<Anvil> {
  mkdirSync(dir, { recursive: true });
  const rpcUrl = `http://127.0.0.1:${port}`;
  if (await isAnswering(rpcUrl, 300)) throw new AnvilError(`port ${port} is taken: set DEVNET_PORT to a free one`);
  const log = openSync(join(dir, "anvil.log"), "w");
  const child = spawn(locateAnvil(), anvilArguments({ port, chainId }), {
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  child.unref();
  const { pid } = child;
  if (pid === undefined) throw new AnvilError("anvil could not be started");
  onSpawn?.(pid);
  await untilAnswering({ rpcUrl, pid, dir });
  return { pid, rpcUrl };
}

function anvilArguments({ port, chainId = DEVNET_CHAIN_ID }: { port: number; chainId: number | undefined }): string[] {
  return [
    ...["--host", "127.0.0.1", "--port", String(port)],
    ...["--chain-id", String(chainId), "--timestamp", String(GENESIS_TIMESTAMP)],
    ...["--accounts", String(ACCOUNT_COUNT), "--balance", "10000000"],
    ...["--no-mining", "--order", "fifo", "--gas-limit", "2000000000", "--hardfork", "cancun"],
    ...["--prune-history", String(HISTORY_BLOCKS)],
    ...["--no-request-size-limit", "--quiet"],
  ];
}

/** Waits while the process lives: loading a saved chain takes its time. */
async function untilAnswering({ rpcUrl, pid, dir }: { rpcUrl: string; pid: number; dir: string }): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await isAnswering(rpcUrl))) {
    if (!isAlive(pid)) throw new AnvilError(`anvil ended at once: ${lastLine(join(dir, "anvil.log"))}`);
    if (Date.now() > deadline) throw new AnvilError("anvil does not answer after 120 s");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function lastLine(file: string): string {
  return existsSync(file) ? (readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "") : "";
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether `pid` is an anvil on `port`, judged by its command line; false where that cannot be read. */
export function isAnvilOn(pid: number, port: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    const command = execFileSync("ps", ["-p", String(pid), "-o", "args="], { encoding: "utf8" });
    return /anvil(\.exe)? /.test(command) && command.includes(` --port ${port} `);
  } catch {
    return false;
  }
}

/** Ends an anvil and waits for it: politely so that it saves its chain, by force after `patience` milliseconds. */
export async function endAnvil(pid: number, patience = 60_000): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, "SIGTERM");
  const deadline = Date.now() + patience;
  while (isAlive(pid)) {
    if (Date.now() > deadline) {
      process.kill(pid, "SIGKILL");
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
