// The first half of every question about one token: which block, which token, what lies above the watermark.
import { type BlockChoice, BlockNotSyncedError } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { type Cursor, pinnedChoice, requireSameBlock } from "../cursors.ts";
import { overlayAt } from "../ledger/kept-overlays.ts";
import { awaitNextLook } from "../ledger/next-look.ts";
import { isSeenAboveWatermark, type Overlay } from "../ledger/overlay.ts";
import { type BlockPoint, fixBlock } from "../ledger/point.ts";
import { readTokens, TokenNotTrackedError, type TokenState } from "../ledger/token-state.ts";
import type { Address } from "../parameters.ts";

export interface LocatedToken {
  point: BlockPoint;
  token: TokenState;
  overlay: Overlay;
  /** Named by the chain file, but not one event of it is recorded: nobody holds anything at any block. */
  isSilent: boolean;
  /** Tells the index that was read from every other. */
  index: string;
}

/** Behind the chain by more than this, the index cannot know that a token has no events. */
const CAUGHT_UP_BLOCKS = 10;

/** @throws TokenNotTrackedError; BlockNotSyncedError when it may only be too early to tell; what fixBlock throws */
export async function locateToken(
  context: OperationContext,
  asked: { token: Address; block: BlockChoice; cursor?: Cursor | undefined },
): Promise<LocatedToken> {
  const { chain, snapshot } = context;
  await awaitNextLook(context, asked.block);
  return snapshot.withFacts(async (facts) => {
    const [point, [token]] = await Promise.all([
      fixBlock(facts, chain, pinnedChoice(asked.block, asked.cursor)),
      readTokens(facts, chain.chainId, [asked.token]),
    ]);
    requireSameBlock(asked.cursor, point);
    if (!token) throw new TokenNotTrackedError(asked.token);
    const isSeen = token.assetId !== undefined || (await isSeenAboveWatermark(facts, asked.token));
    const isDeclared = chain.tokens !== "all" && chain.tokens.some(({ address }) => address === asked.token);
    if (!isSeen && !isDeclared) {
      requireCaughtUp({ lastSynced: point.lastSynced, highestHead: facts.state.highestHead });
      throw new TokenNotTrackedError(asked.token);
    }
    const overlay = await overlayAt(facts, point, token.address);
    return { point, token, overlay, isSilent: !isSeen, index: snapshot.index };
  });
}

function requireCaughtUp({ lastSynced, highestHead }: { lastSynced: number; highestHead: number | undefined }): void {
  if (highestHead !== undefined && highestHead - lastSynced > CAUGHT_UP_BLOCKS)
    throw new BlockNotSyncedError({ requested: highestHead, lastSynced, highestHead });
}
