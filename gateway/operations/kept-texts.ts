// Short answers about all holders of a token, kept as they were written: the index, the block's hash and the token's
// decimals decide every byte of them.
import type { OperationContext } from "../context.ts";
import { glance } from "../ledger/glance.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import { knownToken, noteToken } from "../ledger/kept-token-states.ts";
import { NO_OVERLAY } from "../ledger/overlay.ts";
import { recallIn, rememberPoint } from "../ledger/recall-point.ts";
import { requireSoundLedger } from "../ledger/token-state.ts";
import type { Address } from "../parameters.ts";
import { noteNewest } from "../warm-up/asked-lately.ts";
import type { BalancesInput } from "./balances.ts";
import type { LocatedToken } from "./locate-token.ts";

export interface WrittenAnswer {
  text: string;
  incomplete: readonly Address[];
}

/** Longer ones are written anew: what they cost is the writing of them, whoever does it. */
const LONGEST_KEPT = 64 * 1024;

const kept = keepAnswers<WrittenAnswer>({ most: 16 * 1024 * 1024, weigh: ({ text }) => 200 + text.length });

const aboutOf = ({ address, metadata }: LocatedToken["token"]): string => `${address} ${metadata?.decimals}`;

/** The whole answer about all holders, if it is known already; with one statement, and no transaction. */
export async function knownText(
  context: OperationContext,
  { token: asked, block, isOnly }: BalancesInput,
): Promise<(WrittenAnswer & { located: LocatedToken }) | undefined> {
  if (!isOnly || context.snapshot.isOpen) return undefined;
  const seen = (await recallToken(context, asked, block)) ?? (await glanceToken(context, asked, block));
  if (!seen) return undefined;
  const { point, index, token } = seen;
  noteNewest(context, point, ["look-through", asked]);
  const known = kept.known({ index, point, about: aboutOf(token) });
  if (!known) return undefined;
  // a token that breaks above the watermark has no answer that could have been kept
  requireSoundLedger(token, undefined);
  noteNewest(context, point, ["holders", asked]);
  return { ...known, located: { point, token, overlay: NO_OVERLAY, isSilent: false, index } };
}

/** The block and the token, if both are known. */
async function recallToken(context: OperationContext, address: Address, block: BalancesInput["block"]) {
  const recalled = await recallIn(context, block);
  const token = recalled && knownToken(context, { index: recalled.seen.index, ...recalled.point }, address);
  return token && { point: recalled.point, index: recalled.seen.index, token };
}

async function glanceToken(context: OperationContext, token: Address, block: BalancesInput["block"]) {
  const seen = await glance(context, { token, block, accounts: [] });
  if (!seen) return undefined;
  rememberPoint(seen.index, seen.point);
  noteToken(context, { index: seen.index, ...seen.point }, seen.token);
  return seen;
}

/** Whether it is. */
export const isTextKept = ({ index, point, token }: Pick<LocatedToken, "index" | "point" | "token">): boolean =>
  kept.known({ index, point, about: aboutOf(token) }) !== undefined;

interface Writing {
  located: LocatedToken;
  pieces: AsyncIterator<Uint8Array>;
  incomplete: readonly Address[];
}

/** The same pieces; or, where they are few, all of them as `text`, which is kept. Each begins with a comma. */
export async function keepText(
  context: OperationContext,
  { located, pieces, incomplete }: Writing,
): Promise<{ pieces: AsyncIterator<Uint8Array> } | { text: string }> {
  const first: Uint8Array[] = [];
  let length = 0;
  for (; length <= LONGEST_KEPT; ) {
    const { done, value } = await pieces.next();
    if (done) {
      const text = Buffer.concat(first).toString("latin1").slice(1);
      const { point, index, token, isSilent } = located;
      if (!isSilent) noteNewest(context, point, ["holders", token.address]);
      if (!isSilent) kept.keep({ index, point, about: aboutOf(token) }, { text, incomplete });
      return { text };
    }
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
