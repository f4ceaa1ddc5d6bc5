// Texts for the parameters that a document describes: right ones, those at the edge of what is allowed, and nonsense.
import fc, { type GeneratorValue } from "fast-check";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { Parameter, Schema } from "../../gateway/rest/openapi/view.ts";
import type { SampleValues } from "./sample-values.ts";

/** Draws values of arbitraries: one drawing, one random case. */
export type Draw = GeneratorValue;

/** From 0 to `most`, both included. */
export const upTo = (draw: Draw, most: number): number => draw(fc.nat, { max: Math.max(most, 0) });
export const isDrawn = (draw: Draw, percent: number): boolean => upTo(draw, 99) < percent;

/** @throws Error for an empty list */
export function pick<T>(draw: Draw, items: readonly T[]): T {
  if (items.length === 0) throw new Error("there is nothing to pick from");
  return items[upTo(draw, items.length - 1)] as T;
}

export const nonsense: readonly string[] = [
  ...[
    "",
    " ",
    "null",
    "undefined",
    "NaN",
    "true",
    "[]",
    "{}",
    "-1",
    "-0",
    "+5",
    " 5",
    "5 ",
    "1e3",
    "1.5",
    "0x",
    "0x12",
  ],
  ...["\0", "a\0b", "%", "%00", "\r\n", "'; drop table token; --", "\\", "\u{1D4B3}", "١٢٣", "１２", "\u202e", "🦆"],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "latest",
    "Infinity",
    "9".repeat(79),
    "x".repeat(5_000),
    ",",
    "a,,b",
    "../..",
  ],
];

const randomAddress = (draw: Draw): string =>
  `0x${Array.from({ length: 40 }, () => upTo(draw, 15).toString(16)).join("")}`;

const AMONG: readonly (readonly [RegExp, (samples: SampleValues) => readonly string[]])[] = [
  [/^(?:account|accounts|user|users|recipient|owner|sender|receiver|from|to)$/i, ({ accounts }) => accounts],
  [/^(?:pool|market)$/i, ({ pools }) => pools],
  [/^(?:id|vault|island)$/i, ({ vaults }) => vaults],
  [/^launch$/, ({ launches }) => launches],
  [/^traded$/i, ({ traded }) => traded],
  [/^(?:address|addresses)$/i, ({ tokens, launches, pools }) => [...tokens, ...launches, ...pools]],
  [/./, ({ tokens }) => tokens],
];

export function addressFor(draw: Draw, name: string, samples: SampleValues): string {
  const [, among] = AMONG.find(([pattern]) => pattern.test(name)) ?? [/./, () => samples.tokens];
  const pool = isDrawn(draw, 85) ? among(samples) : [...samples.tokens, ...samples.accounts, ...samples.pools];
  if (pool.length === 0 || isDrawn(draw, 5)) return pick(draw, [ZERO_ADDRESS, randomAddress(draw)]);
  const address = pick(draw, pool);
  return isDrawn(draw, 10) ? `0x${address.slice(2).toUpperCase()}` : address;
}

export function blockFor(draw: Draw, { firstBlock, lastBlock }: SampleValues): number {
  if (isDrawn(draw, 80)) return firstBlock + upTo(draw, lastBlock - firstBlock);
  return pick(
    draw,
    [0, 1, firstBlock - 1, firstBlock, lastBlock, lastBlock + 1, lastBlock + 5, 99_999_999_999].map(Math.abs),
  );
}

export function timeFor(draw: Draw, { lastTimestamp }: SampleValues): number {
  if (isDrawn(draw, 80)) return lastTimestamp - upTo(draw, 30 * 86_400);
  return pick(draw, [0, 1, lastTimestamp, lastTimestamp + 1, 4_000_000_000, 999_999_999_999]);
}

export function amountFor(draw: Draw): string {
  if (isDrawn(draw, 85)) return `${1 + upTo(draw, 9_999)}${"0".repeat(upTo(draw, isDrawn(draw, 80) ? 15 : 22))}`;
  return pick(draw, ["0", "1", `${2n ** 256n - 1n}`, `${2n ** 256n}`, "9".repeat(78)]);
}

function digitsFor(draw: Draw, name: string, samples: SampleValues): string {
  if (/chainId/i.test(name))
    return isDrawn(draw, 98) ? String(samples.chainId) : pick(draw, ["0", "1", "999999999999999"]);
  if (/timestamp/i.test(name)) return String(timeFor(draw, samples));
  if (/block/i.test(name)) return String(blockFor(draw, samples));
  return amountFor(draw);
}

function integerFor(draw: Draw, { minimum = 0, maximum = 1_000 }: Schema): string {
  if (isDrawn(draw, 90)) return String(minimum + upTo(draw, Math.min(maximum - minimum, 30)));
  return String(pick(draw, [minimum, maximum, minimum - 1, maximum + 1]));
}

const PROVIDERS = ["kodiak", "OpenOcean", "fly", "enso", "kyber", "OogaBooga", "nobody"];
const WORDS = ["honey", "usd", "a", "BERA", "island", "%", "_", "'", "kodiak", "openocean", "fly", "none"];

const DECIMALS = ["0", "0.5", "1", "50", "49.999999", "0.000000000000000001"];

/** Where a symbol may stand, too. */
const tokenFor = (draw: Draw, name: string, samples: SampleValues): string =>
  isDrawn(draw, 85)
    ? addressFor(draw, name === "addresses" ? "token" : "traded", samples)
    : pick(draw, [samples.nativeSymbol, "ETH", "eth", ZERO_ADDRESS, "0x"]);

/** Mostly within the schema, and mostly about something that exists. */
export function textFor(
  draw: Draw,
  { name, schema }: Pick<Parameter, "name" | "schema">,
  samples: SampleValues,
): string {
  const { items, pattern = "" } = schema;
  if (items) {
    const length = isDrawn(draw, 95) ? 1 + upTo(draw, 4) : upTo(draw, 300);
    return Array.from({ length }, () => textFor(draw, { name, schema: items }, samples)).join(",");
  }
  if (schema.enum) return String(pick(draw, schema.enum));
  if (schema.type === "integer") return integerFor(draw, schema);
  if (pattern.startsWith("^0x")) return addressFor(draw, name, samples);
  if (pattern.includes("\\.")) return pick(draw, isDrawn(draw, 85) ? DECIMALS : ["50.1", "99"]);
  if (pattern.startsWith("^\\d")) return digitsFor(draw, name, samples);
  if (/^(?:tokenInAddress|tokenOutAddress|addresses)$/.test(name)) return tokenFor(draw, name, samples);
  return pick(draw, name === "providers" ? PROVIDERS : WORDS);
}

/** Whether `text` is what the schema says; enums in upper or lower case. */
export function fits(schema: Schema, text: string): boolean {
  if (schema.items)
    return listFits(
      schema,
      text.split(",").map((item) => item.trim()),
    );
  if (schema.enum) return schema.enum.some((one) => String(one).toLowerCase() === text.toLowerCase());
  if (schema.type === "integer")
    return /^-?\d{1,15}$/.test(text) && isWithin(Number(text), schema.minimum, schema.maximum);
  if (schema.pattern && !new RegExp(schema.pattern).test(text)) return false;
  return isWithin(text.length, schema.minLength, schema.maxLength);
}

const listFits = ({ items = {}, minItems, maxItems }: Schema, list: readonly string[]): boolean =>
  isWithin(list.length, minItems, maxItems) && list.every((item) => fits(items, item));

const isWithin = (value: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean =>
  value >= least && value <= most;
