// The smallest DevChain over an anvil of its own: explicit nonces, one block per seal, nothing shared with the devnet's launcher.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { type Address, createPublicClient, getCreateAddress, type Hash, http, numberToHex } from "viem";
import { locateAnvil } from "../../../devnet/anvil.ts";
import type { Call, DevChain, SealedBlock } from "../../../devnet/chain.ts";
import { endChild } from "../../../machine/processes.ts";

const GENESIS = 1_767_571_200; // 2026-01-05T00:00:00Z

/** Starts anvil on a free port; `stop` ends it. */
export async function startAnvil(): Promise<{ chain: DevChain; stop: () => Promise<void> }> {
  const port = await findFreePort();
  const flags = ["--no-mining", "--order", "fifo", "--gas-limit", "1000000000", "--balance", "10000000", "--quiet"];
  const child = spawn(locateAnvil(), ["--port", String(port), "--timestamp", String(GENESIS), ...flags], {
    stdio: "ignore",
  });
  const stop = (): Promise<void> => endChild(child);
  try {
    return { chain: await connect(`http://127.0.0.1:${port}`), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function connect(url: string): Promise<DevChain> {
  const client = createPublicClient({ transport: http(url), cacheTime: 0 });
  const rpc = <T>(method: string, params: readonly unknown[]): Promise<T> =>
    client.request({ method, params } as never) as Promise<T>;
  const accounts = await untilAnswering(() => rpc<Address[]>("eth_accounts", []));
  const nonces = new Map<Address, number>();
  const waiting: Promise<unknown>[] = [];
  let queued: { call: Call; hash: Hash }[] = [];
  let time = GENESIS;

  const submit = async (call: Call): Promise<{ hash: Hash; nonce: number }> => {
    const nonce = nonces.get(call.from) ?? 0;
    nonces.set(call.from, nonce + 1);
    const { from, to, data, value = 0n, gas = 10_000_000n } = call;
    const numbers = { nonce: numberToHex(nonce), value: numberToHex(value), gas: numberToHex(gas) };
    const gasPrice = numberToHex(2_000_000_000n);
    const hash = await rpc<Hash>("eth_sendTransaction", [{ from, to, data, gasPrice, ...numbers }]);
    queued.push({ call, hash });
    return { hash, nonce };
  };

  return {
    client,
    accounts,
    rpc,
    send: async (call) => (await submit(call)).hash,
    queue: (call) => void waiting.push(submit(call)),
    async create(from, code) {
      const { nonce } = await submit({ from, data: code });
      return getCreateAddress({ from, nonce: BigInt(nonce) });
    },
    async seal(seconds = 2): Promise<SealedBlock> {
      await Promise.all(waiting.splice(0));
      time += seconds;
      await rpc("evm_setNextBlockTimestamp", [time]);
      await rpc("evm_mine", []);
      for (const { call, hash } of queued.splice(0)) {
        const { status } = await client.getTransactionReceipt({ hash });
        if (call.reverts === "maybe") continue;
        const expected = call.reverts === true ? "reverted" : "success";
        if (status !== expected) throw new Error(`${call.data?.slice(0, 10)} to ${call.to ?? "(creation)"}: ${status}`);
      }
      queued = [];
      const { number, hash, timestamp } = await client.getBlock();
      return { number: Number(number), hash, timestamp: Number(timestamp) };
    },
  };
}

async function untilAnswering<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject()));
    });
  });
}
