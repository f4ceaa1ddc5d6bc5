// The made-up chain of transfers as a node serves it: logs, and the metadata of its tokens.
import { numberToHex, toEventSelector } from "viem";
import { answerMetadataCall } from "./metadata-call.ts";
import { type Hex, type SyntheticChain, TRANSFERS_PER_TRANSACTION } from "./synthetic-chain.ts";
import type { ServedChain } from "./synthetic-rpc.ts";

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const padded = (address: Hex): Hex => `0x${address.slice(2).padStart(64, "0")}`;

export function serveTransfers(chain: SyntheticChain): ServedChain {
  const account = (index: number): Hex => chain.accountAddresses[index] ?? "0x";
  return {
    baseHead: chain.baseHead,
    logsOf: (block) =>
      chain.transfersOf(block).map(({ token, from, to, amount }, i) => ({
        address: chain.tokenAddresses[token] ?? "0x",
        topics: [TRANSFER, padded(account(from)), padded(account(to))],
        data: numberToHex(amount, { size: 32 }),
        transaction: Math.floor(i / TRANSFERS_PER_TRANSACTION),
        from: account(from || 1),
      })),
    answerCall: (data) => answerMetadataCall(data, chain.tokenAddresses),
  };
}
