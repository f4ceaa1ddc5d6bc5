// What the product's own router says: the question without its HTTP shape, for whoever needs a quote inside.
import type { Protocol, TradeType } from "../../core/router/request.ts";
import type { Route } from "../../core/router/route.ts";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { Address } from "../parameters.ts";
import type { SwapTerms, SwapTransaction } from "./swap-transaction.ts";

export interface OwnQuoteRequest {
  /** Two different tokens; for the native coin the wrapped one. */
  tokenIn: Address;
  tokenOut: Address;
  /** Raw units: of tokenIn for `exactIn`, of tokenOut for `exactOut`. */
  amount: bigint;
  type: TradeType;
  /** All by default. */
  protocols?: readonly Protocol[];
  block: BlockChoice;
  /** Gas that is used besides the route's own, such as for wrapping. */
  extraGasUnits?: number;
}

/** A token as routes name it; what its contract does not give, or has not been read yet, is undefined. */
export interface RouteToken {
  address: Address;
  symbol: string | undefined;
  decimals: number | undefined;
}

export interface OwnQuote {
  point: BlockPoint;
  /** `quote`, `gasUnits`, `quoteGasAdjusted` and legs; a hop's `pool` is its state at the block, before the swap. */
  route: Route;
  /** Base fee of the block and the chain file's tip. */
  gasPriceWei: bigint;
  /** Raw units of tokenOut for one of tokenIn on the best single path, before the swap, fees aside. */
  midPrice: Fraction;
  /** Π(1 − fee) over the pools of the same path. */
  keptAfterFees: Fraction;
  /** Every token of the route. */
  tokens: ReadonlyMap<Address, RouteToken>;
  /** Unix seconds of the last synced block, which deadlines are counted from. */
  latestTimestamp: number;
  /** What executes exactly this route; undefined where the chain has no SwapRouter02. */
  transaction(terms: SwapTerms): SwapTransaction | undefined;
}

/**
 * The best route over our own pools at the block, by the quote less gas; undefined when there is none.
 * No node is asked: everything comes from the index.
 * @throws what fixBlock throws; UnavailableError while the pools of the block cannot be read
 */
export async function ownQuote(_context: OperationContext, request: OwnQuoteRequest): Promise<OwnQuote | undefined> {
  throw new Error(`No quotes yet of ${request.tokenIn} for ${request.tokenOut}.`);
}
