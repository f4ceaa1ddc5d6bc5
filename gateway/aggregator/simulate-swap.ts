// Tries a swap out on a node before it is answered: nothing is sent, somebody who holds the input token pays.
import {
  createPublicClient,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  numberToHex,
} from "viem";
import type { Address } from "../parameters.ts";
import { aggregatorAbi } from "./aggregator-abi.ts";
import { callSequence } from "./call-sequence.ts";
import { cleanMessage } from "./provider-failure.ts";
import type { MethodParameters, SwapTerms } from "./swap-call.ts";

interface Simulation {
  rpcUrl: string;
  timeoutMs: number;
  terms: Pick<SwapTerms, "tokenIn" | "amountIn" | "isNativeIn" | "aggregator">;
  method: Pick<MethodParameters, "calldata" | "to" | "value">;
  /** An account that holds the input and has no part in the swap; undefined where there is none. */
  payer: Address | undefined;
}

/** `passed` with what the receiver gets; `untried` when nobody could pay or the node did not answer. */
export type Verdict =
  | { status: "passed"; amountOut: bigint }
  | { status: "failed"; reason: string }
  | { status: "untried" };

/** Stands in for the payer of native coin: any account may be given a balance. */
const NATIVE_PAYER: Address = "0x00000000000000000000000000000000000f1a5e";
const GAS = numberToHex(15_000_000n);

/** Never throws. */
export async function simulateSwap({ rpcUrl, timeoutMs, terms, method, payer }: Simulation): Promise<Verdict> {
  const account = terms.isNativeIn ? NATIVE_PAYER : payer;
  if (account === undefined) return { status: "untried" };
  const approve = {
    to: terms.tokenIn,
    value: 0n,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [terms.aggregator, terms.amountIn] }),
  };
  const swap = { to: method.to, data: method.calldata, value: BigInt(method.value) };
  const code = callSequence(terms.isNativeIn ? [swap] : [approve, swap]);
  const balance = terms.isNativeIn ? { balance: numberToHex(terms.amountIn) } : {};
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: timeoutMs, retryCount: 0 }) });
  try {
    const answer = await client.request({
      method: "eth_call",
      params: [{ to: account, gas: GAS }, "latest", { [account]: { code, ...balance } }],
    });
    return { status: "passed", amountOut: amountOutOf(answer) };
  } catch (error) {
    return isRevert(error) ? { status: "failed", reason: cleanMessage(reasonOf(error)) } : { status: "untried" };
  }
}

const amountOutOf = (data: Hex): bigint => decodeFunctionResult({ abi: aggregatorAbi, functionName: "swap", data });

/** Nodes report reverts as error 3, or in words. */
function isRevert(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && at.code === 3) return true;
    if (/revert|out of gas|invalid opcode/i.test(at.message)) return true;
  }
  return false;
}

function reasonOf(error: unknown): string {
  const details = error instanceof Error && "details" in error ? String(error.details) : "";
  return details === "" ? "reverted" : details;
}
