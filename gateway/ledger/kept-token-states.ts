// States of tokens that many ask about, kept for a moment: what verification finds can change them at any time, and the
// fold with every block that it takes in.

import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import type { BlockPoint } from "./point.ts";
import { readTokens, type TokenState } from "./token-state.ts";

const KEPT_MS = 1_000;
const MOST_KEPT = 10_000;

const kept = new Map<string, { state: TokenState; at: number }>();

/** {@link readTokens}; those whose metadata is not here yet are read every time. */
export async function keptTokens(
  { chain, snapshot }: OperationContext,
  { watermark }: BlockPoint,
  addresses: readonly Address[],
): Promise<TokenState[]> {
  const oldest = performance.now() - KEPT_MS;
  const keyOf = (address: Address) => `${snapshot.index} ${watermark} ${address}`;
  const found = new Map<Address, TokenState>();
  for (const address of addresses) {
    const known = kept.get(keyOf(address));
    if (known && known.at >= oldest) found.set(address, known.state);
  }
  const unread = addresses.filter((address) => !found.has(address));
  for (const state of unread.length === 0 ? [] : await readTokens(snapshot, chain.chainId, unread)) {
    found.set(state.address, state);
    if (state.metadata) keep(keyOf(state.address), state);
  }
  return addresses.flatMap((address) => found.get(address) ?? []);
}

function keep(key: string, state: TokenState): void {
  kept.delete(key);
  kept.set(key, { state, at: performance.now() });
  const [first] = kept.keys();
  if (kept.size > MOST_KEPT && first !== undefined) kept.delete(first);
}
