// Who held how much of a token at a block, whole, as the JSON rows of the REST shape.
import type { Operation, OperationContext } from "../context.ts";
import { asOf } from "../ledger/as-of.ts";
import { jsonEntries } from "../ledger/balances-json.ts";
import { single } from "../ledger/batches.ts";
import { accountsAt, holdersAt } from "../ledger/holdings-at.ts";
import { keptTokens } from "../ledger/kept-token-states.ts";
import { plainPieces } from "../ledger/plain-entries.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { askedWithParts, withParts } from "../ledger/shared-holdings.ts";
import { requireDecimals, requireSoundLedger } from "../ledger/token-state.ts";
import { entryText } from "../lookthrough/entry-text.ts";
import { keepIssuers } from "../lookthrough/kept-issuers.ts";
import { type LookedThrough, lookThrough } from "../lookthrough/look-through.ts";
import { mergedEntries } from "../lookthrough/merged-entries.ts";
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
    const written = await write(context, input);
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
  const { index } = context.snapshot;
  const states = await keptTokens(context, point, tokens);
  for (const token of states.filter((state) => !isTextKept({ index, point, token: state }))) {
    const kept = await keepText(context, await write(context, { token: token.address, block: { kind: "latest" } }));
    if ("pieces" in kept) await kept.pieces.return?.();
  }
}

async function knownAnswer(context: OperationContext, input: BalancesInput): Promise<BalancesText | undefined> {
  const known = await knownText(context, input);
  return known && { located: known.located, incomplete: known.incomplete, ...whole(known.text) };
}

const whole = (text: string) => ({ whole: text, pieces: single(Buffer.from(text === "" ? "" : `,${text}`)) });

async function write(context: OperationContext, input: BalancesInput): Promise<BalancesText> {
  const located = await locateToken(context, input);
  requireSoundLedger(located.token, located.overlay.broken);
  const decimals = located.isSilent ? 0 : requireDecimals(located.token);
  const place = placeOf(located, context);
  const { overlay, point } = located;
  const through = await lookThrough(context, { token: input.token, point, place, overlay }, { isWhole: false });
  const { issuerAddresses, incomplete } = through;
  const held = input.users && (await askedHoldings(context, { located, place, through }, input.users));
  if (held) return { located, incomplete, ...whole(textOf(held, through, decimals)) };
  const shared = { issuerAddresses, parts: sharedParts(through, decimals, input.users && new Set(input.users)) };
  if (!input.users && shared.parts.length > 0) {
    const merged = await mergedEntries(asOf(context.snapshot, point), {
      ...shared,
      plain: holdersAt(place, overlay),
      decimals,
    });
    if (merged) return { located, pieces: merged, incomplete };
  }
  const statement = input.users
    ? askedWithParts(accountsAt(place, overlay, input.users), shared)
    : withParts(holdersAt(place, overlay), shared);
  if (input.users) await keepIssuers(context.snapshot, asOf(context.snapshot, point), issuerAddresses);
  const shape = { order: input.users ? "place" : "amount desc, account", decimals };
  if (shared.parts.length === 0)
    return { located, pieces: plainPieces(context.snapshot, statement, shape), incomplete };
  const { text, parameters } = statement;
  const pieces = context.snapshot.pieces(jsonEntries(text, shape), parameters, {
    rows: ENTRIES_PER_PIECE,
    separator: ",",
  });
  return { located, pieces, incomplete };
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
