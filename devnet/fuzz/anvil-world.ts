// A DevChain on an anvil of its own, for one randomised world: nothing is kept, and reverts are expected.
import { spawn } from "node:child_process";
import { type Address, createPublicClient, getCreateAddress, type Hash, type Hex, http, numberToHex } from "viem";
import { endChild } from "../../machine/processes.ts";
import { AnvilError, GENESIS_TIMESTAMP, locateAnvil } from "../anvil.ts";
import type { Call, DevChain } from "../chain.ts";
import { postOne } from "../json-rpc.ts";

const GAS_LIMIT = 30_000_000n;

/** Starts anvil on `port`, runs `play` on its empty chain, and ends it whatever happens. */
export async function withAnvil<T>(port: number, play: (chain: DevChain) => Promise<T>): Promise<T> {
  const ours = ["--host", "127.0.0.1", "--port", String(port), "--accounts", "6", "--balance", "10000000"];
  const chain = ["--no-mining", "--order", "fifo", "--gas-limit", "1000000000", "--base-fee", "0", "--quiet"];
  const start = ["--timestamp", String(GENESIS_TIMESTAMP), "--no-request-size-limit"];
  const child = spawn(locateAnvil(), [...ours, ...chain, ...start], { stdio: "ignore" });
  try {
    return await play(await connect(`http://127.0.0.1:${port}`, child));
  } finally {
    await endChild(child);
  }
}

async function connect(url: string, child: { exitCode: number | null }): Promise<DevChain> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const accounts = await postOne<Address[]>(url, "eth_accounts", []).catch(() => undefined);
    // another process's anvil on this port would answer, too, although ours has ended
    if (child.exitCode !== null) throw new AnvilError(`anvil ended at once: is ${url} taken?`);
    if (accounts !== undefined) return anvilWorld(url, accounts.map(lowerCase));
    if (Date.now() > deadline) throw new AnvilError(`no anvil at ${url} after 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function anvilWorld(url: string, accounts: Address[]): DevChain {
  const rpc: DevChain["rpc"] = (method, params) => postOne(url, method, params);
  const nonces = new Map<Address, number>();
  let queued: { call: Call; nonce: number }[] = [];
  let timestamp = GENESIS_TIMESTAMP;

  const queue = (call: Call): number => {
    const from = lowerCase(call.from);
    const nonce = nonces.get(from) ?? 0;
    nonces.set(from, nonce + 1);
    queued.push({ call, nonce });
    return nonce;
  };

  return {
    client: createPublicClient({ transport: http(url), cacheTime: 0 }),
    accounts,
    rpc,
    queue: (call) => void queue(call),
    async send(call) {
      queue(call);
      return "0x" as Hash;
    },
    async create(from, code) {
      return getCreateAddress({ from, nonce: BigInt(queue({ from, data: code })) });
    },
    async seal(seconds = 2) {
      timestamp += seconds;
      const sent = queued;
      queued = [];
      const hashes: Hash[] = [];
      for (const { call, nonce } of sent)
        hashes.push(await rpc<Hash>("eth_sendTransaction", [transactionOf(call, nonce)]));
      await rpc("evm_setNextBlockTimestamp", [timestamp]);
      await rpc("evm_mine", []);
      for (const [index, { call }] of sent.entries()) {
        if (call.reverts === "maybe") continue;
        const receipt = await rpc<{ status: Hex } | null>("eth_getTransactionReceipt", [hashes[index]]);
        if (receipt?.status !== "0x1") throw new AnvilError(`transaction ${index} to ${call.to} failed`);
      }
      const head = await rpc<{ number: Hex; hash: Hash }>("eth_getBlockByNumber", ["latest", false]);
      return { number: Number(head.number), hash: head.hash, timestamp };
    },
  };
}

function transactionOf({ from, to, data, value, gas }: Call, nonce: number): Record<string, string> {
  return {
    from,
    nonce: numberToHex(nonce),
    gas: numberToHex(gas ?? GAS_LIMIT),
    gasPrice: "0x0",
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
    ...(value === undefined ? {} : { value: numberToHex(value) }),
  };
}

function lowerCase(address: Address): Address {
  return address.toLowerCase() as Address;
}
