// Vaults: those with shares that are redeemed (ERC-4626, baults, beefy), and those with stakes that come back one for one.
import { type Address, erc20Abi, parseAbi } from "viem";
import { isContractFailure } from "../../contract-failure.ts";
import type { ChainCopy, Receipt } from "../chain-copy.ts";
import { transfersIn, type WayOut } from "../way-out.ts";

const abi = parseAbi([
  "function convertToAssets(uint256 shares) view returns (uint256)",
  "function previewRedeem(uint256 shares) view returns (uint256)",
  "function redeem(uint256 shares, address receiver, address owner) returns (uint256)",
  "function withdraw(uint256 amount)",
]);

/**
 * The part of the shares' worth that the vault's own preview leaves out is paid in addition, from where the assets were. What the vault
 * sends somebody else meanwhile is no longer there, and is added back as a fee on the way.
 */
export function redeemShares({ vault, asset }: { vault: Address; asset: Address }, shares: bigint): WayOut {
  return {
    through: [vault],
    payer: vault,
    async take(copy, account) {
      const fee = await exitFee(copy, vault, shares);
      const redeem = { from: account, to: vault, abi, call: "redeem", args: [shares, account, account] };
      const receipts: Receipt[] = [await copy.perform(redeem)];
      const paid = transfersIn(receipts).filter(({ token }) => token === asset);
      const [first] = paid;
      const sent = paid
        .filter(({ from, to }) => from === vault && to !== account)
        .reduce((sum, { amount }) => sum + amount, 0n);
      const left = fee - sent;
      if (left <= 0n || !first) return { receipts, notes: [] };
      const back = { from: first.from, to: asset, abi: erc20Abi, call: "transfer", args: [account, left] };
      receipts.push(await copy.perform(back));
      return { receipts, notes: [`${vault} kept an exit fee of ${left} of ${asset}, added back`] };
    },
  };
}

/** In assets. Of a vault that gives no preview no fee is known: 0. */
async function exitFee({ client }: ChainCopy, vault: Address, shares: bigint): Promise<bigint> {
  const read = (functionName: "convertToAssets" | "previewRedeem") =>
    client.readContract({ address: vault, abi, functionName, args: [shares] });
  try {
    return (await read("convertToAssets")) - (await read("previewRedeem"));
  } catch (error) {
    if (isContractFailure(error)) return 0n;
    throw error;
  }
}

/** `withdraw(uint256)`: beefy counts in shares, staking vaults in what was staked. */
export function withdrawFromVault(vault: Address, amount: bigint): WayOut {
  return {
    through: [vault],
    payer: vault,
    async take(copy, account) {
      return {
        receipts: [await copy.perform({ from: account, to: vault, abi, call: "withdraw", args: [amount] })],
        notes: [],
      };
    },
  };
}
