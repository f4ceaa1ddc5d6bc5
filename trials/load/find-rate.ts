// The highest rate that is borne: doubled until it is not, then halved in between.

/** Rates closer together than this are the same. */
const CLOSE = 1.06;

/**
 * Tries rates from `first` on, upwards while they are borne, downwards else. Resolves to the highest one that was borne;
 * 0 when none of `least` or more was.
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
