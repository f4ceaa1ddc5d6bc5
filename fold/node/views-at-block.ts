// What a contract answers about itself at the end of one block, on exactly the branch that the facts come from.
import {
  type Abi,
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  type PublicClient,
} from "viem";

export interface ViewPlace {
  contract: Address;
  block: number;
  blockHash: string;
}

/** The node stands on another branch of the chain. */
export class OtherBlockError extends Error {
  constructor(block: number) {
    super(`the node has another block ${block} than the facts`);
  }
}

/**
 * Answers of `views`, in their order, even where the node can only be asked by number.
 * @throws OtherBlockError; Error when the node cannot answer
 */
export async function readViews(
  client: PublicClient,
  { contract, block, blockHash }: ViewPlace,
  { abi, views }: { abi: Abi; views: readonly string[] },
): Promise<readonly unknown[]> {
  const ask = (at: Hex | { blockHash: Hex }) =>
    Promise.all(
      views.map(async (functionName) => {
        const call = { to: contract, data: encodeFunctionData({ abi, functionName }) };
        const data = await client.request({ method: "eth_call", params: [call, at] });
        return decodeFunctionResult({ abi, functionName, data });
      }),
    );
  try {
    return await ask({ blockHash: blockHash as Hex });
  } catch {
    const number: Hex = `0x${block.toString(16)}`;
    const answers = await ask(number);
    const same = await client.request({ method: "eth_getBlockByNumber", params: [number, false] });
    if (same?.hash !== blockHash) throw new OtherBlockError(block);
    return answers;
  }
}

/** Why reading failed, in the node's own words where they are known; one line. */
export function reasonOf(error: unknown): string {
  const words =
    error instanceof BaseError
      ? (error.details ?? error.shortMessage)
      : error instanceof Error
        ? error.message
        : String(error);
  return (words.split("\n")[0] || "unknown").slice(0, 300);
}
