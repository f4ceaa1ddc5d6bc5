// The fields that providers' answers are made of, each in all the ways that providers write it. Numbers arrive as text:
// see exact-json.ts.
import { type Hex, maxUint256 } from "viem";
import { z } from "zod";
import type { Address } from "../parameters.ts";

/** Calldata of the longest routes is some 30 kB. */
const MOST_CALLDATA_DIGITS = 400_000;

/** A whole number from digits, a decimal with nothing behind its point, or scientific notation; undefined when it is none. */
export function wholeNumber(text: string): bigint | undefined {
  const parts = /^(\d{1,100})(?:\.(\d{1,100}))?(?:[eE]\+?(\d{1,3}))?$/.exec(text.trim());
  if (!parts) return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  const digits = fraction.replace(/0+$/, "");
  const zeros = Number(exponent) - digits.length;
  if (zeros < 0 || zeros > 100) return undefined;
  const value = BigInt(whole + digits) * 10n ** BigInt(zeros);
  return value <= maxUint256 ? value : undefined;
}

/** Raw units, zero included. */
export const amount = z.string("is no amount").transform((text, context) => {
  const value = wholeNumber(text);
  if (value !== undefined) return value;
  context.addIssue({ code: "custom", message: "is no whole amount" });
  return z.NEVER;
});

/** Raw units above zero: nothing is ever sold for nothing. */
export const positiveAmount = amount.refine((value) => value > 0n, "is zero");

/** A number, its digits, or hex; `0x` is zero. */
const quantity = z.string("is no quantity").transform((text, context) => {
  const value = /^0x[0-9a-fA-F]{0,64}$/.test(text) ? BigInt(`0x0${text.slice(2)}`) : wholeNumber(text);
  if (value !== undefined) return value;
  context.addIssue({ code: "custom", message: "is no quantity" });
  return z.NEVER;
});

/** Units that the service estimates; 0 where it gives none that can be read: no reason to do without its quote. */
export const gasUnits = quantity.catch(0n);

/** Wei that a transaction sends along; none where the service does not say it. */
export const sentWei = quantity.nullish().transform((value) => value ?? 0n);

export const address = z
  .string("is no address")
  .regex(/^0x[0-9a-fA-F]{40}$/, "is no address")
  .transform((value) => value.toLowerCase() as Address);

/** A token that the answer names beside what it says; undefined where it does not. */
export const namedToken = address.optional().catch(undefined);

/** At least a selector. */
export const calldata = z
  .string("is no calldata")
  .max(MOST_CALLDATA_DIGITS, "is too long for calldata")
  .regex(/^0x(?:[0-9a-fA-F]{2}){4,}$/, "is no calldata")
  .transform((value) => value.toLowerCase() as Hex);

/** A short text, cut rather than refused. */
export const label = z.string().transform((text) => text.replaceAll(/[^\w .:+-]/g, "").slice(0, 60));
