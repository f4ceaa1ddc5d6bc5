// Shares that are ERC-20 tokens themselves: an account that holds the token holds a part of what stands behind it.
import type { Address } from "../parameters.ts";
import type { SourceKind } from "./held-as.ts";
import type { Ledger } from "./ledger.ts";
import { type IssuedAsset, tokenAsset } from "./protocol.ts";

/** The share token of each of `contracts`, which is the contract itself, with all its holders. */
export async function shareTokens(
  ledger: Ledger,
  kind: SourceKind,
  contracts: readonly Address[],
): Promise<IssuedAsset[]> {
  const distinct = [...new Set(contracts)];
  const holders = await ledger.holders(distinct.map((key) => ({ kind: "erc20", key })));
  return distinct.map((contract, i) => ({
    id: tokenAsset(contract),
    issuer: contract,
    holdings: holders[i] ?? [],
    heldAs: { kind, id: contract, contract },
  }));
}
