// Numbers of vaults, each with its reason where it is not known.
import { PERCENT_DECIMALS } from "../../../core/vaults/apr.ts";
import { toExactDecimal } from "../../numbers.ts";
import { ShownNumber, Unknown, Usd } from "./shown-number.tsx";

interface Maybe {
  made?: string | undefined;
  /** Why it is not known, where it is not. */
  why: string | undefined;
}

/** USD × 10^36. */
export function VaultUsd({ usd, made, why }: Maybe & { usd: bigint | undefined }) {
  if (usd === undefined) return <Unknown why={why ?? "no price at this block"} />;
  return <Usd usd={usd} made={made} />;
}

/** Percent a year × PERCENT_SCALE. */
export function Apr({ percent, made, why }: Maybe & { percent: bigint | undefined }) {
  if (percent === undefined)
    return <Unknown why={why ?? "something is paid on a worth of zero, so there is no rate"} />;
  return <ShownNumber exact={toExactDecimal(percent, PERCENT_DECIMALS)} suffix="%" made={made} />;
}

const DIGITS = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 100 });

/** Percent a year as a double, which is an estimate. */
export function Apy({ apy, made, why }: Maybe & { apy: number | undefined }) {
  if (apy === undefined) return <Unknown why={why ?? "there were no shares a week ago"} />;
  return <ShownNumber exact={DIGITS.format(apy)} suffix="%" made={made} />;
}
