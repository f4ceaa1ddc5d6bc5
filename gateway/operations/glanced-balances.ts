// What a few accounts have of a token where everything else about the block is known: from memory where the token's holders
// are few, or by one statement. What changed above the watermark and what stands behind contracts was worked out for an earlier request; the block's hash decides both.
import { quoted } from "../../fold/tables.ts";
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { knownAmounts, noteMissed } from "../ledger/few-holders.ts";
import { type Glanced, glance, guess, indexName } from "../ledger/glance.ts";
import { deltasOf, knownOverlay, overlayAt } from "../ledger/kept-overlays.ts";
import { keptTokens, knownToken, noteToken } from "../ledger/kept-token-states.ts";
import { NO_OVERLAY } from "../ledger/overlay.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { mayRecall, recallIn, rememberPoint } from "../ledger/recall-point.ts";
import { knownIssuers } from "../lookthrough/kept-issuers.ts";
import { type LookedThrough, lookThroughAll, storedLookThrough } from "../lookthrough/look-through.ts";
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

/** The block, the token, and what each asked account has of it by the fold's tables. */
type Seen = Pick<Glanced, "point" | "token" | "index" | "folded">;

/** Undefined where that is not enough; what is wrong with a token is found out then too. */
export async function glanceBalances(context: OperationContext, asked: Asked): Promise<GlancedBalances | undefined> {
  const { token, users, isWhole } = asked;
  if (!asked.isOnly || context.snapshot.isOpen) return undefined;
  const seen = (await recallHoldings(context, asked)) ?? (await glanceHoldings(context, asked));
  if (!seen) return undefined;
  const { point, index } = seen;
  noteNewest(context, point, ["look-through", token]);
  const overlay = knownOverlay(index, point, token);
  const cache = context.service.cache.for({ index, isOpen: false });
  const through = overlay && storedLookThrough(cache, { token, point }, { isWhole });
  const issuers = through && knownIssuers(cache, { index, point }, through.issuerAddresses);
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

/** From memory alone, where the token and all its holders are there. */
async function recallHoldings(
  context: OperationContext,
  { token: address, block, users }: Asked,
): Promise<Seen | undefined> {
  if (!isLikelyKnown(context, { token: address, block })) return undefined;
  const recalled = await recallIn(context, block);
  if (!recalled) return undefined;
  const { seen, point } = recalled;
  const token = knownToken(context, { index: seen.index, ...point }, address);
  const { assetId } = token ?? {};
  if (!token || assetId === undefined) return undefined;
  const amounts = knownAmounts({
    index: seen.index,
    token: address,
    assetId,
    folded: Math.min(point.block, point.watermark),
  });
  if (!amounts) return undefined;
  const folded = users.map((account) => amounts.get(account) ?? 0n);
  return { point, index: seen.index, token: { ...token, assetId }, folded };
}

/** By what the last request saw of the index: a look is not worth its while where nothing is known. */
function isLikelyKnown(context: OperationContext, { token: address, block }: Pick<Asked, "token" | "block">): boolean {
  const { chain, service } = context;
  const standing = service.live.lastStanding(chain.chainId);
  const number = standing && guess(context, block, standing);
  if (!standing?.live || number === undefined) return false;
  const { watermark, factOid } = standing;
  const index = indexName({ chainId: chain.chainId, fold: quoted(standing.live.fold), factOid });
  const { assetId } = knownToken(context, { index, watermark }, address) ?? {};
  if (assetId === undefined || !mayRecall(index, standing, number)) return false;
  const asked = { index, token: address, assetId, folded: Math.min(number, watermark) };
  if (knownAmounts(asked)) return true;
  noteMissed(context, { ...asked, live: standing.live });
  return false;
}

async function glanceHoldings(context: OperationContext, { token, block, users }: Asked): Promise<Seen | undefined> {
  if (users.length > MOST_GLANCED) return undefined;
  const seen = await glance(context, { token, block, accounts: users });
  if (!seen) return undefined;
  rememberPoint(seen.index, seen.point);
  noteToken(context, { index: seen.index, ...seen.point }, seen.token);
  return seen;
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
