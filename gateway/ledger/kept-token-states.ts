// States of tokens that many ask about, kept for a while: the fold changes them with the watermark alone, metadata once read
// stay, and what verification finds is told by its number.
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import type { BlockPoint } from "./point.ts";
import { readTokens, type TokenState } from "./token-state.ts";

/** As late may a flag be told that takes another one's place, or is younger than the transaction that read the token. */
const KEPT_MS = 10_000;
/** Where no look tells how many flags there are. */
const KEPT_UNSEEN_MS = 1_000;
const MOST_KEPT = 10_000;

const kept = new Map<string, { state: TokenState; at: number }>();

/** {@link readTokens}; those whose metadata is not here yet are read every time. */
export async function keptTokens(
  context: OperationContext,
  point: BlockPoint,
  addresses: readonly Address[],
): Promise<TokenState[]> {
  const { chain, snapshot } = context;
  const found = new Map<Address, TokenState>();
  for (const address of addresses) {
    const known = knownToken(context, { index: snapshot.index, ...point }, address);
    if (known) found.set(address, known);
  }
  const unread = addresses.filter((address) => !found.has(address));
  for (const state of unread.length === 0 ? [] : await readTokens(snapshot, chain.chainId, unread)) {
    found.set(state.address, state);
    noteToken(context, { index: snapshot.index, ...point }, state);
  }
  return addresses.flatMap((address) => found.get(address) ?? []);
}

/** Where a token is told of. */
type Place = Pick<BlockPoint, "watermark"> & { index: string };
type Asking = Pick<OperationContext, "service" | "chain">;

/** Another number of flags means other states: a flag is told as soon as a look has seen it. */
const keyIn = ({ service, chain }: Asking, { index, watermark }: Place, address: Address): string =>
  `${index} ${watermark} ${service.live.flags(chain.chainId)} ${address}`;

/** The same of one token, if it is kept. */
export function knownToken(asking: Asking, place: Place, address: Address): TokenState | undefined {
  const known = kept.get(keyIn(asking, place, address));
  const isSeen = asking.service.live.flags(asking.chain.chainId) !== undefined;
  const since = performance.now() - (isSeen ? KEPT_MS : KEPT_UNSEEN_MS);
  return known && known.at >= since ? known.state : undefined;
}

/** A state that was read just now. */
export function noteToken(asking: Asking, place: Place, state: TokenState): void {
  if (state.metadata) keep(keyIn(asking, place, state.address), state);
}

function keep(key: string, state: TokenState): void {
  kept.delete(key);
  kept.set(key, { state, at: performance.now() });
  const [first] = kept.keys();
  if (kept.size > MOST_KEPT && first !== undefined) kept.delete(first);
}
