// What every provider of swaps is to the aggregator. A provider is one folder in providers/ and one line in registry.ts.
import type { Hex } from "viem";
import type { Fraction } from "../../core/lookthrough/fraction.ts";
import type { TradeType } from "../../core/router/request.ts";
import type { Address } from "../parameters.ts";

export interface ProviderRequest {
  chainId: number;
  type: TradeType;
  /** The wrapped native in place of the native token, here and in `tokenOut`: the aggregator contract wraps and unwraps. */
  tokenIn: Address;
  tokenOut: Address;
  /** Raw units of `tokenIn` to sell; for exactOut of `tokenOut` to receive. */
  amount: bigint;
  gasPriceWei: bigint;
  /** The asker's tolerance. The aggregator contract enforces the limit; a provider's own may be looser, never tighter. */
  slippage: Fraction;
  /** Seconds from now for which the provider's own transaction is valid. */
  deadlineSeconds: number;
  /** Calls the provider's contract, pays the input and takes the output: the aggregator contract. */
  taker: Address;
  /** Without it an amount is enough. */
  wantsTransaction: boolean;
}

/** What the taker sends. */
export interface ProviderTransaction {
  to: Address;
  data: Hex;
  value: bigint;
}

/** One pool on the way, as far as the provider shows it. */
export interface ProviderHop {
  /** How the provider calls the exchange. */
  exchange: string;
  pool: Address;
  tokenIn: Address;
  tokenOut: Address;
  /** Hundredths of a basis point. */
  fee: number | undefined;
}

export interface ProviderPath {
  hops: readonly ProviderHop[];
  amountIn: bigint | undefined;
  amountOut: bigint | undefined;
}

export interface ProviderAnswer {
  /** Raw units: the output expected, or for exactOut the input needed. Above zero. */
  amount: bigint;
  /** Units that the provider's transaction takes, as the provider estimates. */
  gas: bigint;
  transaction: ProviderTransaction | undefined;
  /** Empty when the provider shows no paths. */
  paths: readonly ProviderPath[];
  quoteId: string | undefined;
  /** The same with limits for less output than promised; missing where the provider's call cannot be changed. */
  expecting?(amount: bigint): ProviderAnswer;
}

/** How one provider is reached, from the environment. */
export interface ProviderAccess {
  /** Without a slash at the end. */
  url: string;
  apiKey: string | undefined;
  signal: AbortSignal;
}

interface PublicService {
  url: string;
  /** Contracts that its transactions go to; undefined where they are not known beforehand. */
  targets?: readonly Address[];
}

export interface Provider {
  /** As chain files and answers write it; matched in any case. */
  name: string;
  /** Other names that askers may use. */
  aliases: readonly string[];
  /** Its environment variables are `<prefix>_URL`, `<prefix>_API_KEY`, `<prefix>_TARGETS`. */
  prefix: string;
  needsKey: boolean;
  canExactOut: boolean;
  /** What the public service allows a key, unless the environment says otherwise. */
  requestsPerSecond: number;
  /** HTTP requests that a quote with its transaction takes; without one it is a single request. */
  requestsForTransaction: number;
  /** Where it can be reached unless the environment says otherwise, by chain id. */
  publicServices: Readonly<Record<number, PublicService>>;
  /** @throws ProviderFailure */
  quote(request: ProviderRequest, access: ProviderAccess): Promise<ProviderAnswer>;
}
