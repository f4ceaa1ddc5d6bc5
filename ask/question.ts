// The shape of every question of `npm run ask`: how it is asked, and its answer as lines.
import type { Given, Shape } from "./arguments.ts";
import type { Ask } from "./gateway-client.ts";

export interface Answer {
  /** The product's own answer, as it came. */
  body: string;
  lines: readonly string[];
}

export interface Question {
  shape: Shape;
  /** Below the usage line. */
  help: string;
  /** @throws UsageError, UnreachableError, RefusedError */
  answer(ask: Ask, given: Given): Promise<Answer>;
}

export interface Block {
  number: number;
  timestamp: number | null;
}

/** `block 1200, 2026-02-07 22:54:45 UTC`. */
export const blockText = ({ number, timestamp }: Block): string =>
  timestamp === null
    ? `block ${number}`
    : `block ${number}, ${new Date(timestamp * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC`;

export interface NamedToken {
  address: string;
  symbol: string | null;
}

/** The symbol, and the address where there is none. */
export const symbolOf = ({ address, symbol }: NamedToken): string => symbol || address;

/** `HONEY 0x9fe4…`, whole. */
export const tokenText = ({ address, symbol }: NamedToken): string => (symbol ? `${symbol} ${address}` : address);

/** Whole tokens where the token has decimals, else raw units, marked as such. */
export const amountText = (raw: string, decimal: string | null): string => decimal ?? `${raw} raw`;

/** Hundredths of a percent, rounded down: `4.28`, `<0.01`. */
export function percentText(part: bigint, whole: bigint): string {
  if (whole <= 0n) return "";
  const hundredths = (part * 10_000n) / whole;
  if (hundredths === 0n && part > 0n) return "<0.01";
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}
