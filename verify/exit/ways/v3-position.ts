// Positions in v3 pools: those of a token id, through its manager, or those held in the pool directly.
import { type Address, encodeFunctionData } from "viem";
import { managerAbi, poolAbi } from "../../pool-contracts.ts";
import type { Receipt } from "../chain-copy.ts";
import type { WayOut } from "../way-out.ts";

const MOST = 2n ** 128n - 1n;
const FOREVER = 2n ** 64n;

export function closeTokenId(
  { pool, manager, tokenId }: { pool: Address; manager: Address; tokenId: bigint },
  liquidity: bigint,
): WayOut {
  return {
    through: [pool],
    payer: pool,
    async take(copy, account) {
      const decrease = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FOREVER };
      const collect = { tokenId, recipient: account, amount0Max: MOST, amount1Max: MOST };
      const calls = [
        ...(liquidity > 0n
          ? [encodeFunctionData({ abi: managerAbi, functionName: "decreaseLiquidity", args: [decrease] })]
          : []),
        encodeFunctionData({ abi: managerAbi, functionName: "collect", args: [collect] }),
      ];
      const call = { from: account, to: manager, abi: managerAbi, call: "multicall", args: [calls] };
      return { receipts: [await copy.perform(call)], notes: [] };
    },
  };
}

export function closeDirectPosition(
  { pool, tickLower, tickUpper }: { pool: Address; tickLower: number; tickUpper: number },
  liquidity: bigint,
): WayOut {
  return {
    through: [pool],
    payer: pool,
    async take(copy, account) {
      const own = { from: account, to: pool, abi: poolAbi };
      const receipts: Receipt[] = [];
      if (liquidity > 0n)
        receipts.push(await copy.perform({ ...own, call: "burn", args: [tickLower, tickUpper, liquidity] }));
      const all = [account, tickLower, tickUpper, MOST, MOST];
      receipts.push(await copy.perform({ ...own, call: "collect", args: all }));
      return { receipts, notes: [] };
    },
  };
}
