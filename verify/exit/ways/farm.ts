// Locked stakes in a farm, each after its lock. Rewards that the farm pays on the way are recognised by its logs.
import { type Address, parseAbi } from "viem";
import { readAll } from "../../pool-contracts.ts";
import type { Receipt } from "../chain-copy.ts";
import type { WayOut } from "../way-out.ts";

const abi = parseAbi([
  "struct LockedStake { bytes32 kek_id; uint256 start_timestamp; uint256 liquidity; uint256 ending_timestamp; uint256 lock_multiplier; }",
  "function lockedStakesOf(address account) view returns (LockedStake[])",
  "function withdrawLocked(bytes32 kek_id)",
  "function stakingToken() view returns (address)",
  "function getAllRewardTokens() view returns (address[])",
]);

export function withdrawFromFarm(farm: Address): WayOut {
  return {
    through: [farm],
    payer: farm,
    // every withdrawal pays rewards, too
    async alsoPays(copy) {
      const read = (functionName: string) => ({ address: farm, abi, functionName, args: [] });
      const reads = [read("stakingToken"), read("getAllRewardTokens")];
      const answers = await readAll(copy.client, reads, await copy.head());
      return answers.flatMap((answer) => (answer ?? []) as Address[]);
    },
    async take(copy, account) {
      const call = { address: farm, abi, functionName: "lockedStakesOf", args: [account] } as const;
      const stakes = await copy.client.readContract(call);
      const { timestamp } = await copy.client.getBlock();
      const last = BigInt(Math.max(...stakes.map(({ ending_timestamp: at }) => Number(at))));
      const receipts: Receipt[] = [];
      for (const { kek_id: id } of stakes) {
        const withdraw = { from: account, to: farm, abi, call: "withdrawLocked", args: [id] };
        receipts.push(await copy.perform({ ...withdraw, notBefore: last }));
      }
      const notes = last > timestamp ? [`${farm}: time was moved ${last - timestamp} s past the last lock`] : [];
      return { receipts, notes };
    },
  };
}
