// Who held how much of a token at a block, whole, as the JSON rows of the REST shape.

import { totalOf } from "../../core/amounts.ts";
import { jsonEntries } from "../balances/balances-json.ts";
import { entryTexts } from "../balances/entry-text.ts";
import { fewIssuers } from "../balances/few-issuers.ts";
import { heldListsOf } from "../balances/held-lists.ts";
import { holdingsPoint, type LookedThrough, lookThrough } from "../balances/look-through.ts";
import { mergedEntries } from "../balances/merged-entries.ts";
import { plainPieces } from "../balances/plain-entries.ts";
import { givenWithParts, sharedParts, withParts } from "../balances/shared-holdings.ts";
import { sortedPieces } from "../balances/sorted-entries.ts";
import { shareHolders, type WalletHolding, walletHoldings } from "../balances/wallet-holdings.ts";
import { question } from "../cache/question.ts";
import type { Operation, OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import { accountsAt, holdersAt } from "../history/holdings-at.ts";
import { requireDecimals } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import type { BalancesInput } from "./balances.ts";
import { type LocatedToken, locateSoundToken } from "./locate-token.ts";

export interface BalancesText {
  located: LocatedToken;
  /** JSON objects of the REST shape in answer order, a comma before each; fetched as they are taken. */
  pieces: AsyncIterator<Uint8Array>;
  /** All of them, joined by commas, where they are here already: `pieces` need not be taken. */
  whole?: string;
  /** Contracts whose holding of the token cannot be attributed to accounts. */
  incomplete: readonly Address[];
}

/** About a third of a megabyte. */
const ENTRIES_PER_PIECE = 2_000;

interface TextInput extends BalancesInput {
  /** Called with what the entries are about, before any is read; false: no entries are wanted, and none are read. */
  isWanted?: (located: LocatedToken) => boolean;
}

/**
 * The answer of {@link balancesPage} whole, in human numbers, written where most of it is: by PostgreSQL, or here. The caller takes the
 * pieces before it closes the snapshot.
 * @throws what balancesPage throws; MetadataPendingError
 */
export const balancesText: Operation<TextInput, BalancesText> = {
  name: "balances",
  async run(input, context) {
    const located = await locateSoundToken(context, input);
    if (input.isWanted?.(located) === false) return { located, incomplete: [], ...whole("") };
    const decimals = located.isSilent ? 0 : requireDecimals(located.token);
    if (input.users) return write(context, { located, decimals }, input.users);
    const { cache } = context.snapshot;
    const { token, point } = located;
    const place = { at: point.hash, key: `${token.address} ${decimals}`, revision: context.snapshot.state.revision };
    const stored = cache.get(shortAnswers, place);
    if (stored) return { located, incomplete: stored.incomplete, ...whole(stored.text) };
    const written = await write(context, { located, decimals });
    const { incomplete } = written;
    const gathered = await gatherShort(written.pieces);
    if ("text" in gathered) cache.set(shortAnswers, place, { text: gathered.text, incomplete });
    return "text" in gathered ? { located, incomplete, ...whole(gathered.text) } : { located, incomplete, ...gathered };
  },
};

interface ShortAnswer {
  text: string;
  incomplete: readonly Address[];
}

/** Answers about all holders; longer ones are written again each time, as their cost is in the writing. */
const shortAnswers = question<ShortAnswer>("balances-text");

const whole = (text: string) => ({ whole: text, pieces: pieceOf(text) });

async function* pieceOf(text: string): AsyncGenerator<Uint8Array, undefined> {
  yield Buffer.from(text === "" ? "" : `,${text}`);
  return undefined;
}

/** All that hold some, or those of `users`. */
async function write(
  context: OperationContext,
  { located, decimals }: { located: LocatedToken; decimals: number },
  users?: BalancesInput["users"],
): Promise<BalancesText> {
  const place = holdingsPoint(located, context);
  const { point, token } = located;
  const through = await lookThrough(context, located, { isWhole: false });
  const { issuerAddresses, incomplete } = through;
  const held = users && (await walletHoldings(context, { token: token.address, point, place, through }, users));
  if (held) return { located, incomplete, ...whole(textOf(held, through, decimals)) };
  const sorted = users ? undefined : await sortHere(context, { located, place, through, decimals });
  if (sorted) return { located, pieces: sorted, incomplete };
  const parts = sharedParts({ ...through, decimals }, users && new Set(users));
  const shared = { issuerAddresses, parts };
  const statement = users ? givenWithParts(accountsAt(place, users), shared) : withParts(holdersAt(place), shared);
  await context.snapshot.open();
  const shape = { order: users ? "place" : "amount desc, account", decimals };
  if (parts.length === 0) return { located, pieces: plainPieces(context.snapshot, statement, shape), incomplete };
  const { text, parameters } = statement;
  const pieces = context.snapshot.pieces(jsonEntries(text, shape), parameters, {
    rows: ENTRIES_PER_PIECE,
    separator: ",",
  });
  return { located, pieces, incomplete };
}

interface Sorting {
  located: LocatedToken;
  place: ReturnType<typeof holdingsPoint>;
  through: LookedThrough;
  decimals: number;
}

/** All that hold some, sorted in this process. Undefined where there are too many. */
async function sortHere(
  { snapshot, service }: OperationContext,
  { located: { token, point }, place, through, decimals }: Sorting,
): Promise<AsyncIterator<Uint8Array> | undefined> {
  const read = asOf(snapshot, point);
  const at = { ...read, lists: heldListsOf(service) };
  const plain = holdersAt(place);
  const issuers = await fewIssuers(snapshot, read, through);
  const { issuerAddresses, parts, heldAs } = through;
  const merged = await mergedEntries(at, { plain, issuerAddresses, issuers, parts, heldAs, decimals });
  // otherwise PostgreSQL has left contracts out already
  if (merged && issuers) shareHolders(snapshot, { token: token.address, point }, merged.held);
  if (merged || parts.size > 0) return merged?.pieces;
  return sortedPieces(at, withParts(plain, { issuerAddresses, parts: [] }), decimals);
}

function textOf(held: readonly WalletHolding[], { parts, heldAs }: LookedThrough, decimals: number): string {
  const holdings = held.map(({ account, own }) => {
    const through = parts.get(account) ?? [];
    return { account, own, parts: through, amount: own + totalOf(through) };
  });
  return entryTexts(holdings, { heldAs, decimals }).join(",");
}

/** Bytes of a text that is gathered whole; a longer one is passed on piece by piece. */
const LONGEST_GATHERED = 64 * 1024;

/** The same pieces; or, where they are few, all of them as `text`. Each begins with a comma, which the first one loses. */
async function gatherShort(
  pieces: AsyncIterator<Uint8Array>,
): Promise<{ pieces: AsyncIterator<Uint8Array> } | { text: string }> {
  const first: Uint8Array[] = [];
  for (let length = 0; length <= LONGEST_GATHERED; ) {
    const { done, value } = await pieces.next();
    if (done) return { text: Buffer.concat(first).toString("latin1").slice(1) };
    first.push(value);
    length += value.length;
  }
  return { pieces: chained(first, pieces) };
}

async function* chained(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
  return undefined;
}
