// What a few accounts have of a token where everything else about the block is known: one statement. What changed above
// the watermark and what stands behind contracts was worked out for an earlier request; the block's hash decides both.
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { glance } from "../ledger/glance.ts";
import { deltasOf, knownOverlay, overlayAt } from "../ledger/kept-overlays.ts";
import { keptTokens } from "../ledger/kept-token-states.ts";
import { NO_OVERLAY } from "../ledger/overlay.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { knownIssuers } from "../lookthrough/kept-issuers.ts";
import { knownLookThrough, type LookedThrough, lookThroughAll } from "../lookthrough/look-through.ts";
import type { Address } from "../parameters.ts";
import { noteNewest } from "../warm-up/asked-lately.ts";
import { type AskedHolding, holdingOf } from "./asked-holdings.ts";
import type { LocatedToken } from "./locate-token.ts";

export interface GlancedBalances {
  located: LocatedToken;
  through: LookedThrough;
  /** In the order asked. */
  held: readonly AskedHolding[];
}

interface Asked {
  token: Address;
  block: BlockChoice;
  users: readonly Address[];
  isWhole: boolean;
  /** Nothing else is asked in this request: other answers could be of another snapshot. */
  isOnly?: boolean | undefined;
}

/** More are better read as rows than as one text. */
const MOST_GLANCED = 200;

/** Undefined where that is not enough; what is wrong with a token is found out then too. */
export async function glanceBalances(context: OperationContext, asked: Asked): Promise<GlancedBalances | undefined> {
  const { token, block, users, isWhole } = asked;
  if (!asked.isOnly || users.length > MOST_GLANCED || context.snapshot.isOpen) return undefined;
  const seen = await glance(context, { token, block, accounts: users });
  if (!seen) return undefined;
  const { point, index } = seen;
  noteNewest(context, point, ["look-through", token]);
  const overlay = knownOverlay(index, point, token);
  const through = knownLookThrough({ index, point }, { token, isWhole });
  const issuers = through && knownIssuers({ index, point }, through.issuerAddresses);
  if (!overlay || !through || !issuers) return undefined;
  // whatever else is asked below this answer must be of the same block
  context.snapshot.expect({ index, point });
  const deltas = deltasOf(overlay);
  return {
    located: { point, token: seen.token, overlay, isSilent: false, index },
    through,
    held: users.map((account, i) => {
      const amount = (seen.folded[i] ?? 0n) + (deltas.get(account) ?? 0n);
      return holdingOf(account, { amount, issuers });
    }),
  };
}

/** Makes {@link glanceBalances} enough for questions about `tokens` at the block. */
export async function warmHoldings(
  context: OperationContext,
  point: BlockPoint,
  tokens: readonly Address[],
): Promise<void> {
  const { snapshot } = context;
  const states = await keptTokens(context, point, tokens);
  const overlays = await snapshot.withFacts((facts) =>
    Promise.all(states.map(({ address }) => overlayAt(facts, point, address))),
  );
  const { block, watermark } = point;
  const held = states.map(({ address: token, assetId }, i) => {
    const place = { fold: snapshot.schemas.fold, assetId, block, watermark };
    return { token, point, place, overlay: overlays[i] ?? NO_OVERLAY };
  });
  await lookThroughAll(context, held);
}
