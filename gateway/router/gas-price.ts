// What gas costs in the token of a quote, and in USD.
import { findRoute } from "../../core/router/find-route.ts";
import type { GasCharge } from "../../core/router/gas.ts";
import { byReserves } from "../../core/router/pool.ts";
import { quotePath } from "../../core/router/quote-path.ts";
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import { type TokenPrice, usdValue } from "../prices/price.ts";
import { type RouterPlace, sharedAt } from "./place.ts";
import { settledPrices } from "./settled-prices.ts";

const NATIVE_DECIMALS = 18;
/** Units for an ordinary swap. */
export const USUAL_GAS = 300_000n;

/** The quote's token; without decimals it has no price of a smallest unit. */
interface GasToken {
  address: Address;
  decimals: number | undefined;
}

type PerUnit = GasCharge["quotePerUnit"];

export interface GasCost {
  /** Raw units of the quote's token for one unit of gas; undefined when unknown. */
  perUnit: PerUnit | undefined;
  /** USD × 10^36 of `gasUnits`, rounded down; undefined where the native coin has no price. */
  usdOf(gasUnits: bigint): bigint | undefined;
}

/** By the prices of both tokens; where one is missing, by what the pools pay for the gas of an ordinary swap. */
export const gasCostIn = (context: OperationContext, place: RouterPlace, token: GasToken): Promise<GasCost> =>
  sharedAt(place, `gas ${token.address} ${token.decimals}`, () => readGasCost(context, place, token));

async function readGasCost(context: OperationContext, place: RouterPlace, token: GasToken): Promise<GasCost> {
  const native = context.chain.wrappedNative.address;
  const prices = await settledPrices(context, place, [native, token.address]);
  const nativePrice = prices.get(native);
  const usdOf = (gasUnits: bigint) =>
    nativePrice && usdValue(nativePrice, gasUnits * place.gasPriceWei, NATIVE_DECIMALS);
  return { perUnit: perUnitOf(place, { native, token, nativePrice, tokenPrice: prices.get(token.address) }), usdOf };
}

interface Priced {
  native: Address;
  token: GasToken;
  nativePrice: TokenPrice | undefined;
  tokenPrice: TokenPrice | undefined;
}

function perUnitOf(place: RouterPlace, { native, token, nativePrice, tokenPrice }: Priced): PerUnit | undefined {
  const { gasPriceWei } = place;
  if (token.address === native) return { numerator: gasPriceWei, denominator: 1n };
  if (!nativePrice || !tokenPrice || token.decimals === undefined) return swappedPerUnit(place, native, token.address);
  return {
    numerator: gasPriceWei * nativePrice.usd * 10n ** BigInt(token.decimals),
    denominator: tokenPrice.usd * 10n ** BigInt(NATIVE_DECIMALS),
  };
}

function swappedPerUnit({ state, gasPriceWei }: RouterPlace, native: Address, token: Address): PerUnit | undefined {
  const amount = gasPriceWei * USUAL_GAS;
  if (amount === 0n) return { numerator: 0n, denominator: 1n };
  let best = 0n;
  for (const { graph } of state.networks) {
    const request = { tokenIn: native, tokenOut: token, amount, type: "exactIn", maxLegs: 1 } as const;
    const path = findRoute(graph, request)?.bestPath.map((step) => ({ ...step, pool: byReserves(step.pool) }));
    // at the pools' prices: surplus tokens in a pair do not change what gas is worth
    const output = (path && quotePath(path, amount, "exactIn")?.amountOut) ?? 0n;
    if (output > best) best = output;
  }
  return best > 0n ? { numerator: best, denominator: USUAL_GAS } : undefined;
}
