// USD of a quote as text.
import { toExactDecimal } from "../numbers.ts";
import { USD_DECIMALS } from "../prices/price.ts";

/** As many digits as amounts of gas have. */
const SHOWN_DECIMALS = 18;

/** Decimal of USD × 10^36, rounded down to 18 digits after the point; null without a price. */
export const usdText = (usd: bigint | undefined): string | null =>
  usd === undefined ? null : toExactDecimal(usd / 10n ** BigInt(USD_DECIMALS - SHOWN_DECIMALS), SHOWN_DECIMALS);
