// A quote as a page shows it: at the newest block what every provider offers, at an older one what our own pools paid.
import { GatewayError } from "../errors.ts";
import { toExactDecimal } from "../numbers.ts";
import { parseInput } from "../parameters.ts";
import { USD_DECIMALS } from "../prices/price.ts";
import { quote } from "../questions/quote.ts";
import { quoteRequest, type RouterQuote, routerQuote } from "../questions/router-quote.ts";
import { tokensPage } from "../questions/tokens.ts";
import type { QuoteTerms } from "./quote-terms.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

export interface DrawnToken {
  address: string;
  symbol: string | undefined;
  decimals: number | undefined;
}

export interface DrawnHop {
  /** `v2`, `v3`, or the provider's name of the exchange. */
  kind: string;
  pool: string;
  /** In 1/1,000,000; undefined when unknown. */
  fee: number | undefined;
  tokenIn: DrawnToken;
  tokenOut: DrawnToken;
}

export interface DrawnPath {
  /** Hundredths of a percent of the amount; undefined where the provider does not say. */
  share: number | undefined;
  hops: readonly DrawnHop[];
  /** Raw units at both ends; undefined where the provider does not say. */
  amountIn: bigint | undefined;
  amountOut: bigint | undefined;
}

/** The outcome for one provider. */
export interface ProviderRow {
  name: string;
  /** As the API calls it; `newest-only` of those that cannot be asked about the past. */
  status: string;
  /** Whole tokens, exact; undefined without an answer. */
  output: string | undefined;
  gas: string | undefined;
  milliseconds: string | undefined;
  /** The provider's own words. */
  message: string | undefined;
}

export interface BestQuote {
  provider: string;
  /** Raw units. */
  quote: bigint;
  /** A decimal fraction, negative when adverse; null where no path of our own gives it. */
  priceImpact: string | null;
  gas: string;
  /** USD, decimal. */
  gasUsd: string | null;
  routeText: string;
  /** Empty where only the native coin is wrapped, or the provider does not say. */
  paths: readonly DrawnPath[];
}

export interface ShownQuote {
  at: ShownBlock;
  /** Undefined where nobody has a route. */
  best: BestQuote | undefined;
  providers: readonly ProviderRow[];
  /** Why there is none, in the API's words. */
  refusal: GatewayError | undefined;
}

const NO_OFFER = ["NO_ROUTE", "PROVIDERS_FAILED"];

const isNoOffer = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && NO_OFFER.includes(error.code);

/** The question as the API is asked it. */
export const quoteParameters = ({ tokenIn, tokenOut, amount, type, slippage }: QuoteTerms) => ({
  tokenInAddress: tokenIn.id,
  tokenOutAddress: tokenOut.id,
  amount: String(amount),
  type,
  slippageTolerance: slippage,
});

/** Our own pools' quote at a block; the refusal where there is no route. @throws what routerQuote throws */
async function ownQuote(
  { ask }: Pick<ViewRequest, "ask">,
  terms: QuoteTerms,
  block: number,
): Promise<RouterQuote | GatewayError> {
  const request = parseInput(quoteRequest, quoteParameters(terms));
  try {
    return await ask(routerQuote, { request, block: atBlock({ block }) });
  } catch (error) {
    if (isNoOffer(error)) return error;
    throw error;
  }
}

/** @throws what routerQuote throws, except that there is no route */
export async function pastQuote(request: ViewRequest, terms: QuoteTerms, at: ShownBlock): Promise<ShownQuote> {
  const { ownRouterName, providers } = request.chain;
  const own = await ownQuote(request, terms, at.block);
  const refusal = own instanceof GatewayError ? own : undefined;
  const best = own instanceof GatewayError ? undefined : bestOfOwn(own, ownRouterName);
  const unknown = { output: undefined, gas: undefined, milliseconds: undefined, message: undefined };
  const rows = providers
    .filter(({ name }) => name !== ownRouterName)
    .map(({ name }): ProviderRow => ({ name, status: "newest-only", ...unknown }));
  const ownRow: ProviderRow = best
    ? { name: ownRouterName, status: "success", ...unknown, gas: best.gas, output: outputOf(best.quote, terms) }
    : { name: ownRouterName, status: "no_route", ...unknown };
  return { at, best, providers: [ownRow, ...rows], refusal };
}

/** As the API writes them. */
const GAS_USD_DIGITS = 18;
const GAS_USD_SCALE = 10n ** BigInt(USD_DECIMALS - GAS_USD_DIGITS);

const outputOf = (raw: bigint, { type, tokenIn, tokenOut }: QuoteTerms): string =>
  toExactDecimal(raw, type === "exactIn" ? tokenOut.decimals : tokenIn.decimals);

const bestOfOwn = (own: RouterQuote, provider: string): BestQuote => ({
  provider,
  quote: own.quote,
  priceImpact: own.priceImpact,
  gas: String(own.gasUnits),
  gasUsd: own.gasUsd === undefined ? null : toExactDecimal(own.gasUsd / GAS_USD_SCALE, GAS_USD_DIGITS),
  routeText: own.routeText,
  paths: pathsOfOwn(own),
});

const pathsOfOwn = ({ legs, tokens }: RouterQuote): DrawnPath[] => {
  const tokenOf = (address: string): DrawnToken => {
    const { symbol, decimals } = tokens.get(address as `0x${string}`) ?? {};
    return { address, symbol, decimals };
  };
  return legs.map(({ percentHundredths: share, hops, amountIn, amountOut }) => ({
    share,
    amountIn,
    amountOut,
    hops: hops.map(({ pool, tokenIn, tokenOut }) => ({
      kind: pool.kind,
      pool: pool.address,
      fee: pool.fee,
      tokenIn: tokenOf(tokenIn),
      tokenOut: tokenOf(tokenOut),
    })),
  }));
};

type Body = Awaited<ReturnType<typeof quote.run>>;

/** @throws what quote and routerQuote throw, except that nobody has a route */
export async function newestQuote(request: ViewRequest, terms: QuoteTerms, known: ShownBlock): Promise<ShownQuote> {
  const { ask, chain } = request;
  try {
    const body = await ask(quote, { ...quoteParameters(terms), debug: "true" });
    const at = await blockOf(request, Number(body.blockNumber), known);
    const isOwn = body.provider === chain.ownRouterName;
    // our own legs have their shares to the hundredth of a percent; for a block that this page cannot see yet the body's paths are drawn
    const own = isOwn && at.block <= known.lastSynced ? await ownQuote(request, terms, at.block) : undefined;
    const paths = own === undefined || own instanceof GatewayError ? pathsOfBody(body, terms) : pathsOfOwn(own);
    const best = {
      provider: body.provider,
      quote: BigInt(body.quote),
      priceImpact: body.priceImpact,
      paths,
      gas: body.gasUseEstimate,
      gasUsd: body.gasUseEstimateUSD,
      routeText: body.routeString,
    };
    return { at, best, providers: (body.expl ?? []).map(rowOf), refusal: undefined };
  } catch (error) {
    if (!isNoOffer(error)) throw error;
    return { at: known, best: undefined, providers: refusedRows(error), refusal: error };
  }
}

/** The aggregator reads the newest block by itself: mostly it is the one that this page has read. */
async function blockOf({ ask }: Pick<ViewRequest, "ask">, block: number, known: ShownBlock): Promise<ShownBlock> {
  if (block === known.block) return known;
  if (block > known.lastSynced) return { ...known, block, hash: undefined, timestamp: undefined, lastSynced: block };
  return (await ask(tokensPage, { block: atBlock({ block }), first: 1 })).point;
}

function rowOf(outcome: NonNullable<Body["expl"]>[number]): ProviderRow {
  const { provider: name, status, executionTime: milliseconds, output, gas, message } = outcome;
  const isAnswer = output !== "0";
  return {
    name,
    status,
    milliseconds,
    message,
    output: isAnswer ? output : undefined,
    gas: isAnswer ? gas : undefined,
  };
}

/** Where nobody has a route, the error gives each provider's reason. */
function refusedRows({ details }: GatewayError): ProviderRow[] {
  const outcomes = (details?.providers ?? []) as readonly { provider: string; status: string; message?: string }[];
  return outcomes.map(({ provider: name, status, message }) => ({
    name,
    status,
    message,
    output: undefined,
    gas: undefined,
    milliseconds: undefined,
  }));
}

function pathsOfBody(body: Body, { type, amount }: QuoteTerms): DrawnPath[] {
  const paths = body.route.map((path): Omit<DrawnPath, "share"> => {
    const ends = [path[0], path.at(-1)] as readonly ({ amountIn?: string; amountOut?: string } | undefined)[];
    const [amountIn, amountOut] = [ends[0]?.amountIn, ends[1]?.amountOut];
    return {
      hops: path.map(hopOf),
      amountIn: amountIn === undefined ? undefined : BigInt(amountIn),
      amountOut: amountOut === undefined ? undefined : BigInt(amountOut),
    };
  });
  const given = paths.map(({ amountIn, amountOut }) => (type === "exactIn" ? amountIn : amountOut));
  return paths.map((path, i) => {
    const part = given[i];
    return { ...path, share: part === undefined ? undefined : Number((part * 10_000n) / amount) };
  });
}

type BodyHop = Body["route"][number][number];
type BodyToken = BodyHop["tokenIn"];

const KINDS: Readonly<Record<string, string>> = { "v2-pool": "v2", "v3-pool": "v3" };

const tokenOfBody = ({ address, symbol, decimals }: BodyToken): DrawnToken => ({
  address,
  symbol: symbol ?? undefined,
  decimals: decimals === null ? undefined : Number(decimals),
});

const hopOf = (hop: BodyHop): DrawnHop => ({
  kind: KINDS[hop.type] ?? hop.type,
  pool: hop.address,
  fee: hop.fee === null ? undefined : Number(hop.fee),
  tokenIn: tokenOfBody(hop.tokenIn),
  tokenOut: tokenOfBody(hop.tokenOut),
});
