// An anvil that continues from a block of another node, and ends with this process at the latest.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { withoutKeys } from "../../core/without-keys.ts";
import { locateAnvil } from "../../devnet/anvil.ts";
import { isAnswering } from "../../devnet/json-rpc.ts";
import { freePort } from "../../machine/ports.ts";
import { endChild } from "../../machine/processes.ts";

export interface ForkedAnvil {
  rpcUrl: string;
  stop(): Promise<void>;
}

const PATIENCE_MS = 60_000;

/** Killed when this process ends, in whatever way: otherwise anvil would outlive it. */
const running = new Set<ChildProcess>();
let isArmed = false;

function arm(): void {
  if (isArmed) return;
  isArmed = true;
  const killAll = () => {
    for (const child of running) child.kill("SIGKILL");
  };
  process.once("exit", killAll);
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)
    process.once(signal, () => process.exit(code));
}

/**
 * @throws Error when the node at `rpcUrl` cannot be forked, with anvil's own words
 */
export async function forkAnvil({ rpcUrl, block }: { rpcUrl: string; block: number }): Promise<ForkedAnvil> {
  arm();
  const port = await freePort();
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(new URL(rpcUrl).hostname);
  const flags = [
    ...["--host", "127.0.0.1", "--port", String(port), "--fork-url", rpcUrl, "--fork-block-number", String(block)],
    // cached storage of another chain of the same id and height must not be taken for this one's
    ...["--no-storage-caching", "--no-mining", "--order", "fifo", "--auto-impersonate", "--disable-block-gas-limit"],
    ...["--hardfork", "cancun", "--accounts", "1", "--no-request-size-limit", "--quiet"],
    ...(isLocal ? ["--no-rate-limit"] : []),
  ];
  const child = spawn(locateAnvil(), flags, { stdio: ["ignore", "ignore", "pipe"] });
  running.add(child);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await endChild(child);
    running.delete(child);
  };
  for (const deadline = Date.now() + PATIENCE_MS; !(await isAnswering(url)); await sleep(30)) {
    if (child.exitCode === null && Date.now() < deadline) continue;
    await stop();
    throw new Error(
      withoutKeys(`anvil could not fork ${rpcUrl} at block ${block}: ${said.trim().split("\n").at(-1) ?? ""}`),
    );
  }
  return { rpcUrl: url, stop };
}
