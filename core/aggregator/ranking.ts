// Which of several offers is the best one. Amounts are raw units of one token: the output of an exactIn swap, the input of
// an exactOut swap.
import type { Fraction } from "../lookthrough/fraction.ts";
import type { TradeType } from "../router/request.ts";

export interface OfferTerms {
  name: string;
  amount: bigint;
  /** What its gas costs in the same token; 0 when the token has no price: then all are compared gross. */
  gasCost: bigint;
  /** Above zero. */
  weight: Fraction;
  /** Lower comes first among equals. */
  priority: number;
}

/** What is received after gas, or paid with gas. May be negative when gas costs more than the swap brings. */
export const netAmount = ({ amount, gasCost }: OfferTerms, type: TradeType): bigint =>
  type === "exactIn" ? amount - gasCost : amount + gasCost;

const sign = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

/** Negative when `a` is better: net output × weight descending, net input ÷ weight ascending; then priority, then name. */
function compareOffers(a: OfferTerms, b: OfferTerms, type: TradeType): number {
  const [netA, netB] = [netAmount(a, type), netAmount(b, type)];
  const difference =
    type === "exactIn"
      ? netB * b.weight.numerator * a.weight.denominator - netA * a.weight.numerator * b.weight.denominator
      : netA * a.weight.denominator * b.weight.numerator - netB * b.weight.denominator * a.weight.numerator;
  if (difference !== 0n) return sign(difference);
  if (a.priority !== b.priority) return a.priority - b.priority;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Best first. */
export const rankOffers = <Offer extends OfferTerms>(offers: readonly Offer[], type: TradeType): Offer[] =>
  [...offers].sort((a, b) => compareOffers(a, b, type));

/** Whether taking `a` leaves the asker strictly worse off than `b`, weights aside. */
export const isWorse = (a: OfferTerms, b: OfferTerms, type: TradeType): boolean =>
  type === "exactIn" ? netAmount(a, type) < netAmount(b, type) : netAmount(a, type) > netAmount(b, type);

/**
 * The best offer, but never one that leaves the asker worse off than the offer named `ownName`, if that is among them: a
 * weight may prefer an equal offer, it may not cost anybody anything. Undefined without offers.
 */
export function chooseOffer<Offer extends OfferTerms>(
  offers: readonly Offer[],
  { type, ownName }: { type: TradeType; ownName: string },
): Offer | undefined {
  const own = offers.find(({ name }) => name === ownName);
  return rankOffers(offers, type).find((offer) => !own || !isWorse(offer, own, type));
}
