// The order of many numbers, without comparing them: least significant digit radix sort (Knuth, TAOCP 3, 5.2.5).

const DIGIT_BITS = 16;
const DIGITS = 1 << DIGIT_BITS;
const LAST_DIGIT = DIGITS - 1;

/** `order`, all indexes into `keys`, sorted anew: the largest key first, equal ones in the order in which they are given. */
export const largestKeyFirst = (order: Uint32Array, keys: Uint32Array): Uint32Array =>
  byDigit(byDigit(order, keys, 0), keys, DIGIT_BITS);

/** The same for `values`, of which none may be negative or NaN. */
export function largestFirst(order: Uint32Array, values: Float64Array): Uint32Array {
  // the bits of doubles that are not negative are ordered as the doubles are; the lower word comes first
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const [lower, upper] = [new Uint32Array(values.length), new Uint32Array(values.length)];
  for (let i = 0; i < values.length; i++) {
    lower[i] = words[2 * i] as number;
    upper[i] = words[2 * i + 1] as number;
  }
  return largestKeyFirst(largestKeyFirst(order, lower), upper);
}

function byDigit(order: Uint32Array, keys: Uint32Array, shift: number): Uint32Array {
  const places = new Uint32Array(DIGITS);
  for (let i = 0; i < keys.length; i++) (places[((keys[i] as number) >>> shift) & LAST_DIGIT] as number)++;
  let place = 0;
  for (let digit = LAST_DIGIT; digit >= 0; digit--) {
    const count = places[digit] as number;
    places[digit] = place;
    place += count;
  }
  const sorted = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const index = order[i] as number;
    sorted[(places[((keys[index] as number) >>> shift) & LAST_DIGIT] as number)++] = index;
  }
  return sorted;
}
