// Numbers: short enough to compare at a glance, exact underneath, and each leads to the queries that give it.
import { toExactDecimal } from "../../numbers.ts";
import { USD_DECIMALS } from "../../prices/price.ts";

const SIGNIFICANT = 5;
const UNITS = [
  { digits: 15, unit: "Q" },
  { digits: 12, unit: "T" },
  { digits: 9, unit: "B" },
  { digits: 6, unit: "M" },
] as const;

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ",");

/** `1234567.891` → `1.2345M`; digits are cut off, never rounded up: no number is shown larger than it is. */
export function shortened(exact: string): string {
  const sign = exact.startsWith("-") ? "−" : "";
  const [whole = "0", fraction = ""] = exact.replace("-", "").split(".");
  if (whole.length > UNITS[0].digits + 3)
    return `${sign}${withFraction(whole.slice(0, 1), whole.slice(1))}e${whole.length - 1}`;
  const scale = UNITS.find(({ digits }) => whole.length > digits);
  if (scale) return sign + withFraction(whole.slice(0, -scale.digits), whole.slice(-scale.digits)) + scale.unit;
  if (whole !== "0") return sign + withFraction(whole, fraction);
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const digits = fraction.slice(zeros, zeros + SIGNIFICANT - 1).replace(/0+$/, "");
  if (digits === "") return "0";
  if (zeros < 5) return `${sign}0.${"0".repeat(zeros)}${digits}`;
  return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e-${zeros + 1}`;
}

function withFraction(whole: string, fraction: string): string {
  const digits = fraction.slice(0, Math.max(0, SIGNIFICANT - whole.length)).replace(/0+$/, "");
  return digits === "" ? grouped(whole) : `${grouped(whole)}.${digits}`;
}

interface ShownNumberProps {
  /** The exact decimal, as the API gives it. */
  exact: string;
  /** Put before the short form, e.g. `$`. */
  prefix?: string;
  /** Put behind it, e.g. `%`. */
  suffix?: string;
  /** The id of the {@link MadeBy} whose queries give it. */
  made?: string | undefined;
}

/** The short form, with the exact one as its value and in its title. */
export function ShownNumber({ exact, prefix = "", suffix = "", made }: ShownNumberProps) {
  const short = `${prefix}${shortened(exact)}${suffix}`;
  const number = (
    <data class="number" value={exact} title={`${prefix}${exact}${suffix}`}>
      {short}
    </data>
  );
  return made === undefined ? (
    number
  ) : (
    <a class="made-link" href={`#made-${made}`}>
      {number}
    </a>
  );
}

/** What is not known, and why. */
export function Unknown({ why }: { why: string }) {
  return (
    <span class="quiet" title={why}>
      <span aria-hidden="true">–</span>
      <span class="sr">{why}</span>
    </span>
  );
}

interface AmountProps {
  /** Raw units; undefined when unknown. */
  raw: bigint | undefined;
  decimals: number | undefined;
  made?: string | undefined;
}

/** Raw token units as whole tokens. */
export function Amount({ raw, decimals, made }: AmountProps) {
  if (raw === undefined) return <Unknown why="not known at this block" />;
  if (decimals === undefined) return <ShownNumber exact={String(raw)} suffix=" raw units" made={made} />;
  return <ShownNumber exact={toExactDecimal(raw, decimals)} made={made} />;
}

/** USD × 10^36, as questions give them. */
export function Usd({ usd, made }: { usd: bigint | undefined; made?: string | undefined }) {
  if (usd === undefined) return <Unknown why="no price at this block" />;
  return <ShownNumber exact={toExactDecimal(usd, USD_DECIMALS)} prefix="$" made={made} />;
}

const PERCENT_DIGITS = 16;

/** `part` of `whole` in percent, cut off after 16 digits; undefined where there is no whole. */
export function percentOf(part: bigint, whole: bigint | undefined): string | undefined {
  if (whole === undefined || whole <= 0n) return undefined;
  return toExactDecimal((part * 100n * 10n ** BigInt(PERCENT_DIGITS)) / whole, PERCENT_DIGITS);
}

export function Percent({ part, whole, made }: { part: bigint; whole: bigint | undefined; made?: string | undefined }) {
  const exact = percentOf(part, whole);
  const why = whole === undefined ? "of an unknown whole" : "of nothing";
  return exact === undefined ? <Unknown why={why} /> : <ShownNumber exact={exact} suffix="%" made={made} />;
}

/** A whole number with its digits grouped: counts, block numbers. */
export function Count({ count, made }: { count: number | undefined; made?: string | undefined }) {
  if (count === undefined) return <Unknown why="not known at this block" />;
  const number = <data value={String(count)}>{grouped(String(count))}</data>;
  return made === undefined ? (
    number
  ) : (
    <a class="made-link" href={`#made-${made}`}>
      {number}
    </a>
  );
}
