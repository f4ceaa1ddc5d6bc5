// Shares of a v2 pair: sent to the pair, which then burns all that it holds of itself. UniswapV2Pair.sol `burn`
import { type Address, erc20Abi, parseAbi, zeroAddress } from "viem";
import type { ChainCopy, Receipt } from "../chain-copy.ts";
import type { WayOut } from "../way-out.ts";

const abi = parseAbi([
  "function factory() view returns (address)",
  "function feeTo() view returns (address)",
  "function feeToSetter() view returns (address)",
  "function setFeeTo(address to)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function burn(address to) returns (uint256, uint256)",
]);

/** An address that nobody uses. */
const ASIDE: Address = "0x00000000000000000000000000000000000a51de";

export function burnPairShares(pair: Address, shares: bigint): WayOut {
  return {
    through: [pair],
    payer: pair,
    async take(copy, account) {
      const notes = [...(await switchFeeOff(copy, pair)), ...(await moveStrays(copy, pair))];
      const send = { from: account, to: pair, abi: erc20Abi, call: "transfer", args: [pair, shares] };
      const receipts: Receipt[] = [await copy.perform(send)];
      receipts.push(await copy.perform({ from: account, to: pair, abi, call: "burn", args: [account] }));
      return { receipts, notes };
    },
  };
}

/** The first mint or burn after a swap makes the pair mint shares for the protocol; answers do not count shares that are not minted yet. */
async function switchFeeOff({ client, perform }: ChainCopy, pair: Address): Promise<string[]> {
  const factory = await client.readContract({ address: pair, abi, functionName: "factory" });
  const feeTo = await client.readContract({ address: factory, abi, functionName: "feeTo" });
  if (feeTo === zeroAddress) return [];
  const from = await client.readContract({ address: factory, abi, functionName: "feeToSetter" });
  await perform({ from, to: factory, abi, call: "setFeeTo", args: [zeroAddress] });
  return [`the protocol fee of ${pair} that a burn would mint was switched off`];
}

/** The account that burns next would be paid for shares that were sent to the pair by mistake, too. */
async function moveStrays({ client, perform }: ChainCopy, pair: Address): Promise<string[]> {
  const strays = await client.readContract({ address: pair, abi, functionName: "balanceOf", args: [pair] });
  if (strays === 0n) return [];
  await perform({ from: pair, to: pair, abi, call: "transfer", args: [ASIDE, strays] });
  return [`${strays} shares that ${pair} held of itself were moved aside`];
}

/** A pair refuses to burn shares so few that one token's amount would be 0: nobody can take out their worth alone. */
export const isDust = (reason: string): boolean => reason.includes("INSUFFICIENT_LIQUIDITY_BURNED");
