// A route's transaction, carried out on the chain and undone: what the trader gave and what the recipient got.
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from "viem";
import { postBatch } from "../../devnet/json-rpc.ts";
import { swapRouterAbi } from "../../gateway/router/swap-router-abi.ts";
import { DEADLINE, type MadeMarket } from "./made-market.ts";
import { type AnsweredRoute, RECIPIENT } from "./route-questions.ts";

export interface Outcome {
  taken: bigint;
  received: bigint;
}

const GAS = numberToHex(30_000_000n);

interface Place {
  rpcUrl: string;
  made: MadeMarket;
  /** All that lies in the router is taken away first. */
  isCleared?: boolean;
}

/** On a snapshot of the latest block; undefined where the contracts refuse it. */
export async function carryOut(
  { rpcUrl, made, isCleared = false }: Place,
  answer: AnsweredRoute,
): Promise<Outcome | undefined> {
  const { trader } = made;
  const { tokenIn, tokenOut, isNativeIn, isNativeOut } = answer;
  const { to, calldata: data, value } = answer.transaction;
  const balances = [
    balanceOf(trader, isNativeIn ? undefined : tokenIn),
    balanceOf(RECIPIENT, isNativeOut ? undefined : tokenOut),
  ];
  const sent = { from: trader, to, data, value, gas: GAS, gasPrice: "0x0" };
  const clearing = isCleared ? [clearRouter(made), { method: "evm_mine", params: [] }] : [];
  const [snapshot, ...answers] = await ask<Hex>(rpcUrl, [
    { method: "evm_snapshot", params: [] },
    ...clearing,
    ...balances,
  ]);
  const before = answers.slice(clearing.length);
  const [hash] = await ask<Hex>(rpcUrl, [
    { method: "eth_sendTransaction", params: [sent] },
    { method: "evm_mine", params: [] },
  ]);
  const [receipt] = await ask<{ status: Hex }>(rpcUrl, [{ method: "eth_getTransactionReceipt", params: [hash] }]);
  const after = await ask<Hex>(rpcUrl, balances);
  const [isBack] = await ask<boolean>(rpcUrl, [{ method: "evm_revert", params: [snapshot] }]);
  if (isBack !== true) throw new Error("the chain cannot be set back");
  if (receipt?.status !== "0x1") return undefined;
  const [gave, got] = after.map((amount, i) => BigInt(amount) - BigInt(before[i] as Hex)) as [bigint, bigint];
  return { taken: -gave, received: got };
}

/** Anybody may take what lies in the router. */
function clearRouter({ router, tokens, stage }: MadeMarket): { method: string; params: unknown[] } {
  const [from] = stage.accounts as [Address];
  const sweeps = tokens.map(({ address }) =>
    encodeFunctionData({ abi: swapRouterAbi, functionName: "sweepToken", args: [address, 0n, from] }),
  );
  const calls = [...sweeps, encodeFunctionData({ abi: swapRouterAbi, functionName: "refundETH" })];
  const data = encodeFunctionData({ abi: swapRouterAbi, functionName: "multicall", args: [DEADLINE, calls] });
  return { method: "eth_sendTransaction", params: [{ from, to: router, data, gas: GAS, gasPrice: "0x0" }] };
}

function balanceOf(account: Address, token: Address | undefined): { method: string; params: unknown[] } {
  if (token === undefined) return { method: "eth_getBalance", params: [account, "latest"] };
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] });
  return { method: "eth_call", params: [{ to: token, data }, "latest"] };
}

async function ask<T>(rpcUrl: string, requests: Parameters<typeof postBatch>[1]): Promise<T[]> {
  const answers = await postBatch(rpcUrl, requests);
  const refused = answers.find((answer) => answer instanceof Error);
  if (refused instanceof Error) throw refused;
  return answers as T[];
}
