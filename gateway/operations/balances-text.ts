// Who held how much of a token at a block, whole, as the JSON rows of the REST shape.
import type { Operation, OperationContext } from "../context.ts";
import { asOf } from "../ledger/as-of.ts";
import { jsonEntries } from "../ledger/balances-json.ts";
import { single } from "../ledger/batches.ts";
import { knownAmounts, readFew } from "../ledger/few-holders.ts";
import { accountsAt, holdersAt } from "../ledger/holdings-at.ts";
import { deltasOf, overlayAt } from "../ledger/kept-overlays.ts";
import { keptTokens } from "../ledger/kept-token-states.ts";
import { NO_OVERLAY } from "../ledger/overlay.ts";
import { plainPieces } from "../ledger/plain-entries.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { askedWithParts, withParts } from "../ledger/shared-holdings.ts";
import { requireDecimals, requireSoundLedger, type TokenState } from "../ledger/token-state.ts";
import { withChanges } from "../ledger/watermark-memory.ts";
import { entryText } from "../lookthrough/entry-text.ts";
import { fewIssuers, keepIssuers } from "../lookthrough/kept-issuers.ts";
import { type LookedThrough, lookThrough } from "../lookthrough/look-through.ts";
import { mergedEntries, writeEntries } from "../lookthrough/merged-entries.ts";
import { sharedParts, writtenOf } from "../lookthrough/shared-parts.ts";
import type { Address } from "../parameters.ts";
import { type AskedHolding, askedHoldings } from "./asked-holdings.ts";
import { type BalancesInput, placeOf } from "./balances.ts";
import { glanceBalances } from "./glanced-balances.ts";
import { isTextKept, keepText, knownText } from "./kept-texts.ts";
import { type LocatedToken, locateToken } from "./locate-token.ts";

export interface BalancesText {
  located: LocatedToken;
  /** JSON objects of the REST shape in answer order, a comma before each; fetched as they are taken. */
  pieces: AsyncIterator<Uint8Array>;
  /** All of them, joined by commas, where they are here already: `pieces` need not be taken. */
  whole?: string;
  /** Contracts whose holding of the token cannot be told apart. */
  incomplete: readonly Address[];
}

const NOBODY = `0x${"0".repeat(40)}`;

/** About a third of a megabyte. */
const ENTRIES_PER_PIECE = 2_000;

/**
 * The answer of {@link balancesPage} whole, in human numbers, written where most of it is: by PostgreSQL, or here. The caller takes the
 * pieces before it closes the snapshot.
 * @throws what balancesPage throws; MetadataPendingError
 */
export const balancesText: Operation<BalancesInput, BalancesText> = {
  name: "balances",
  async run(input, context) {
    const known = await (input.users ? glancedText(context, input) : knownAnswer(context, input));
    if (known) return known;
    const written = await write(context, await locateToken(context, input), input.users);
    if (input.users) return written;
    const { located, incomplete } = written;
    const kept = await keepText(context, written);
    return "text" in kept ? { located, incomplete, ...whole(kept.text) } : { located, incomplete, ...kept };
  },
};

/** Makes short answers about all holders of `tokens` known, at the newest block. */
export async function warmHolders(
  context: OperationContext,
  point: BlockPoint,
  tokens: readonly Address[],
): Promise<void> {
  const { snapshot } = context;
  const { index } = snapshot;
  const states = await keptTokens(context, point, tokens);
  const unwritten = states.filter((token) => isTellable(token) && !isTextKept({ index, point, token }));
  const overlays = await snapshot.withFacts((facts) =>
    Promise.all(unwritten.map(({ address }) => overlayAt(facts, point, address))),
  );
  for (const [i, token] of unwritten.entries()) {
    const located = { point, token, overlay: overlays[i] ?? NO_OVERLAY, isSilent: false, index };
    if (located.overlay.broken !== undefined) continue;
    await knowFew(context, located);
    const kept = await keepText(context, await write(context, located));
    if ("pieces" in kept) await kept.pieces.return?.();
  }
}

/** Others are refused, or may be by the next question. */
const isTellable = ({ assetId, metadata, quarantine }: TokenState): boolean =>
  assetId !== undefined && metadata?.decimals !== undefined && quarantine === undefined;

async function knowFew(context: OperationContext, { token, point, index }: LocatedToken): Promise<void> {
  const { assetId, address } = token;
  const { live } = context.snapshot.state;
  if (assetId === undefined || !live) return;
  const asked = { index, token: address, assetId, folded: Math.min(point.block, point.watermark) };
  if (!knownAmounts(asked)) await readFew(context, { ...asked, live });
}

async function knownAnswer(context: OperationContext, input: BalancesInput): Promise<BalancesText | undefined> {
  const known = await knownText(context, input);
  return known && { located: known.located, incomplete: known.incomplete, ...whole(known.text) };
}

const whole = (text: string) => ({ whole: text, pieces: single(Buffer.from(text === "" ? "" : `,${text}`)) });

/** All that hold some, or those of `users`. */
async function write(
  context: OperationContext,
  located: LocatedToken,
  users?: BalancesInput["users"],
): Promise<BalancesText> {
  requireSoundLedger(located.token, located.overlay.broken);
  const decimals = located.isSilent ? 0 : requireDecimals(located.token);
  const place = placeOf(located, context);
  const { overlay, point } = located;
  const through = await lookThrough(
    context,
    { token: located.token.address, point, place, overlay },
    { isWhole: false },
  );
  const { issuerAddresses, incomplete } = through;
  const { cache } = context.snapshot;
  const written = { token: located.token.address, point, through, decimals };
  const few = users ? undefined : await fewWallets(context, located, issuerAddresses);
  if (few) {
    const parts = sharedParts(cache, written);
    return { located, incomplete, pieces: writeEntries(few, { parts, decimals }) };
  }
  const held = users && (await askedHoldings(context, { located, place, through }, users));
  if (held) return { located, incomplete, ...whole(textOf(held, through, decimals)) };
  const shared = { issuerAddresses, parts: sharedParts(cache, written, users && new Set(users)) };
  if (!users && shared.parts.length > 0) {
    const merged = await mergedEntries(asOf(context.snapshot, point), {
      ...shared,
      plain: holdersAt(place, overlay),
      decimals,
    });
    if (merged) return { located, pieces: merged, incomplete };
  }
  const statement = users
    ? askedWithParts(accountsAt(place, overlay, users), shared)
    : withParts(holdersAt(place, overlay), shared);
  if (users) await keepIssuers(context.snapshot, asOf(context.snapshot, point), issuerAddresses);
  const shape = { order: users ? "place" : "amount desc, account", decimals };
  if (shared.parts.length === 0)
    return { located, pieces: plainPieces(context.snapshot, statement, shape), incomplete };
  const { text, parameters } = statement;
  const pieces = context.snapshot.pieces(jsonEntries(text, shape), parameters, {
    rows: ENTRIES_PER_PIECE,
    separator: ",",
  });
  return { located, pieces, incomplete };
}

/** What all accounts that are no issuers hold themselves, where that is in memory. */
async function fewWallets(
  context: OperationContext,
  { token, point, overlay, index }: LocatedToken,
  issuerAddresses: string | undefined,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  const { assetId, address } = token;
  const folded = Math.min(point.block, point.watermark);
  const known = assetId === undefined ? undefined : knownAmounts({ index, token: address, assetId, folded });
  const issuers = known && (await fewIssuers(context.snapshot, asOf(context.snapshot, point), issuerAddresses));
  if (!known || !issuers) return undefined;
  const wallets = new Map(withChanges(known, deltasOf(overlay)));
  for (const account of [NOBODY, ...issuers]) wallets.delete(account);
  return wallets;
}

/** Written here, if one statement is enough. */
async function glancedText(context: OperationContext, input: BalancesInput): Promise<BalancesText | undefined> {
  const { users } = input;
  const glanced = users && (await glanceBalances(context, { ...input, users, isWhole: false }));
  if (!glanced) return undefined;
  const { located, through, held } = glanced;
  requireSoundLedger(located.token, located.overlay.broken);
  const decimals = requireDecimals(located.token);
  return { located, incomplete: through.incomplete, ...whole(textOf(held, through, decimals)) };
}

function textOf(held: readonly AskedHolding[], { parts, heldAs }: LookedThrough, decimals: number): string {
  const texts = held.map(({ account, own }) => {
    const through = parts.get(account);
    const part = through && writtenOf(account, through, { heldAs, decimals });
    return entryText(account, { own, part }, decimals);
  });
  return texts.join(",");
}
