// What the quoting contracts say about a path: QuoterV2 for v3 pools, the v2 router for pairs, MixedRouteQuoterV1 for both.
// Asked at a past block, they see its state.
import {
  type AbiFunction,
  type Address,
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
} from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import { type Step, tokenOutOf } from "../../core/router/pool.ts";
import { protocolOf, type TradeType } from "../../core/router/request.ts";
import { postBatch } from "../../devnet/json-rpc.ts";
import { cannotTell, saysContractFailed } from "../contract-failure.ts";

const abi = parseAbi([
  "function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut)",
  "function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn)",
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)",
  "function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)",
]);

export interface PathQuestion {
  path: readonly Step[];
  amount: bigint;
  type: TradeType;
  /** The factory that made the v3 pools of the path; any address for pairs. */
  factory: Address;
}

/** Names the contracts that quote. */
export type QuotingChain = Pick<ChainFile, "v2" | "v3">;

/** MixedRouteQuoterV1 takes this fee for a pair. */
const PAIR_MARK = 8_388_608;

interface Call {
  name: AbiFunction["name"] & ("quoteExactInput" | "quoteExactOutput" | "getAmountsOut" | "getAmountsIn");
  to: Address;
  data: Hex;
}

function tokensOf(path: readonly Step[]): Address[] {
  const first = path.slice(0, 1).map(({ tokenIn }) => tokenIn as Address);
  return [...first, ...path.map((step) => tokenOutOf(step) as Address)];
}

function packed(path: readonly Step[], type: TradeType): Hex {
  const tokens = tokensOf(path);
  const fees = path.map(({ pool }) => numberToHex(pool.kind === "v2" ? PAIR_MARK : pool.fee, { size: 3 }));
  if (type === "exactOut") {
    tokens.reverse();
    fees.reverse();
  }
  return concatHex(tokens.flatMap((token, i) => [token, ...fees.slice(i, i + 1)]));
}

/** Undefined where the chain file names no contract that could say. */
export function quoterCall({ v2, v3 }: QuotingChain, { path, amount, type, factory }: PathQuestion): Call | undefined {
  const protocol = protocolOf(path.map(({ pool }) => pool.kind));
  if (protocol === "v2") {
    const name = type === "exactIn" ? "getAmountsOut" : "getAmountsIn";
    return v2
      ? { name, to: v2.router, data: encodeFunctionData({ abi, functionName: name, args: [amount, tokensOf(path)] }) }
      : undefined;
  }
  const deployment = v3?.deployments.find((one) => one.factory.address === factory);
  const quoter = protocol === "v3" ? deployment?.quoterV2 : deployment?.mixedRouteQuoterV1;
  if (!quoter || (protocol === "mixed" && type === "exactOut")) return undefined;
  const name = type === "exactIn" ? "quoteExactInput" : "quoteExactOutput";
  return {
    name,
    to: quoter,
    data: encodeFunctionData({ abi, functionName: name, args: [packed(path, type), amount] }),
  };
}

/** A block by its number, or by its hash: then never one of another branch. */
export type AtBlock = number | { blockHash: Hex };

/** As the node's `eth_call` takes it. */
export const blockText = (block: AtBlock) => (typeof block === "number" ? numberToHex(block) : block);

/**
 * The other amount of each question at the block; the contract's words where it refuses.
 * @throws Error when the node cannot answer
 */
export async function askQuoters(
  rpcUrl: string,
  calls: readonly Call[],
  block: AtBlock,
): Promise<(bigint | { refused: string })[]> {
  const requests = calls.map(({ to, data }) => ({
    method: "eth_call",
    params: [{ to, data, gas: numberToHex(100_000_000) }, blockText(block)],
  }));
  const answers = await postBatch(rpcUrl, requests);
  return answers.map((answer, i) => {
    const call = calls[i];
    if (!call) return { refused: "no call" };
    if (answer instanceof Error) {
      if (saysContractFailed(answer)) return { refused: answer.message };
      throw cannotTell(typeof block === "number" ? block : block.blockHash, answer);
    }
    const decoded: unknown = decodeFunctionResult({ abi, functionName: call.name, data: answer as Hex });
    if (typeof decoded === "bigint") return decoded;
    const amounts = decoded as readonly bigint[];
    return (call.name === "getAmountsOut" ? amounts.at(-1) : amounts[0]) ?? { refused: "no amounts" };
  });
}
