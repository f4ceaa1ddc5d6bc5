// Which offer is taken when the best ones are tried out: one that pays less than it promised is ranked by what it pays.
import { refFeeRoundingDown } from "../../core/aggregator/limits.ts";
import type { TradeType } from "../../core/router/request.ts";
import type { Outcome } from "./ask-provider.ts";
import type { Offer } from "./offers.ts";

/** What the receiver gets, or why an offer cannot be taken; undefined where nobody could try it out. */
export type Trial = { paid: bigint } | { reason: string } | undefined;

export interface Tried {
  /** Those that were tried out with what they pay. */
  offers: readonly Offer[];
  outcomes: readonly Outcome[];
  winner: Offer | undefined;
}

interface Rules {
  type: TradeType;
  ownName: string;
  referrerFeeBps: number;
  tryOut(offer: Offer): Promise<Trial>;
  best(among: readonly Offer[]): Offer | undefined;
}

/** Each try costs a call of the node. */
const MOST_TRIES = 3;

export async function tryInTurn(gathered: Omit<Tried, "winner">, rules: Rules): Promise<Tried> {
  const { ownName, tryOut, best } = rules;
  const paying = new Set<string>();
  let { offers, outcomes } = gathered;
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const first = best(offers);
    if (!first || paying.has(first.name)) break;
    // the last try is our own router's where others pay less than they promised: nothing that is known to be worse is answered
    const own = offers.find(({ name }) => name === ownName && !paying.has(name));
    const next = attempt === MOST_TRIES && paying.size > 0 && own ? own : first;
    const trial = await tryOut(next);
    if (!trial) break;
    if ("paid" in trial) {
      paying.add(next.name);
      const amount = paidBeforeFee(next, trial.paid, rules);
      offers = offers.map((offer) => (offer === next ? expecting(offer, amount) : offer));
    } else ({ offers, outcomes } = without({ offers, outcomes }, next.name, `tried out: ${trial.reason}`));
  }
  // offers that are known to pay come before untried ones; our own router's counts among them without a trial
  const known = offers.filter(({ name }) => paying.has(name) || name === ownName);
  return { offers, outcomes, winner: best(paying.size > 0 ? known : offers) };
}

/** Where it is less than promised, the limit of the provider's own call follows, if it can. */
const expecting = (offer: Offer, amount: bigint): Offer =>
  amount === offer.amount ? offer : { ...offer, amount, answer: offer.answer.expecting?.(amount) ?? offer.answer };

/** Never more than was promised: what lies above it is a surplus. A fixed output is paid whole. */
function paidBeforeFee({ amount }: Offer, paid: bigint, { type, referrerFeeBps }: Rules): bigint {
  const whole = paid + refFeeRoundingDown(amount, referrerFeeBps);
  return type === "exactOut" || whole > amount ? amount : whole;
}

const without = (
  { offers, outcomes }: Omit<Tried, "winner">,
  name: string,
  message: string,
): Omit<Tried, "winner"> => ({
  offers: offers.filter((offer) => offer.name !== name),
  outcomes: outcomes.map((outcome) =>
    outcome.name === name ? { name, status: "error", milliseconds: outcome.milliseconds, message } : outcome,
  ),
});
