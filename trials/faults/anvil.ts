// A separate local chain, mined by hand: only what a trial asks for happens on it.
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Anvil {
  url: string;
  /** One JSON-RPC call. @throws Error with the node's message */
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>;
  stop(): Promise<void>;
}

/** The native binary itself, so that the pid is anvil's own. */
function anvilBinary(): string {
  const require = createRequire(import.meta.url);
  const platform =
    { linux: "linux", darwin: "darwin", win32: "win32" }[process.platform as "linux"] ?? process.platform;
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const manifest = require.resolve(`@foundry-rs/anvil-${platform}-${architecture}/package.json`);
  return join(dirname(manifest), "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
}

/** `chainId`: anvil's own 31337 unless named. */
export async function startAnvil(port: number, chainId = 31_337): Promise<Anvil> {
  const flags = ["--port", String(port), "--silent", "--no-mining", "--order", "fifo", "--disable-block-gas-limit"];
  const child = spawn(
    anvilBinary(),
    [...flags, "--chain-id", String(chainId), "--base-fee", "0", "--timestamp", "1700000000"],
    { stdio: "ignore" },
  );
  const url = `http://127.0.0.1:${port}`;
  let id = 0;
  const rpc = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const answer = (await response.json()) as { result: T; error?: { message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  await waitForChain(child, () => rpc("eth_chainId"));
  return { url, rpc, stop: () => end(child) };
}

async function waitForChain(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`anvil ended with ${child.exitCode}: is its port free?`);
    try {
      await ask();
      return;
    } catch {
      // Not listening yet.
    }
  }
  throw new Error("anvil did not answer within 20 s");
}

/** By SIGKILL: the chain is not needed any more. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}
