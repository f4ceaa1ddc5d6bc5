// What is known about tokens at a block, from the cache as long as nothing changes it.
import type { ChainFile } from "../../chains/chain-file.ts";
import { question } from "../cache/question.ts";
import { changing } from "../database/recent-changes.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { Address } from "../parameters.ts";
import { placeOfThings } from "./as-of.ts";
import type { BlockPoint } from "./point.ts";
import { readTokens, type TokenState } from "./token-state.ts";

const tokenStates = question<TokenState>("token-states", {
  // without metadata it is worth another try
  isLasting: ({ metadata }) => metadata !== undefined,
});

/** In the order of `addresses`. */
export function tokensAt(
  { chain, snapshot }: { chain: Pick<ChainFile, "chainId">; snapshot: Snapshot },
  point: BlockPoint,
  addresses: readonly Address[],
): Promise<TokenState[]> {
  const { cache, state } = snapshot;
  const { revision } = state;
  // a token's state is that of the index as it is now, whichever block the request names: its first block may be taken back
  const now = { ...point, block: state.head, hash: state.lastSyncedHash };
  const placeOf = (address: Address) => ({
    ...placeOfThings(now, address, [changing.asset({ kind: "erc20", key: address })]),
    revision,
  });
  return cache.ofEach(tokenStates, { items: addresses, placeOf }, (missing) =>
    readTokens(snapshot, chain.chainId, missing),
  );
}
