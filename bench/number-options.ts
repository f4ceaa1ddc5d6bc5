// Numbers among a benchmark's options.

/** @throws Error naming the option, unless `text` is a whole number, zero included */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${option}: "${text}" is not a whole number`);
  return Number(text);
}

/** @throws Error naming the option, unless `text` is a whole number above zero */
export function numberAboveZero(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option}: "${text}" is not a number above zero`);
  return Number(text);
}
