// Stakes in a reward vault: the account's own, and those that delegates made for it, which only they can take back.
import { type Address, erc20Abi, type PublicClient, parseAbi, parseAbiItem } from "viem";
import { readLogs } from "../announced-contracts.ts";
import type { ChainCopy, Receipt } from "../chain-copy.ts";
import { transfersIn, type WayOut } from "../way-out.ts";

const abi = parseAbi([
  "function getDelegateStake(address account, address delegate) view returns (uint256)",
  "function withdraw(uint256 amount)",
  "function delegateWithdraw(address account, uint256 amount)",
]);
const delegateStaked = parseAbiItem(
  "event DelegateStaked(address indexed account, address indexed delegate, uint256 amount)",
);

export interface DelegatedStake {
  delegate: Address;
  amount: bigint;
}

/** What delegates have staked for `account` at `block`. */
export async function readDelegatedStakes(
  node: PublicClient,
  { vault, account, since, block }: { vault: Address; account: Address; since: number; block: number },
): Promise<DelegatedStake[]> {
  const query = { address: vault, event: delegateStaked, args: { account }, from: since, upTo: block };
  const logs = await readLogs(node, query);
  const delegates = new Set(logs.map(({ args }) => String(args.delegate).toLowerCase() as Address));
  const stakes: DelegatedStake[] = [];
  for (const delegate of delegates) {
    const call = { address: vault, abi, functionName: "getDelegateStake", args: [account, delegate] } as const;
    const amount = await node.readContract({ ...call, blockNumber: BigInt(block) });
    if (amount > 0n) stakes.push({ delegate, amount });
  }
  return stakes;
}

/** `stake` is all that counts as the account's, delegated or not. */
export function withdrawFromRewardVault(vault: Address, stake: bigint, delegated: readonly DelegatedStake[]): WayOut {
  return {
    through: [vault],
    payer: vault,
    async take(copy, account) {
      const receipts: Receipt[] = [];
      const notes: string[] = [];
      const own = delegated.reduce((left, { amount }) => left - amount, stake);
      if (own > 0n) receipts.push(await copy.perform({ from: account, to: vault, abi, call: "withdraw", args: [own] }));
      for (const { delegate, amount } of delegated) {
        receipts.push(...(await takeBack(copy, { vault, account, delegate, amount })));
        notes.push(`${amount} staked by delegate ${delegate}, who was paid and passed it on`);
      }
      return { receipts, notes };
    },
  };
}

async function takeBack(
  copy: ChainCopy,
  { vault, account, delegate, amount }: DelegatedStake & { vault: Address; account: Address },
): Promise<Receipt[]> {
  const back = { from: delegate, to: vault, abi, call: "delegateWithdraw", args: [account, amount] };
  const receipt = await copy.perform(back);
  const received = transfersIn([receipt]).filter(({ from, to }) => from === vault && to === delegate);
  const receipts = [receipt];
  for (const { token, amount: paid } of received)
    receipts.push(
      await copy.perform({ from: delegate, to: token, abi: erc20Abi, call: "transfer", args: [account, paid] }),
    );
  return receipts;
}
