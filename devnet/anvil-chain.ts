// DevChain over a running anvil: transactions of a block travel as one batch with explicit nonces, then one block is mined.
import {
  type Address,
  createPublicClient,
  getCreateAddress,
  type Hash,
  type Hex,
  http,
  numberToHex,
  type Transport,
} from "viem";
import type { Call, DevChain, SealedBlock } from "./chain.ts";
import { postBatch, postInOrder, postOne, RpcError, type RpcRequest } from "./json-rpc.ts";

/** Above any base fee the devnet reaches, so that no transaction waits. */
const GAS_PRICE = 2_000_000_000n;
/** Enough for most calls; the block's limit has room for hundreds of these. */
const GAS_LIMIT = 6_000_000n;
/** Enough to put any contract on the chain. */
const CREATION_GAS_LIMIT = 9_000_000n;

interface Receipt {
  transactionHash: Hash;
  status: Hex;
  from: Address;
}

export interface AnvilChain extends DevChain {
  /**
   * Like `seal`, without waiting for the block: the next one can be prepared meanwhile. Later reads and seals wait for it,
   * and throw if there was an unexpected revert.
   */
  sealAhead(seconds: number): Promise<void>;
  /** Seals at a given time; transactions that revert or are refused are counted, never thrown. */
  sealAt(timestamp: number): Promise<SealedBlock & { failed: number }>;
  /** Forgets what is queued and reads head and nonces again: after a reorg, a revert, or a stranger's transaction. */
  resync(): Promise<void>;
  head(): SealedBlock;
}

/** A transaction of the scenario failed: it reverted, or is not in the place at which it was queued. */
export class SealError extends Error {
  override name = "SealError";
}

/** Connects to anvil; its unlocked accounts become `accounts`, and the next block follows its head. */
export async function connectAnvilChain(rpcUrl: string): Promise<AnvilChain> {
  const accounts = (await postOne<Address[]>(rpcUrl, "eth_accounts", [])).map(
    (account) => account.toLowerCase() as Address,
  );
  let ahead: Promise<unknown> = Promise.resolve();
  const settle = async (): Promise<void> => void (await ahead);
  const transport: Transport = (config) => {
    const direct = http(rpcUrl)(config);
    const request = async (...parameters: Parameters<typeof direct.request>) => {
      await settle();
      return direct.request(...parameters);
    };
    return { ...direct, request: request as typeof direct.request };
  };
  const client = createPublicClient({ transport, cacheTime: 0, pollingInterval: 100 });
  const nonces = new Map<Address, number>();
  let head = await readHead(rpcUrl);
  let queued: Call[] = [];
  let unsent: RpcRequest[] = [];

  const takeNonce = (account: Address): number => {
    const nonce = nonces.get(account) ?? 0;
    nonces.set(account, nonce + 1);
    return nonce;
  };
  const readNonces = async (): Promise<void> => {
    const answers = await postBatch(
      rpcUrl,
      accounts.map((account) => ({ method: "eth_getTransactionCount", params: [account, "pending"] })),
    );
    for (const [index, account] of accounts.entries()) nonces.set(account, Number(answers[index]));
  };
  await readNonces();

  const queue = (call: Call): number => {
    const from = call.from.toLowerCase() as Address;
    const nonce = takeNonce(from);
    queued.push(call);
    unsent.push({ method: "eth_sendTransaction", params: [transactionOf(call, nonce)] });
    return nonce;
  };
  const flush = async (last: RpcRequest[] = []): Promise<unknown[]> => {
    const requests = [...unsent, ...last];
    unsent = [];
    return postInOrder(rpcUrl, requests);
  };
  const mine = async (timestamp: number): Promise<{ sent: unknown[]; block: SealedBlock; receipts: Receipt[] }> => {
    const sent = await flush([
      { method: "evm_setNextBlockTimestamp", params: [timestamp] },
      { method: "evm_mine", params: [] },
    ]);
    const number = numberToHex(head.number + 1);
    const [block, receipts] = await postBatch(rpcUrl, [
      { method: "eth_getBlockByNumber", params: [number, false] },
      { method: "eth_getBlockReceipts", params: [number] },
    ]);
    if (block === null || block instanceof Error) throw new SealError(`block ${head.number + 1} was not mined`);
    head = blockOf(block);
    return { sent, block: head, receipts: Array.isArray(receipts) ? (receipts as Receipt[]) : [] };
  };

  const sealNow = async (seconds: number): Promise<SealedBlock> => {
    const calls = queued;
    queued = [];
    const { sent, block, receipts } = await mine(head.timestamp + seconds);
    const refused = sent.find((answer) => answer instanceof RpcError);
    if (refused instanceof RpcError) throw new SealError(`block ${block.number}: ${refused.message}`);
    await checkReceipts({ calls, receipts, block, rpcUrl });
    return block;
  };

  return {
    client,
    accounts,
    async rpc<T>(method: string, params: readonly unknown[]): Promise<T> {
      await settle();
      return postOne<T>(rpcUrl, method, params);
    },
    head: () => head,
    queue: (call) => void queue(call),
    async send(call) {
      await settle();
      queue(call);
      const hash = (await flush()).at(-1);
      if (hash instanceof Error) throw hash;
      return hash as Hash;
    },
    async create(from, code) {
      const nonce = queue({ from, data: code });
      return getCreateAddress({ from, nonce: BigInt(nonce) });
    },
    async seal(seconds = 2) {
      await settle();
      return sealNow(seconds);
    },
    async sealAhead(seconds) {
      await settle();
      ahead = sealNow(seconds);
      ahead.catch(() => {}); // thrown by the call that waits for it
    },
    async sealAt(timestamp) {
      await settle();
      const count = queued.length;
      queued = [];
      const { block, receipts } = await mine(Math.max(timestamp, head.timestamp + 1));
      const succeeded = receipts.filter(({ status }) => status === "0x1").length;
      return { ...block, failed: Math.max(0, count - succeeded) };
    },
    async resync() {
      await settle().catch(() => {});
      ahead = Promise.resolve();
      queued = [];
      unsent = [];
      head = await readHead(rpcUrl);
      await readNonces();
    },
  };
}

function transactionOf(call: Call, nonce: number): Record<string, string> {
  const gas = call.gas ?? (call.to === undefined ? CREATION_GAS_LIMIT : GAS_LIMIT);
  return {
    from: call.from,
    nonce: numberToHex(nonce),
    gas: numberToHex(gas),
    gasPrice: numberToHex(GAS_PRICE),
    ...(call.to === undefined ? {} : { to: call.to }),
    ...(call.data === undefined ? {} : { data: call.data }),
    ...(call.value === undefined ? {} : { value: numberToHex(call.value) }),
  };
}

function blockOf(block: unknown): SealedBlock {
  const { number, hash, timestamp } = block as { number: Hex; hash: Hash; timestamp: Hex };
  return { number: Number(number), hash, timestamp: Number(timestamp) };
}

async function readHead(rpcUrl: string): Promise<SealedBlock> {
  return blockOf(await postOne(rpcUrl, "eth_getBlockByNumber", ["latest", false]));
}

interface Checked {
  calls: readonly Call[];
  receipts: readonly Receipt[];
  block: SealedBlock;
  rpcUrl: string;
}

/** Order and outcome of every transaction: what the same seed must repeat. */
async function checkReceipts({ calls, receipts, block, rpcUrl }: Checked): Promise<void> {
  if (receipts.length !== calls.length)
    throw new SealError(`block ${block.number}: ${receipts.length} of ${calls.length} transactions were mined`);
  for (const [index, call] of calls.entries()) {
    const receipt = receipts[index];
    const place = `block ${block.number}, transaction ${index} from ${call.from} to ${call.to ?? "(creation)"}`;
    if (receipt?.from.toLowerCase() !== call.from.toLowerCase()) throw new SealError(`${place}: out of order`);
    const reverted = receipt.status !== "0x1";
    if (call.reverts === "maybe" || reverted === (call.reverts ?? false)) continue;
    if (!reverted) throw new SealError(`${place}: meant to revert, but went through`);
    throw new SealError(`${place} ${call.data?.slice(0, 10) ?? ""}: reverted: ${await reasonOf(call, block, rpcUrl)}`);
  }
}

/** Best effort: the call again on the block before and after. */
async function reasonOf(call: Call, block: SealedBlock, rpcUrl: string): Promise<string> {
  const { nonce: _, ...request } = transactionOf(call, 0);
  const [after, before] = await postBatch(rpcUrl, [
    { method: "eth_call", params: [request, numberToHex(block.number)] },
    { method: "eth_call", params: [request, numberToHex(block.number - 1)] },
  ]);
  const failure = [before, after].find((answer) => answer instanceof Error);
  return `${failure instanceof Error ? failure.message : "no reason given"}; calldata ${call.data?.slice(0, 800) ?? ""}`;
}
