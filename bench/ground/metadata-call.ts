// Answers the only eth_call that an ERC-20 indexer makes: a deployless Multicall3 `aggregate3` for name, symbol, decimals.
import { decodeFunctionData, encodeAbiParameters, encodeFunctionResult, multicall3Abi, numberToHex } from "viem";
import type { Hex } from "./synthetic-chain.ts";

/** https://github.com/mds1/multicall `aggregate3((address,bool,bytes)[])` */
const AGGREGATE3 = "82ad56cb";
const text = (value: string): Hex => encodeAbiParameters([{ type: "string" }], [value]);
const answers: Record<string, (symbol: string) => Hex> = {
  "0x06fdde03": (symbol) => text(`Synthetic ${symbol}`),
  "0x95d89b41": text,
  "0x313ce567": () => numberToHex(18, { size: 32 }),
};

/**
 * The return data of that call. `data` is the creation code of a caller contract followed by the calldata, which is found by its
 * selector, searching from the end. Undefined for any other call.
 */
export function answerMetadataCall(data: string, tokens: readonly Hex[]): Hex | undefined {
  const at = data.lastIndexOf(AGGREGATE3);
  if (at < 0) return undefined;
  const { args } = decodeFunctionData({ abi: multicall3Abi, data: `0x${data.slice(at)}` });
  const [calls] = args as readonly [readonly { target: Hex; callData: Hex }[]];
  const results = calls.map(({ target, callData }) => {
    const token = tokens.indexOf(target.toLowerCase() as Hex);
    const answer = token < 0 ? undefined : answers[callData.slice(0, 10)]?.(`T${token}`);
    return { success: answer !== undefined, returnData: answer ?? "0x" };
  });
  return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results });
}
