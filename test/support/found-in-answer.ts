// Whether a number of a page is what an answer of the API says: one of its numbers, or what follows from them by one of the
// rules that pages name: raw units as whole tokens, a fraction or a part of a whole in percent, an amount times a price, a sum.
import type { PageCell } from "./page-cells.ts";

/** Exact: `numerator` × 10^-`digits`. Of a double also the number itself. */
interface Exact {
  numerator: bigint;
  digits: number;
  double: number | undefined;
  /** About as much, to compare with first. */
  near: number;
}

const exactly = (numerator: bigint, digits: number, double?: number): Exact => ({
  ...{ numerator, digits, double },
  near: double ?? Number(numerator) / 10 ** digits,
});

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function exactOf(value: unknown): Exact | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  const double = typeof value === "number" ? value : undefined;
  if (!DECIMAL.test(text)) return double === undefined ? undefined : exactly(0n, 0, double);
  const [whole = "", fraction = ""] = text.split(".");
  return exactly(BigInt(whole + fraction), fraction.length, double);
}

const scaled = ({ numerator, digits }: Exact, to: number): bigint => numerator * 10n ** BigInt(to - digits);
const isEqual = (a: Exact, b: Exact): boolean => {
  const most = Math.max(a.digits, b.digits);
  return scaled(a, most) === scaled(b, most);
};

type Json = unknown;
const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every number in it, with the sums of its lists: of all entries, of those of one reason, and of any few of them. */
function numbersIn(value: Json): readonly Exact[] {
  const found = exactOf(value);
  if (found) return [found];
  if (typeof value !== "object" || value === null) return [];
  const stored = numbers.get(value);
  if (stored) return stored;
  const inside = Object.values(value).flatMap(numbersIn);
  const all = [...inside, ...(Array.isArray(value) ? sumsOf(value) : leftBy(value as Record<string, Json>))];
  numbers.set(value, all);
  return all;
}

/** Answers are asked for once, and searched for many numbers. */
const numbers = new WeakMap<object, readonly Exact[]>();

const AMOUNTS = ["amount", "amountDecimal"] as const;
/** All subsets of up to this many are tried. */
const FEW = 7;

function sum(many: readonly Exact[]): Exact {
  const digits = Math.max(0, ...many.map((one) => one.digits));
  return exactly(
    many.reduce((all, one) => all + scaled(one, digits), 0n),
    digits,
  );
}

function sumsOf(list: readonly Json[]): Exact[] {
  const entries = list.filter(isObject);
  return AMOUNTS.flatMap((name) => {
    const amounts = entries.flatMap((entry) => {
      const amount = exactOf(entry[name]);
      return amount ? [{ amount, reason: entry.reason }] : [];
    });
    if (amounts.length === 0) return [];
    const reasons = [...new Set(amounts.map(({ reason }) => reason))];
    const ofReason = (wanted: Json) => amounts.filter(({ reason }) => reason === wanted).map(({ amount }) => amount);
    const subsets = amounts.length > FEW ? 0 : 2 ** amounts.length;
    return [
      sum(amounts.map(({ amount }) => amount)),
      ...reasons.map((reason) => sum(ofReason(reason))),
      ...reasons.flatMap((reason) => tailsOf(ofReason(reason))),
      ...Array.from({ length: subsets }, (_, bits) =>
        sum(amounts.filter((_entry, i) => (bits >> i) & 1).map(({ amount }) => amount)),
      ),
    ];
  });
}

/** Of the smaller ones together, whatever the larger ones are that are shown by themselves. */
function tailsOf(many: readonly Exact[]): Exact[] {
  const digits = Math.max(0, ...many.map((one) => one.digits));
  const ordered = [...many].sort((a, b) => (scaled(a, digits) < scaled(b, digits) ? 1 : -1));
  return ordered.map((_, i) => sum(ordered.slice(i)));
}

/** What the first ones of a list leave of the amount that it belongs to: what is shown as "others". */
function leftBy(value: Record<string, Json>): Exact[] {
  const { contracts } = value;
  if (!Array.isArray(contracts)) return [];
  return AMOUNTS.flatMap((name) => {
    const whole = exactOf(value[name]);
    const parts = contracts.filter(isObject).flatMap((part) => exactOf(part[name]) ?? []);
    if (!whole || parts.length <= FEW) return [];
    return parts.map((_, i) => {
      const first = sum(parts.slice(0, i + 1));
      const digits = Math.max(whole.digits, first.digits);
      return exactly(scaled(whole, digits) - scaled(first, digits), digits);
    });
  });
}

const textsOf = (value: Json): string[] => {
  if (typeof value === "string") return [value.toLowerCase()];
  if (!isObject(value)) return [];
  // lists of others do not name the one that they belong to, except the pools that a path consists of
  const hops = Array.isArray(value.hops) ? value.hops.flatMap(textsOf) : [];
  return [...hops, ...Object.values(value).flatMap(textsOf)];
};

/** Objects of lists that one of `names` names. Times are Unix seconds there. */
function recordsNamed(value: Json, names: readonly string[]): Json[] {
  const times = names.filter((name) => !name.startsWith("0x")).map((name) => Date.parse(name) / 1_000);
  const isNamed = (one: Record<string, Json>): boolean =>
    textsOf(one).some((text) => names.includes(text)) || times.some((time) => timesOf(one).includes(time));
  const found: Json[] = [];
  const visit = (one: Json, isEntry: boolean): void => {
    if (Array.isArray(one)) for (const entry of one) visit(entry, true);
    else if (isObject(one)) {
      if (isEntry && isNamed(one)) found.push(one);
      for (const field of Object.values(one)) visit(field, isEntry && !Array.isArray(field) && isObject(field));
    }
  };
  // fields of the answer's root are entries as well: aliases are lists of questions
  if (isObject(value)) for (const field of Object.values(value)) visit(field, isObject(field));
  else visit(value, false);
  return found;
}

const timesOf = (value: Json): number[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, field]) =>
        ["timestamp", "start"].includes(name) && typeof field === "number" ? [field] : timesOf(field),
      )
    : [];

const PERCENT_DIGITS = 16;

/** In words how the cell is found in the answers; undefined: it is not there. */
export function foundInAnswers({ value, unit, row }: PageCell, answers: readonly Json[]): string | undefined {
  const wanted = exactOf(value);
  if (!wanted) return undefined;
  // a number of a row must be in what the answers say of that very row
  const records = row.length === 0 ? answers : answers.flatMap((answer) => recordsNamed(answer, row));
  const own = records.flatMap(numbersIn);
  if (own.some((one) => one.double === undefined && isEqual(one, wanted))) return "exact";
  if (own.some((one) => one.double !== undefined && (one.double === Number(value) || isEqual(one, wanted))))
    return "nearest double";
  if (own.some((one) => DECIMALS.some((digits) => isEqual(inWhole(one, digits), wanted)))) return "raw units";
  if (unit === "%" && own.some((one) => isEqual(inWhole(one, -2), wanted))) return "fraction";
  const all = answers.flatMap(numbersIn).filter(({ numerator }) => numerator > 0n);
  if (unit === "%" && own.some((part) => all.some((whole) => isPercent(wanted, part, whole)))) return "percent";
  if (unit === "$" && own.some((amount) => all.some((price) => isProduct(wanted, amount, price)))) return "product";
  return undefined;
}

/** Of the seeded chain's tokens. */
const DECIMALS = [6, 8, 18];
/** As many times smaller as 10 has zeros. */
const inWhole = ({ numerator, digits }: Exact, by: number): Exact =>
  digits + by < 0 ? exactly(numerator * 10n ** BigInt(-digits - by), 0) : exactly(numerator, digits + by);

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= Math.abs(b) * 1e-9 + 1e-15;

function isPercent(wanted: Exact, part: Exact, whole: Exact): boolean {
  if (wanted.digits > PERCENT_DIGITS) return false;
  if (!isNear((part.near / whole.near) * 100, wanted.near)) return false;
  const most = Math.max(part.digits, whole.digits);
  const cut = (scaled(part, most) * 10n ** BigInt(PERCENT_DIGITS + 2)) / scaled(whole, most);
  return cut === scaled(wanted, PERCENT_DIGITS);
}

const USD_DIGITS = 36;

function isProduct(wanted: Exact, amount: Exact, price: Exact): boolean {
  if (wanted.digits > USD_DIGITS) return false;
  if (!isNear(amount.near * price.near, wanted.near)) return false;
  const digits = amount.digits + price.digits;
  const product = amount.numerator * price.numerator;
  const cut =
    digits > USD_DIGITS ? product / 10n ** BigInt(digits - USD_DIGITS) : product * 10n ** BigInt(USD_DIGITS - digits);
  return cut === scaled(wanted, USD_DIGITS);
}
