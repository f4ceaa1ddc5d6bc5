// What protocols read of the additive ledgers, whether at one block of the index or at a block of a range in memory.
import type { Holding } from "../../core/lookthrough/backing.ts";
import type { AmountInput } from "../history/asset-amounts.ts";
import type { LedgerAsset } from "../history/ledger-asset.ts";
import type { Address } from "../parameters.ts";

/** A contract that is there to hold a token. */
export interface Place {
  token: Address;
  contract: Address;
}

export interface Ledger {
  /** Who holds each asset, in the order of `assets`; the zero address too, amounts above zero. */
  holders(assets: readonly LedgerAsset[]): Promise<(readonly Holding[])[]>;
  /** What each account holds of its asset, in the order of `inputs`. */
  amounts(inputs: readonly AmountInput[]): Promise<readonly bigint[]>;
  /** The contracts that `kind` lists for each of `tokens`. */
  listed(kind: string, tokens: readonly Address[]): Promise<Place[]>;
  /** The tokens for which `kinds` list each of `contracts`. */
  tokensOf(kinds: readonly string[], contracts: readonly Address[]): Promise<Map<Address, Set<Address>>>;
}

/** Those of `places` where some of the token is held. */
export async function heldAt<P extends Place>(
  ledger: Pick<Ledger, "amounts">,
  places: readonly P[],
): Promise<(P & { amount: bigint })[]> {
  const amounts = await ledger.amounts(
    places.map(({ token, contract }) => ({ kind: "erc20", key: token, account: contract })),
  );
  const held: (P & { amount: bigint })[] = [];
  for (const [i, place] of places.entries()) {
    const amount = amounts[i] ?? 0n;
    if (amount > 0n) held.push({ ...place, amount });
  }
  return held;
}

/** What each of `contracts` holds of its two tokens, in their order. */
export async function heldOfBoth(
  ledger: Pick<Ledger, "amounts">,
  contracts: readonly { address: Address; token0: Address; token1: Address }[],
): Promise<(readonly [bigint, bigint])[]> {
  const amounts = await ledger.amounts(
    contracts.flatMap(({ address, token0, token1 }) =>
      [token0, token1].map((key) => ({ kind: "erc20", key, account: address })),
    ),
  );
  return contracts.map((_, i) => [amounts[2 * i] ?? 0n, amounts[2 * i + 1] ?? 0n]);
}

/** The contracts that `kind` lists for each of `tokens` and that hold some of it. */
export const heldByListed = async (ledger: Ledger, kind: string, tokens: readonly Address[]) =>
  heldAt(ledger, await ledger.listed(kind, tokens));
