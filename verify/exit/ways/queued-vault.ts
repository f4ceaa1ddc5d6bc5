// Vaults where withdrawals have to wait (Berachain's WBERAStakerVault): shares are queued, then all that waits is completed.
import { type Address, erc20Abi, getAbiItem, type PublicClient, parseAbi } from "viem";
import { queuedVaultAbi } from "../../../abis/vault.ts";
import { isContractFailure } from "../../contract-failure.ts";
import { readLogs } from "../announced-contracts.ts";
import type { ChainCopy, Receipt } from "../chain-copy.ts";
import { transfersIn, type WayOut } from "../way-out.ts";

const abi = parseAbi([
  "function WITHDRAWAL_COOLDOWN() view returns (uint256)",
  "function getERC721WithdrawalRequestIds(address account) view returns (uint256[])",
  "struct WithdrawalRequest { uint256 assets; uint256 shares; uint256 requestTime; address owner; address receiver; }",
  "function getERC721WithdrawalRequest(uint256 id) view returns (WithdrawalRequest)",
  "function queueRedeem(uint256 shares, address receiver, address owner) returns (uint256 assets, uint256 id)",
  "function completeWithdrawal(bool isNative, uint256 id)",
  "function withdrawalRequests(address sender) view returns (uint256 assets, uint256 shares, uint256 requestTime, address owner, address receiver)",
  "function completeWithdrawal(bool isNative)",
]);

/** Its id; of one that `withdraw` or `redeem` made, which has none and of which nobody has two, who made it. */
type Request = bigint | Address;

const requested = getAbiItem({ abi: queuedVaultAbi, name: "WithdrawalRequested" });

interface Queue {
  vault: Address;
  /** Whose shares were burnt. */
  owner: Address;
  block: number;
}

/** Those for shares of `owner`, no matter who made them, that are not ended at the block. */
export async function waitingRequests(
  node: PublicClient,
  { since, ...queue }: Queue & { since: number },
): Promise<Request[]> {
  const { vault, owner, block } = queue;
  const query = { address: vault, event: requested, args: { owner }, from: since, upTo: block };
  const logs = await readLogs(node, query);
  if (logs.length === 0) return [];
  const senders = new Set(logs.map(({ args }) => String(args.sender).toLowerCase() as Address));
  const waiting = [...senders].flatMap((sender) => [
    waitingIdsBy(node, queue, sender),
    isWaitingWithoutId(node, queue, sender).then((isWaiting) => (isWaiting ? [sender] : [])),
  ]);
  return (await Promise.all<Request[]>(waiting)).flat();
}

/** Those that `sender` made. */
async function waitingIdsBy(node: PublicClient, { vault, owner, block }: Queue, sender: Address): Promise<bigint[]> {
  const at = { address: vault, abi, blockNumber: BigInt(block) } as const;
  const ids = await node.readContract({ ...at, functionName: "getERC721WithdrawalRequestIds", args: [sender] });
  const requests = await Promise.all(
    ids.map((id) => node.readContract({ ...at, functionName: "getERC721WithdrawalRequest", args: [id] })),
  );
  return ids.filter((_, i) => {
    const request = requests[i];
    return request !== undefined && request.assets > 0n && request.owner.toLowerCase() === owner;
  });
}

async function isWaitingWithoutId(
  node: PublicClient,
  { vault, owner, block }: Queue,
  sender: Address,
): Promise<boolean> {
  const read = { address: vault, abi, functionName: "withdrawalRequests", args: [sender] } as const;
  try {
    const [assets, , , of] = await node.readContract({ ...read, blockNumber: BigInt(block) });
    return assets > 0n && of.toLowerCase() === owner;
  } catch (error) {
    // of a vault that has only such with ids
    if (isContractFailure(error)) return false;
    throw error;
  }
}

async function receiverOf({ client }: ChainCopy, vault: Address, request: Request): Promise<string> {
  const at = { address: vault, abi } as const;
  const receiver =
    typeof request === "bigint"
      ? (await client.readContract({ ...at, functionName: "getERC721WithdrawalRequest", args: [request] })).receiver
      : (await client.readContract({ ...at, functionName: "withdrawalRequests", args: [request] }))[4];
  return receiver.toLowerCase();
}

interface Completed {
  receipts: Receipt[];
  notes: string[];
}

/** What waits counts as the owner's: a receiver that is somebody else passes on what it is paid. */
async function complete(
  copy: ChainCopy,
  vault: Address,
  { owner, requests }: { owner: Address; requests: readonly Request[] },
): Promise<Completed> {
  const cooldown = await copy.client.readContract({ address: vault, abi, functionName: "WITHDRAWAL_COOLDOWN" });
  const { timestamp } = await copy.client.getBlock();
  const receipts: Receipt[] = [];
  const notes = [`${vault}: time was moved past the waiting time of its withdrawals`];
  for (const request of requests) {
    const receiver = await receiverOf(copy, vault, request);
    // anybody may complete one with an id, the others only who made them
    const [from, args] = typeof request === "bigint" ? [vault, [false, request]] : [request, [false]];
    const call = { from, to: vault, abi, call: "completeWithdrawal", args };
    const receipt = await copy.perform({ ...call, notBefore: timestamp + cooldown });
    receipts.push(receipt);
    for (const { token, from, to, amount } of transfersIn([receipt])) {
      if (from !== vault || to !== receiver || to === owner) continue;
      receipts.push(
        await copy.perform({ from: to, to: token, abi: erc20Abi, call: "transfer", args: [owner, amount] }),
      );
      notes.push(`${amount} of ${token} waited for receiver ${to}, who was paid and passed it on`);
    }
  }
  return { receipts, notes };
}

export const completeWithdrawals = (vault: Address, requests: readonly Request[]): WayOut => ({
  through: [vault],
  payer: vault,
  take: (copy, owner) => complete(copy, vault, { owner, requests }),
});

export const queueShares = (vault: Address, shares: bigint): WayOut => ({
  through: [vault],
  payer: vault,
  async take(copy, owner) {
    const idsAt = async (block: number) => waitingIdsBy(copy.client, { vault, owner, block }, owner);
    const before = await idsAt(await copy.head());
    const queue = { from: owner, to: vault, abi, call: "queueRedeem", args: [shares, owner, owner] };
    const queued = await copy.perform(queue);
    const requests = (await idsAt(await copy.head())).filter((id) => !before.includes(id));
    const { receipts, notes } = await complete(copy, vault, { owner, requests });
    return { receipts: [queued, ...receipts], notes };
  },
});
