// What a swap pays: over our own pools at any block, or by all providers now.
import { formatUnits, parseUnits } from "viem";
import { UsageError } from "../../machine/command-line.ts";
import { amountText, type Block, blockText, type Question } from "../question.ts";
import { type Resolving, resolveTokenOrNative } from "../resolve-token.ts";
import { tableLines } from "../table.ts";

const TOKENS = `query Tokens($tokens: [String!]!, $chainId: Int) {
  tokenPrices(addresses: $tokens, chainId: $chainId) { id address symbol decimals }
}`;

const PAST = `query Quote($quote: RouterQuoteInput!, $block: BlockInput, $chainId: Int) {
  routerQuote(quote: $quote, block: $block, chainId: $chainId) {
    block { number timestamp }
    quoteDecimals gasUseEstimate gasUseEstimateUSD
    route { protocol percent amountIn amountOut hops { type address fee tokenIn { symbol decimals } tokenOut { symbol decimals } } }
  }
}`;

const NOW = `query Quote($tokenIn: String!, $tokenOut: String!, $amount: String!, $type: TradeType!, $chainId: Int) {
  quote(tokenInAddress: $tokenIn, tokenOutAddress: $tokenOut, amount: $amount, type: $type, debug: true, chainId: $chainId) {
    blockNumber provider quoteDecimals quoteDecimalsUSD priceImpact gasUseEstimate gasUseEstimateUSD routeString
    expl { provider status output gas executionTime message }
  }
}`;

interface Token {
  id: string;
  address: string;
  symbol: string | null;
  decimals: number | null;
}

interface HopToken {
  symbol: string | null;
  decimals: number | null;
}

interface Hop {
  type: string;
  address: string;
  fee: number;
  tokenIn: HopToken;
  tokenOut: HopToken;
}

interface PastQuote {
  block: Block;
  quoteDecimals: string;
  gasUseEstimate: string;
  gasUseEstimateUSD: string | null;
  route: { protocol: string; percent: string; amountIn: string; amountOut: string; hops: Hop[] }[];
}

interface Tried {
  provider: string;
  status: string;
  output: string;
  gas: string;
  executionTime: string;
  message: string | null;
}

interface NewestQuote {
  blockNumber: string;
  provider: string;
  quoteDecimals: string;
  quoteDecimalsUSD: string | null;
  priceImpact: string | null;
  gasUseEstimate: string;
  gasUseEstimateUSD: string | null;
  routeString: string;
  expl: Tried[] | null;
}

export const quote: Question = {
  shape: { words: ["<sell>", "<buy>", "<amount>"], options: ["exact-out"] },
  help: `What a swap pays. With --block or --timestamp: over the pools that are indexed, as they were then, to the wei. Without: by every
provider that the product asks, now, and the best of them.

  <sell>, <buy>      addresses, symbols that only one token has, or the chain's native coin by its symbol
  <amount>           whole tokens, such as 1.5, of what is sold
  --exact-out        of what is bought instead: the answer is what is paid`,

  async answer(ask, { words: [sell = "", buy = "", amount = ""], block, chainId, isExactOut }) {
    const on: Resolving = { ask, chainId };
    const tokenIn = await resolveTokenOrNative(on, "<sell>", sell);
    const tokenOut = await resolveTokenOrNative(on, "<buy>", buy);
    const { data: named } = await ask<{ tokenPrices: Token[] }>(TOKENS, { tokens: [tokenIn, tokenOut], chainId });
    const [sold, bought] = named.tokenPrices;
    const raw = rawAmount(amount, isExactOut ? bought : sold);
    const type = isExactOut ? "exactOut" : "exactIn";
    const swap = { given: amount, isExactOut, sold: nameOf(sold, sell), bought: nameOf(bought, buy) };
    if (block !== undefined) {
      const input = { tokenInAddress: tokenIn, tokenOutAddress: tokenOut, amount: raw, type };
      const { body, data } = await ask<{ routerQuote: PastQuote }>(PAST, { quote: input, block, chainId });
      return { body, lines: pastLines(data.routerQuote, swap) };
    }
    const { body, data } = await ask<{ quote: NewestQuote }>(NOW, { tokenIn, tokenOut, amount: raw, type, chainId });
    return { body, lines: newestLines(data.quote, swap) };
  },
};

const nameOf = (token: Token | undefined, word: string): string => token?.symbol || word;

/** Whole tokens, as typed, to raw units, none rounded. */
function rawAmount(amount: string, token: Token | undefined): string {
  const decimals = token?.decimals;
  if (decimals === undefined || decimals === null)
    throw new UsageError("<amount>: nothing is known of this token's decimals; check its address and --chain");
  const fraction = /^\d{1,60}(?:\.(\d{1,80}))?$/.exec(amount);
  if (fraction === null || !/[1-9]/.test(amount))
    throw new UsageError("<amount>: must be a number above 0, in digits, such as 1.5");
  if ((fraction[1]?.length ?? 0) > decimals)
    throw new UsageError(`<amount>: the token has ${decimals} decimals; give no more digits than that after the point`);
  return String(parseUnits(amount, decimals));
}

interface Swap {
  given: string;
  isExactOut: boolean;
  sold: string;
  bought: string;
}

/** `5 WBERA pays 25.1 HONEY`. */
const sentence = ({ given, isExactOut, sold, bought }: Swap, quoted: string): string =>
  isExactOut ? `${given} ${bought} costs ${quoted} ${sold}` : `${given} ${sold} pays ${quoted} ${bought}`;

const gasText = (units: string, usd: string | null): string =>
  `gas ${units} units, ${usd === null ? "price not known" : `${usd} USD`}`;

function pastLines(
  { block, quoteDecimals, gasUseEstimate, gasUseEstimateUSD, route }: PastQuote,
  swap: Swap,
): string[] {
  const rows = route.map(({ protocol, percent, amountIn, amountOut, hops }) => [
    percent,
    protocol,
    decimalOf(amountIn, hops[0]?.tokenIn),
    decimalOf(amountOut, hops.at(-1)?.tokenOut),
    hops.map(({ address, fee }) => `${address} (${formatUnits(BigInt(fee), 4)} %)`).join(" > "),
  ]);
  return [
    `${sentence(swap, quoteDecimals)}, at ${blockText(block)}`,
    gasText(gasUseEstimate, gasUseEstimateUSD),
    "",
    ...tableLines(
      [
        { title: "% of it", align: "right" },
        { title: "pools" },
        { title: swap.sold, align: "right" },
        { title: swap.bought, align: "right" },
        { title: "through (fee)" },
      ],
      rows,
    ),
  ];
}

const decimalOf = (raw: string, token: HopToken | undefined): string =>
  amountText(raw, token?.decimals === null || token === undefined ? null : formatUnits(BigInt(raw), token.decimals));

function newestLines(best: NewestQuote, swap: Swap): string[] {
  const { blockNumber, provider, quoteDecimals, quoteDecimalsUSD, priceImpact, routeString, expl } = best;
  const worth = quoteDecimalsUSD === null ? "" : ` (${quoteDecimalsUSD} USD)`;
  return [
    `${sentence(swap, quoteDecimals)}${worth}, by ${provider}, at block ${blockNumber}`,
    `price impact ${priceImpact ?? "not known"}; ${gasText(best.gasUseEstimate, best.gasUseEstimateUSD)}`,
    `route ${routeString}`,
    "",
    ...tableLines(
      [
        { title: "provider" },
        { title: "status" },
        { title: swap.isExactOut ? swap.sold : swap.bought, align: "right" },
        { title: "gas", align: "right" },
        { title: "ms", align: "right" },
        { title: "why", atMost: 60 },
      ],
      (expl ?? []).map(({ status, output, gas, executionTime, message, ...one }) =>
        status === "success"
          ? [one.provider, status, output, gas, executionTime, ""]
          : [one.provider, status, "", "", executionTime, message ?? ""],
      ),
    ),
  ];
}
