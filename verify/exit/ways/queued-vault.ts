// Vaults where withdrawals have to wait (Berachain's WBERAStakerVault): shares are queued, then all that waits is completed.
import { type Address, erc20Abi, getAbiItem, type PublicClient, parseAbi } from "viem";
import { queuedVaultAbi } from "../../../abis/vault.ts";
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
]);

const requested = getAbiItem({ abi: queuedVaultAbi, name: "WithdrawalRequested" });

interface Queue {
  vault: Address;
  /** Whose shares were burnt. */
  owner: Address;
  block: number;
}

/** Requests for shares of `owner`, no matter who made them, that are not ended at the block. */
export async function waitingIds(
  node: PublicClient,
  { since, ...queue }: Queue & { since: number },
): Promise<bigint[]> {
  const { vault, owner, block } = queue;
  const query = { address: vault, event: requested, args: { owner }, from: since, upTo: block };
  const logs = await readLogs(node, query);
  if (logs.length === 0) return [];
  const senders = new Set(logs.map(({ args }) => String(args.sender).toLowerCase() as Address));
  return (await Promise.all([...senders].map((sender) => waitingIdsBy(node, queue, sender)))).flat();
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

interface Completed {
  receipts: Receipt[];
  notes: string[];
}

/** What waits counts as the owner's: a receiver that is somebody else passes on what it is paid. */
async function complete(
  copy: ChainCopy,
  vault: Address,
  { owner, ids }: { owner: Address; ids: readonly bigint[] },
): Promise<Completed> {
  const cooldown = await copy.client.readContract({ address: vault, abi, functionName: "WITHDRAWAL_COOLDOWN" });
  const { timestamp } = await copy.client.getBlock();
  const receipts: Receipt[] = [];
  const notes = [`${vault}: time was moved past the waiting time of its withdrawals`];
  for (const id of ids) {
    const read = { address: vault, abi, functionName: "getERC721WithdrawalRequest", args: [id] } as const;
    const receiver = (await copy.client.readContract(read)).receiver.toLowerCase();
    const call = { from: vault, to: vault, abi, call: "completeWithdrawal", args: [false, id] };
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

/** Anybody may complete withdrawals. */
export const completeWithdrawals = (vault: Address, ids: readonly bigint[]): WayOut => ({
  through: [vault],
  payer: vault,
  take: (copy, owner) => complete(copy, vault, { owner, ids }),
});

export const queueShares = (vault: Address, shares: bigint): WayOut => ({
  through: [vault],
  payer: vault,
  async take(copy, owner) {
    const idsAt = async (block: number) => waitingIdsBy(copy.client, { vault, owner, block }, owner);
    const before = await idsAt(await copy.head());
    const queue = { from: owner, to: vault, abi, call: "queueRedeem", args: [shares, owner, owner] };
    const queued = await copy.perform(queue);
    const ids = (await idsAt(await copy.head())).filter((id) => !before.includes(id));
    const { receipts, notes } = await complete(copy, vault, { owner, ids });
    return { receipts: [queued, ...receipts], notes };
  },
});
