// The first half of every question about one token: which block, and which token.

import type { OperationContext } from "../context.ts";
import { type BlockChoice, BlockNotSyncedError } from "../history/block-choice.ts";
import { type BlockPoint, NEAR_HEAD_BLOCKS } from "../history/point.ts";
import { readTokens } from "../history/read-tokens.ts";
import { requirePast } from "../history/require-past.ts";
import { isListed, requireSoundLedger, TokenNotTrackedError, type TokenState } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type Cursor, pointOfPage, stateCounts } from "./cursors.ts";

export interface LocatedToken {
  point: BlockPoint;
  token: TokenState;
  /** Named by the chain file, but not one event of it is recorded: nobody holds anything at any block. */
  isSilent: boolean;
  /** Identifies the rows that were read, beside the block's hash: a block may come back under its hash with other facts. */
  index: string;
  /** From this block on answers are not final: some contract is not read yet. The revision identifies what they are now. */
  waiting: { from: number; revision: string } | undefined;
}

/** @throws TokenNotTrackedError; BlockNotSyncedError when it may only be too early to tell; what pointOf throws */
export async function locateToken(
  context: OperationContext,
  { token: address, block, cursor }: { token: Address; block: BlockChoice; cursor?: Cursor | undefined },
): Promise<LocatedToken> {
  const { chain, snapshot } = context;
  const point = await pointOfPage(context, { block, cursor });
  const [token] = await readTokens(context, [address]);
  if (!token) throw new TokenNotTrackedError(address);
  const isSilent = token.assetId === undefined;
  if (isSilent && !isListed(chain, address)) {
    await snapshot.open();
    // where the chain has replaced final blocks no further block comes, so waiting does not help
    if (snapshot.state.stop === undefined)
      requireCaughtUp({ lastSynced: point.lastSynced, highestHead: snapshot.state.highestHead });
    throw new TokenNotTrackedError(address);
  }
  await requirePast(snapshot, point.block);
  const { waitingFrom: from, revision } = snapshot.state;
  const waiting = from === undefined ? undefined : { from, revision };
  return { point, token, isSilent, index: `${snapshot.index} ${stateCounts(point).join(" ")}`, waiting };
}

/** A token whose balances are known. @throws TokenNotStandardError, and what locateToken throws */
export async function locateSoundToken(
  context: OperationContext,
  input: Parameters<typeof locateToken>[1],
): Promise<LocatedToken> {
  const located = await locateToken(context, input);
  requireSoundLedger(located.token, located.point);
  return located;
}

function requireCaughtUp({ lastSynced, highestHead }: { lastSynced: number; highestHead: number | undefined }): void {
  if (highestHead !== undefined && highestHead - lastSynced > NEAR_HEAD_BLOCKS)
    throw new BlockNotSyncedError({ requested: highestHead, lastSynced, highestHead });
}
