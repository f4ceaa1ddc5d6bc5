// Compares quotes of one block with the contracts of that block: paths with the quoters, whole routes by carrying them out on a copy.
import type { Address } from "viem";
import { byReserves, isUnsynced, tokenOutOf } from "../../core/router/pool.ts";
import { quotePath } from "../../core/router/quote-path.ts";
import type { Leg } from "../../core/router/route.ts";
import type { RouterQuote } from "../../gateway/router/quote.ts";
import { type ChainCopy, RefusedError } from "../exit/chain-copy.ts";
import { type Market, type Random, randomPath } from "./questions.ts";
import { askQuoters, type PathQuestion, type QuotingChain, quoterCall } from "./quoters.ts";
import type { QuotesReport } from "./quotes-report.ts";
import { requotedOutput } from "./requote.ts";
import { carryOut, type Outcome } from "./swap-trial.ts";

export interface NodePlace {
  chain: QuotingChain;
  rpcUrl: string;
  block: number;
}

/** A question to a quoter and what the product says: the other amount, undefined when it gives no answer. */
interface Claim {
  question: PathQuestion;
  answer: bigint | undefined;
  what: string;
}

/** `count` random paths of the state, as the kernel quotes them by the reserves, which are all that quoters know. */
export async function comparePaths(
  place: NodePlace,
  { state, random, count }: { state: Market; random: Random; count: number },
  report: QuotesReport,
): Promise<void> {
  const claims = Array.from({ length: count }).flatMap((): Claim[] => {
    const question = randomPath(random, state, place.chain);
    if (!question) return [];
    const { amount, type } = question;
    const path = question.path.map((step) => ({ ...step, pool: byReserves(step.pool) }));
    const quoted = quotePath(path, amount, type);
    const what = `path of ${path.length} ${path.map(({ pool }) => pool.kind).join("+")} ${type}`;
    return [{ question, answer: type === "exactIn" ? quoted?.amountOut : quoted?.amountIn, what }];
  });
  await compareClaims(place, claims, report);
}

type QuotedRoute = Pick<RouterQuote, "legs" | "amount" | "quote" | "type">;

/** Routes of one leg, of which a quoter can say the same as of a path. */
export async function compareSingleLegs(
  place: NodePlace,
  { state, quotes }: { state: Market; quotes: readonly QuotedRoute[] },
  report: QuotesReport,
): Promise<void> {
  const claims = quotes.flatMap(({ legs, amount, quote, type }): Claim[] => {
    const [leg] = legs;
    if (!leg || legs.length > 1) return [];
    if (type === "exactIn" && leg.hops.some(({ pool }) => isUnsynced(pool))) {
      report.passOver("quoters do not count the tokens that lie in a pair");
      return [];
    }
    const path = leg.hops.map(({ pool, tokenIn }) => ({ pool, tokenIn }));
    const question = { path, amount, type, factory: factoryOf(leg, state) };
    return [{ question, answer: quote, what: `route of one leg, ${leg.protocol} ${type}` }];
  });
  await compareClaims(place, claims, report);
}

function factoryOf({ hops }: Leg, { pools }: Market): Address {
  const factories = hops.map(({ pool }) => pools.get(pool.address as Address)?.factory);
  return factories.find((factory) => factory !== undefined) ?? "0x";
}

async function compareClaims(place: NodePlace, claims: readonly Claim[], report: QuotesReport): Promise<void> {
  const { chain, rpcUrl, block } = place;
  const calls = claims.flatMap((claim) => {
    const call = quoterCall(chain, claim.question);
    return call ? [{ claim, call }] : [];
  });
  const answers = await askQuoters(
    rpcUrl,
    calls.map(({ call }) => call),
    block,
  );
  const unanswered: { claim: Claim; said: bigint }[] = [];
  for (const [i, said] of answers.entries()) {
    const { claim } = calls[i] as (typeof calls)[number];
    const isSame = typeof said === "bigint" ? said === claim.answer : claim.answer === undefined;
    if (typeof said === "bigint" && claim.answer === undefined) unanswered.push({ claim, said });
    else report.compare(claim.what, isSame, () => describe(place, claim, said));
  }
  await compareUnfilled(place, unanswered, report);
}

/** A quoter sells only as much as the pools take: then twice the input brings the same. The router gives no such quote. */
async function compareUnfilled(
  place: NodePlace,
  unanswered: readonly { claim: Claim; said: bigint }[],
  report: QuotesReport,
): Promise<void> {
  const calls = unanswered.flatMap(({ claim: { question } }) => {
    const call = quoterCall(place.chain, { ...question, amount: 2n * question.amount });
    return call ? [call] : [];
  });
  const doubled = await askQuoters(place.rpcUrl, calls, place.block);
  for (const [i, { claim, said }] of unanswered.entries()) {
    // an amount so small that nothing comes out is not a swap either
    const isUnfilled = claim.question.type === "exactIn" && (doubled[i] === said || said === 0n);
    report.compare(`${claim.what}, not filled`, isUnfilled, () => describe(place, claim, said));
  }
}

function describe({ block }: NodePlace, { question, answer }: Claim, said: unknown): string {
  const { path, amount, type } = question;
  const steps = path.map((step) => `${step.tokenIn} -[${step.pool.address}]-> ${tokenOutOf(step)}`).join(" ");
  return `block ${block}: ${type} ${amount} along ${steps}: quoted ${answer}, contract ${JSON.stringify(said, asText)}`;
}

const asText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/**
 * On exactly the state that was quoted: the swap must pay the quote, plus what the quote says lies in the router. It may pay more only
 * by what else lies there, such as native coin, which no event shows, or lies in a pair whose balance was not known: once the router
 * is cleared, it must pay exactly what the pairs' own balances give.
 */
export async function compareCarriedOut(copy: ChainCopy, quote: RouterQuote, report: QuotesReport): Promise<void> {
  const { transaction, type, amount, sweptFromRouter } = quote;
  if (!transaction) return;
  const trial = { quote, transaction };
  const outcome = await outcomeOf(copy, trial);
  const alone =
    type === "exactIn" ? { taken: amount, received: quote.quote } : { taken: quote.quote, received: amount };
  const expected = { ...alone, received: alone.received + sweptFromRouter };
  const what = `carried out: ${shapeOf(quote)} ${type}${nativeMark(quote)}`;
  const detail = () => describeQuote(copy.block, quote, { expected, outcome });
  if (isAsQuoted(quote, outcome, expected) || !isBetter(quote, outcome, expected))
    return report.compare(what, isAsQuoted(quote, outcome, expected), detail);
  const cleared = await outcomeOf(copy, { ...trial, isCleared: true });
  const requoted = await requotedOutput(copy, quote);
  const full = { ...alone, received: requoted ?? alone.received };
  const where = requoted === undefined || requoted === alone.received ? "lay in the router" : "lay in a pair, unknown";
  report.compare(`${what}, more by what ${where}`, isAsQuoted(quote, cleared, full), () =>
    describeQuote(copy.block, quote, { expected, outcome, cleared, full }),
  );
}

type TrialOutcome = Outcome | { refused: string };

/** Wrapping takes its input without a transfer to a pool. */
const isWrap = ({ legs }: RouterQuote): boolean => legs.length === 0;

const isAsQuoted = (quote: RouterQuote, outcome: TrialOutcome, { taken, received }: Outcome): boolean =>
  !("refused" in outcome) &&
  (isWrap(quote) || outcome.taken === taken) &&
  isReceived(quote, outcome.received, received);

const isBetter = (quote: RouterQuote, outcome: TrialOutcome, { taken, received }: Outcome): boolean =>
  !("refused" in outcome) && (isWrap(quote) || outcome.taken <= taken) && outcome.received >= received;

/** On a later state the swap must be refused, or pay at least the minimum for at most the maximum. */
export async function compareLate(
  copy: ChainCopy,
  { quote, bound }: { quote: RouterQuote; bound: bigint },
  report: QuotesReport,
): Promise<void> {
  const { transaction, type, amount } = quote;
  if (!transaction || quote.legs.length === 0) return;
  const outcome = await outcomeOf(copy, { quote, transaction });
  if ("refused" in outcome) {
    report.compare("carried out late: refused", true, () => "");
    return;
  }
  const isWithin = ({ taken, received }: Outcome) =>
    type === "exactIn" ? received >= bound && taken <= amount : taken <= bound && isReceived(quote, received, amount);
  // what lies in the router by now comes on top of a fixed output
  const isMore = type === "exactOut" && !isWithin(outcome) && outcome.received > amount;
  const decisive = isMore ? await outcomeOf(copy, { quote, transaction, isCleared: true }) : outcome;
  const what = `carried out late: paid within the bound${isMore ? ", more by what lay in the router" : ""}`;
  report.compare(what, !("refused" in decisive) && isWithin(decisive), () =>
    describeQuote(copy.block, quote, { bound, outcome, decisive }),
  );
}

/** For a fixed output, pairs give all that the rounded-up input buys, with what is unsynced in them: more can come out. */
export const isReceived = (
  { type, legs }: Pick<RouterQuote, "type" | "legs">,
  received: bigint,
  expected: bigint,
): boolean =>
  type === "exactOut" && legs.some(({ protocol }) => protocol === "v2") ? received >= expected : received === expected;

async function outcomeOf(copy: ChainCopy, trial: Parameters<typeof carryOut>[1]): Promise<TrialOutcome> {
  try {
    return await carryOut(copy, trial);
  } catch (error) {
    if (error instanceof RefusedError) return { refused: error.message };
    throw error;
  }
}

const describeQuote = (block: number, { type, routeText, quoteId }: RouterQuote, rest: object): string =>
  `block ${block}: ${type} ${routeText} (${quoteId}): ${JSON.stringify(rest, asText)}`;

const nativeMark = ({ tokenIn, tokenOut }: RouterQuote): string =>
  `${tokenIn.isNative ? ", native in" : ""}${tokenOut.isNative ? ", native out" : ""}`;

/** One leg, several, or several that pass one pool. */
export function shapeOf({ legs }: Pick<RouterQuote, "legs">): string {
  if (legs.length === 0) return "wrap";
  if (legs.length === 1) return `one ${legs[0]?.protocol} leg`;
  const pools = legs.flatMap(({ hops }) => hops.map(({ pool }) => pool.address));
  return new Set(pools).size < pools.length ? "shared pools" : "split";
}
