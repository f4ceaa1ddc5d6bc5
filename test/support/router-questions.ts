// Questions to /router/quote, and what must come of them: by the contracts' own loop and formula, by the ABI's decoder.
import { decodeFunctionData, type Hex } from "viem";
import { swapRouterAbi } from "../../gateway/router/swap-router-abi.ts";
import type { ForwardPool } from "../core/v3-forward-pool.ts";
import { MOVE, RESERVE } from "./router-world.ts";

export type Query = Record<string, string | number | bigint>;

/** A URL's query; parameters that are empty are left out. */
export const routerQuery = (query: Query): string =>
  Object.entries({ tokenInChainId: 31337, tokenOutChainId: 31337, type: "exactIn", ...query })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");

/** What the pool itself pays for its token0, which moves it. */
export function paidBy(pool: ForwardPool, amount: bigint): bigint {
  const [fact] = pool.swap({ ...MOVE, amountSpecified: amount });
  if (fact?.kind !== "swap") throw new Error("no swap");
  return -fact.amount1;
}

/** What a pair with {@link RESERVE} of both tokens pays. */
export const outOfPair = (amount: bigint): bigint => (amount * 997n * RESERVE) / (RESERVE * 1_000n + amount * 997n);

/** The calls of a transaction's multicall, with its deadline. */
export function callsOf(calldata: unknown) {
  const { functionName, args } = decodeFunctionData({ abi: swapRouterAbi, data: calldata as Hex });
  if (functionName !== "multicall") throw new Error(`${functionName} is no multicall`);
  const [deadline, data] = args;
  return { deadline, calls: data.map((one) => decodeFunctionData({ abi: swapRouterAbi, data: one })) };
}
