// A separate local chain, mined by hand: only what a trial asks for happens on it.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { locateAnvil } from "../../devnet/anvil.ts";
import { isAnswering, postOne } from "../../devnet/json-rpc.ts";
import { endChild } from "../../machine/processes.ts";

export interface Anvil {
  url: string;
  /** One JSON-RPC call. @throws RpcError with the node's message */
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>;
  stop(): Promise<void>;
}

/** `chainId`: anvil's own 31337 unless named. */
export async function startAnvil(port: number, chainId = 31_337): Promise<Anvil> {
  const flags = ["--port", String(port), "--silent", "--no-mining", "--order", "fifo", "--disable-block-gas-limit"];
  const child = spawn(
    locateAnvil(),
    [...flags, "--chain-id", String(chainId), "--base-fee", "0", "--timestamp", "1700000000"],
    { stdio: "ignore" },
  );
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(child, url);
  return { url, rpc: (method, params = []) => postOne(url, method, params), stop: () => endChild(child) };
}

async function untilAnswering(child: ChildProcess, url: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await isAnswering(url)); await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`anvil ended with ${child.exitCode}: is its port free?`);
    if (Date.now() > deadline) throw new Error("anvil did not answer within 20 s");
  }
}
