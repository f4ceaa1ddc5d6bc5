// Vaults where withdrawals have to wait (Berachain's WBERAStakerVault): shares are queued, then all that waits is completed.
import { type Address, type PublicClient, parseAbi } from "viem";
import type { ChainCopy, Receipt } from "../chain-copy.ts";
import type { WayOut } from "../way-out.ts";

const abi = parseAbi([
  "function WITHDRAWAL_COOLDOWN() view returns (uint256)",
  "function getERC721WithdrawalRequestIds(address account) view returns (uint256[])",
  "struct WithdrawalRequest { uint256 assets; uint256 shares; uint256 requestTime; address owner; address receiver; }",
  "function getERC721WithdrawalRequest(uint256 id) view returns (WithdrawalRequest)",
  "function queueRedeem(uint256 shares, address receiver, address owner) returns (uint256 assets, uint256 id)",
  "function completeWithdrawal(bool isNative, uint256 id)",
]);

interface Queue {
  vault: Address;
  account: Address;
  block: number;
}

/** Requests of `account` that are not ended at the block. */
export async function waitingIds(node: PublicClient, { vault, account, block }: Queue): Promise<bigint[]> {
  const at = { address: vault, abi, blockNumber: BigInt(block) } as const;
  if ((await node.getCode({ address: vault, blockNumber: BigInt(block) })) === undefined) return [];
  const ids = await node.readContract({ ...at, functionName: "getERC721WithdrawalRequestIds", args: [account] });
  const requests = await Promise.all(
    ids.map((id) => node.readContract({ ...at, functionName: "getERC721WithdrawalRequest", args: [id] })),
  );
  return ids.filter((_, i) => (requests[i]?.assets ?? 0n) > 0n);
}

async function complete(copy: ChainCopy, vault: Address, ids: readonly bigint[]): Promise<Receipt[]> {
  const cooldown = await copy.client.readContract({ address: vault, abi, functionName: "WITHDRAWAL_COOLDOWN" });
  const { timestamp } = await copy.client.getBlock();
  const receipts: Receipt[] = [];
  for (const id of ids) {
    const call = { from: vault, to: vault, abi, call: "completeWithdrawal", args: [false, id] };
    receipts.push(await copy.perform({ ...call, notBefore: timestamp + cooldown }));
  }
  return receipts;
}

const noteOf = (vault: Address): string => `${vault}: time was moved past the waiting time of its withdrawals`;

/** Anybody may complete withdrawals. */
export const completeWithdrawals = (vault: Address, ids: readonly bigint[]): WayOut => ({
  through: [vault],
  payer: vault,
  take: async (copy) => ({ receipts: await complete(copy, vault, ids), notes: [noteOf(vault)] }),
});

export const queueShares = (vault: Address, shares: bigint): WayOut => ({
  through: [vault],
  payer: vault,
  async take(copy, account) {
    const before = await waitingIds(copy.client, { vault, account, block: await copy.head() });
    const queue = { from: account, to: vault, abi, call: "queueRedeem", args: [shares, account, account] };
    const queued = await copy.perform(queue);
    const ids = await waitingIds(copy.client, { vault, account, block: await copy.head() });
    const fresh = ids.filter((id) => !before.includes(id));
    return { receipts: [queued, ...(await complete(copy, vault, fresh))], notes: [noteOf(vault)] };
  },
});
