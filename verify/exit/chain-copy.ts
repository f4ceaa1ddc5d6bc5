// A copy of the chain as it was after one block, to be changed at will: any account may be impersonated, everything can be undone.
import {
  type Abi,
  type Address,
  createPublicClient,
  encodeFunctionData,
  type Hash,
  type Hex,
  http,
  numberToHex,
  type PublicClient,
} from "viem";
import { postBatch, postOne } from "../../devnet/json-rpc.ts";
import { forkAnvil } from "./forked-anvil.ts";

export interface CopyLog {
  address: Address;
  topics: Hex[];
  data: Hex;
}

export interface Receipt {
  logs: CopyLog[];
}

export interface Transaction {
  from: Address;
  to: Address;
  abi: Abi;
  call: string;
  args: readonly unknown[];
  /** Native coin to send along; none if absent. */
  value?: bigint;
  /** Unix seconds: if the copy's time is earlier, it is moved there. */
  notBefore?: bigint;
}

/** A contract refused a transaction: never the copy itself, nor the node behind it. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

export interface ChainCopy {
  /** The block copied. */
  block: number;
  client: PublicClient;
  /** Number of the copy's latest block. */
  head(): Promise<number>;
  /** A transaction in a block of its own. @throws RefusedError; Error when the copy cannot carry it out */
  perform(transaction: Transaction): Promise<Receipt>;
  /** Whatever happens in `use` is undone after it. */
  apart<T>(use: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const GAS = numberToHex(15_000_000n);
const GAS_PRICE = numberToHex(10n ** 12n);
/** Pays for thousands of transactions. */
const GAS_MONEY = numberToHex(10n ** 25n);

interface RawReceipt {
  blockNumber: Hex;
  status: Hex;
  logs: CopyLog[];
}

/**
 * @throws Error when the node cannot be copied, or the copy is of another chain or time
 */
export async function copyChain({ rpcUrl, block }: { rpcUrl: string; block: number }): Promise<ChainCopy> {
  const anvil = await forkAnvil({ rpcUrl, block });
  const url = anvil.rpcUrl;
  const client = createPublicClient({ transport: http(url, { timeout: 60_000 }), cacheTime: 0 });
  let funded = new Set<Address>();

  const perform = async ({ from, to, abi, call, args, value, notBefore }: Transaction): Promise<Receipt> => {
    const data = encodeFunctionData({ abi, functionName: call, args });
    const sent = { from, to, data, value: numberToHex(value ?? 0n), gas: GAS, gasPrice: GAS_PRICE };
    const isPoor = !funded.has(from);
    const before = [
      ...(isPoor ? [{ method: "anvil_setBalance", params: [from, GAS_MONEY] }] : []),
      ...(notBefore !== undefined && notBefore > (await client.getBlock()).timestamp
        ? [{ method: "evm_setNextBlockTimestamp", params: [Number(notBefore)] }]
        : []),
    ];
    const answers = await postBatch(url, [
      ...before,
      { method: "eth_sendTransaction", params: [sent] },
      { method: "evm_mine", params: [] },
    ]);
    funded.add(from);
    const failed = answers.find((answer) => answer instanceof Error);
    // with gas of its own nothing is tried before it is mined: what a contract refuses is mined, too
    if (failed instanceof Error) throw new Error(`the copy cannot carry out ${call} of ${to}: ${failed.message}`);
    const hash = answers[before.length] as Hash;
    const receipt = await postOne<RawReceipt | null>(url, "eth_getTransactionReceipt", [hash]);
    if (receipt === null) throw new Error(`the copy did not mine ${call} of ${to}`);
    if (receipt.status !== "0x1") {
      // the copy mines each transaction in a block of its own
      const block = Number(receipt.blockNumber) - 1;
      throw new RefusedError(`${call} of ${to}: ${await reasonOf(url, { ...sent, block })}`);
    }
    return { logs: receipt.logs };
  };

  const copy: ChainCopy = {
    block,
    client,
    head: async () => Number(await postOne<Hex>(url, "eth_blockNumber", [])),
    perform,
    async apart(use) {
      const snapshot = await postOne<Hex>(url, "evm_snapshot", []);
      const fundedBefore = new Set(funded);
      return use().finally(async () => {
        funded = fundedBefore;
        if (!(await postOne<boolean>(url, "evm_revert", [snapshot]))) throw new Error("the copy cannot be set back");
      });
    },
    stop: () => anvil.stop(),
  };
  try {
    await requireSameChain({ rpcUrl, url, block });
  } catch (error) {
    await anvil.stop();
    throw error;
  }
  return copy;
}

/** The copy's head must be the same block, with the same hash and time. */
async function requireSameChain({ rpcUrl, url, block }: { rpcUrl: string; url: string; block: number }): Promise<void> {
  const ask = async (node: string) => {
    const [chainId, found] = await postBatch(node, [
      { method: "eth_chainId", params: [] },
      { method: "eth_getBlockByNumber", params: [numberToHex(block), false] },
    ]);
    const { hash, timestamp } = (found ?? {}) as { hash?: Hex; timestamp?: Hex };
    return `chain ${String(chainId)}, block ${block} ${hash} of ${timestamp}`;
  };
  const [original, copied, head] = [await ask(rpcUrl), await ask(url), await postOne<Hex>(url, "eth_blockNumber", [])];
  if (original !== copied || Number(head) !== block)
    throw new Error(`the copy is not the chain: ${copied}, head ${Number(head)}; the node says ${original}`);
}

/** Best effort: the node's answer to the same call on the state before. */
async function reasonOf(url: string, { block, ...call }: { block: number; [field: string]: unknown }): Promise<string> {
  const [answer] = await postBatch(url, [{ method: "eth_call", params: [call, numberToHex(block)] }]);
  return answer instanceof Error ? answer.message : "reverted";
}
