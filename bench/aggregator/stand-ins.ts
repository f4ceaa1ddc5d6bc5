// The five outside services in a thread of their own, so that their work is not counted as the gateway's. They sell slightly
// below the made-up prices: what they promise is better than what our pools give, so that they are worth asking.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { standInEnvironment, standIns } from "../../devnet/standins/all.ts";
import { type Served, serveStandIns } from "../../devnet/standins/serve.ts";
import type { Mode, Pricer } from "../../devnet/standins/stand-in.ts";
import type { WorldToken } from "../router/world.ts";

export interface StandInOrder {
  tokens: readonly WorldToken[];
  chainId: number;
  /** Contract that their transactions call. */
  executor: `0x${string}`;
  /** How long a working service takes. */
  latencyMs: number;
}

export interface StandInThread {
  /** Variables for the gateway's environment. */
  env: Record<string, string>;
  /** Sets modes; resolves when they apply to every later request. */
  set(modes: Readonly<Record<string, Mode>>): Promise<void>;
  stop(): Promise<void>;
}

/** @throws the error that ended the thread */
const messageOf = async <T>(worker: Worker): Promise<T> => ((await once(worker, "message")) as [T])[0];

export async function startStandInThread(order: StandInOrder): Promise<StandInThread> {
  const worker = new Worker(new URL(import.meta.url), { workerData: order });
  const env = await messageOf<Record<string, string>>(worker);
  return {
    env,
    async set(modes) {
      const done = messageOf(worker);
      worker.postMessage(modes);
      await done;
    },
    async stop() {
      await worker.terminate();
    },
  };
}

/** Promises an amount, with calldata of an ordinary length. */
function pricerOf({ tokens, executor, latencyMs }: StandInOrder): Pricer {
  const byAddress = new Map(tokens.map((token) => [token.address, token]));
  return async ({ tokenIn, tokenOut, amount }) => {
    await sleep(latencyMs);
    const [given, had] = [byAddress.get(tokenIn), byAddress.get(tokenOut)];
    if (!given || !had) return undefined;
    const rate = BigInt(Math.round((given.price / had.price) * 1e12));
    const amountOut = (amount * rate * 10n ** BigInt(had.decimals)) / 10n ** BigInt(12 + given.decimals);
    if (amountOut === 0n) return undefined;
    return { amount: amountOut, gas: 250_000n, paths: [], call: { router: executor, data: `0x${"5a".repeat(1_500)}` } };
  };
}

async function serve(order: StandInOrder): Promise<void> {
  const price = pricerOf(order);
  const services = standIns.map((standIn, i): Served => {
    return { standIn, desk: { mode: "ok", executor: order.executor, factorBps: 9_990 - i, price } };
  });
  const server = await serveStandIns(services);
  parentPort?.on("message", (modes: Record<string, Mode>) => {
    for (const { standIn, desk } of services) desk.mode = modes[standIn.name] ?? "ok";
    parentPort?.postMessage("set");
  });
  parentPort?.postMessage(standInEnvironment((standIn) => server.urlOf(standIn), order.chainId));
}

if (!isMainThread) await serve(workerData as StandInOrder);
