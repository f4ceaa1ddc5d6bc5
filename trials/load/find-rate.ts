// Finds the highest rate that the product bears: doubles it until it does not, then halves the interval.

/** Rates closer together than this ratio count as the same. */
const CLOSE = 1.06;

/**
 * Tries rates from `first` on: upwards while they are borne, otherwise downwards. Resolves to the highest one that was borne;
 * 0 when none down to `least` was.
 */
export async function findRate(
  tryRate: (rate: number) => Promise<boolean>,
  { first, least = 1 }: { first: number; least?: number },
): Promise<number> {
  let borne = 0;
  let tooMuch = Number.POSITIVE_INFINITY;
  let rate = first;
  while (rate >= least && tooMuch / Math.max(borne, least / CLOSE) > CLOSE) {
    if (await tryRate(rate)) borne = rate;
    else tooMuch = rate;
    if (tooMuch === Number.POSITIVE_INFINITY) rate = borne * 2;
    else rate = Math.round(borne === 0 ? tooMuch / 2 : Math.sqrt(borne * tooMuch));
    if (rate === borne || rate === tooMuch) break;
  }
  return borne;
}
