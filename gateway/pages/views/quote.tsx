// What a swap pays: a form, and for what it asks the best offer with its route, and all providers side by side.
import { amountInMaximumRoundingUp, minAmountOutRoundingDown } from "../../../core/aggregator/limits.ts";
import { percentFraction } from "../../../core/aggregator/percent.ts";
import { tokensPage } from "../../questions/tokens.ts";
import { FieldErrors } from "../field-errors.ts";
import { BlockBar, readMarks } from "../parts/block-bar.tsx";
import { FactList } from "../parts/fact-list.tsx";
import { ChoiceField, TextField } from "../parts/form-field.tsx";
import { MadeBy } from "../parts/made-by.tsx";
import { ProviderTable } from "../parts/provider-table.tsx";
import { RoutePicture, RouteTable } from "../parts/route-picture.tsx";
import { Amount, ShownNumber, Unknown } from "../parts/shown-number.tsx";
import { readable, ShownText } from "../parts/shown-text.tsx";
import { withQuery } from "../place.ts";
import { isBlank, QUOTE_FIELDS, type QuoteTerms, readQuoteTerms, type Side, USUAL_SLIPPAGE } from "../quote-terms.ts";
import { type BestQuote, newestQuote, pastQuote, quoteParameters, type ShownQuote } from "../shown-quote.ts";
import type { View, ViewRequest } from "../view.ts";

/** Offered while somebody types. */
const SUGGESTED = 100;
const MADE = "quote";
const TITLE = "Quote";

export async function quoteView(request: ViewRequest): Promise<View> {
  const { ask } = request;
  const errors = new FieldErrors(QUOTE_FIELDS);
  const known = await errors.of(() => ask(tokensPage, { block: request.block, first: SUGGESTED }));
  const suggestions = known?.entries.flatMap(({ token }) => token.metadata?.symbol ?? []) ?? [];
  const block = request.query("block") ?? (request.isNewest ? undefined : known && String(known.point.block));
  const head = <Head request={request} errors={errors} suggestions={suggestions} block={block} />;
  if (known === undefined) return { title: TITLE, status: 400, main: head };
  if (isBlank(request))
    return {
      title: TITLE,
      at: known.point,
      main: (
        <>
          {head}
          <p class="empty">Nothing is asked yet: name two tokens and an amount.</p>
        </>
      ),
    };
  const terms = await readQuoteTerms(request, known.point, errors);
  // read after the fields: what is wrong with them is shown in the form
  if (terms === undefined)
    return {
      title: TITLE,
      at: known.point,
      status: 400,
      main: <Head request={request} errors={errors} suggestions={suggestions} block={block} />,
    };
  // before outside services are waited for
  const marks = await readMarks(request);
  const shown = await (request.isNewest ? newestQuote : pastQuote)(request, terms, known.point);
  const main = (
    <>
      {head}
      <BlockBar request={request} at={shown.at} marks={marks} />
      <Answer request={request} terms={terms} shown={shown} />
    </>
  );
  return {
    title: TITLE,
    main,
    at: shown.at,
    status: shown.best ? undefined : shown.refusal?.status === 502 ? 502 : 404,
  };
}

interface HeadProps {
  request: ViewRequest;
  errors: FieldErrors;
  suggestions: readonly string[];
  /** The block as it was typed, or the one that a typed time means. */
  block: string | undefined;
}

function Head({ request, errors, suggestions, block }: HeadProps) {
  const { links, query, chain } = request;
  const field = (name: string) => ({ name, errors, value: query(name) });
  const names = [...new Set([chain.nativeSymbol, ...suggestions])];
  return (
    <>
      <h1>Quote</h1>
      <p class="quiet lead">
        What a swap pays: at the newest block all providers side by side, at a past one what this chain&apos;s own pools
        paid. No transaction is made.
      </p>
      <form class="fields" action={links.to("quote")} method="get" aria-label="Quote">
        <TextField {...field("tokenIn")} label="Pay with" placeholder="symbol or 0x…" list="known-tokens" isWide />
        <TextField {...field("tokenOut")} label="Get" placeholder="symbol or 0x…" list="known-tokens" isWide />
        <ChoiceField
          {...field("type")}
          value={query("type") ?? "exactIn"}
          label="The amount is"
          options={[
            ["exactIn", "what is paid"],
            ["exactOut", "what is got"],
          ]}
        />
        <TextField {...field("amount")} label="Amount" placeholder="12.5" hint="in whole tokens" inputmode="decimal" />
        <TextField
          {...field("slippage")}
          value={query("slippage") ?? USUAL_SLIPPAGE}
          label="Slippage, percent"
          inputmode="decimal"
        />
        <TextField
          {...field("block")}
          value={block}
          label="Block"
          placeholder="the newest"
          hint="empty for the newest"
          inputmode="numeric"
        />
        <button type="submit">Quote</button>
        <datalist id="known-tokens">
          {names.map((name) => (
            <option value={readable(name, 40)} />
          ))}
        </datalist>
      </form>
    </>
  );
}

interface AnswerProps {
  request: ViewRequest;
  terms: QuoteTerms;
  shown: ShownQuote;
}

function Answer({ request, terms, shown }: AnswerProps) {
  const { best, at, providers, refusal } = shown;
  return (
    <>
      {best === undefined ? (
        <p class="problem">{refusal?.message ?? "There is no route."}</p>
      ) : (
        <Best request={request} terms={terms} best={best} block={request.isNewest ? undefined : at.block} />
      )}
      <h2>Providers</h2>
      <ProviderTable providers={providers} terms={terms} best={best?.provider} made={MADE} />
      <Made request={request} terms={terms} shown={shown} />
    </>
  );
}

const symbolOf = ({ symbol }: Side) => <ShownText text={symbol} most={16} fallback="tokens" />;

function Best({
  request,
  terms,
  best,
  block,
}: Pick<AnswerProps, "request" | "terms"> & { best: BestQuote; block: number | undefined }) {
  const { tokenIn, tokenOut, type, amount } = terms;
  const isExactIn = type === "exactIn";
  const [paid, got] = isExactIn ? [amount, best.quote] : [best.quote, amount];
  return (
    <>
      <h2>
        <Amount raw={paid} decimals={tokenIn.decimals} /> {symbolOf(tokenIn)} {isExactIn ? "pay" : "are paid for"}{" "}
        <Amount raw={got} decimals={tokenOut.decimals} made={MADE} /> {symbolOf(tokenOut)}
      </h2>
      <Numbers terms={terms} best={best} />
      <h2>Route</h2>
      {best.paths.length > 0 && (
        <>
          <figure>
            <figcaption>
              How <ShownText text={best.provider} most={24} /> swaps: each path as thick as its share
            </figcaption>
            <RoutePicture paths={best.paths} />
          </figure>
          <RouteTable request={request} paths={best.paths} block={block} made={MADE} />
        </>
      )}
      {best.paths.length === 0 && (
        <p class="empty">
          No pools are shown: <ShownText text={best.routeText} most={200} />
        </p>
      )}
    </>
  );
}

function Numbers({ terms, best }: { terms: QuoteTerms; best: BestQuote }) {
  const { type, slippage, tokenIn, tokenOut } = terms;
  const limit =
    type === "exactIn"
      ? minAmountOutRoundingDown({ quote: best.quote, refFee: 0n, slippage: percentFraction(slippage) })
      : amountInMaximumRoundingUp({ quote: best.quote, slippage: percentFraction(slippage) });
  const side = type === "exactIn" ? tokenOut : tokenIn;
  const facts = [
    ["Offered by", <ShownText text={best.provider} most={24} />],
    [
      type === "exactIn"
        ? `At least received, with ${slippage} % slippage`
        : `At most paid, with ${slippage} % slippage`,
      <>
        <Amount raw={limit} decimals={side.decimals} made={MADE} /> {symbolOf(side)}
      </>,
    ],
    [
      "Price impact, fees aside",
      best.priceImpact === null ? (
        <Unknown why="no path of our own pools takes the amount" />
      ) : (
        <ShownNumber exact={inPercent(best.priceImpact)} suffix="%" made={MADE} />
      ),
    ],
    ["Gas, units", <ShownNumber exact={best.gas} made={MADE} />],
    [
      "Gas in USD",
      best.gasUsd === null ? (
        <Unknown why="the native coin has no price at this block" />
      ) : (
        <ShownNumber exact={best.gasUsd} prefix="$" made={MADE} />
      ),
    ],
  ] as const;
  return <FactList facts={facts} />;
}

/** A decimal fraction in percent, exactly. */
function inPercent(fraction: string): string {
  const sign = fraction.startsWith("-") ? "-" : "";
  const [whole = "0", part = ""] = fraction.replace("-", "").split(".");
  const digits = part.padEnd(2, "0");
  const before = `${whole}${digits.slice(0, 2)}`.replace(/^0+(?=\d)/, "");
  const after = digits.slice(2).replace(/0+$/, "");
  return sign + (after === "" ? before : `${before}.${after}`);
}

function Made({ request, terms, shown }: AnswerProps) {
  const { chain, url, isNewest } = request;
  const { block } = shown.at;
  const { slippageTolerance, ...swap } = quoteParameters(terms);
  const ids = { tokenInChainId: chain.chainId, tokenOutChainId: chain.chainId };
  const args = `tokenInAddress: "${swap.tokenInAddress}", tokenOutAddress: "${swap.tokenOutAddress}", amount: "${swap.amount}", type: ${swap.type}`;
  const note =
    "The limit is the quote less the slippage, rounded down, or with it, rounded up. What the own router says is what the contracts pay at the block, which the check tries with swaps of its own, on a copy of the chain.";
  const common = { id: MADE, title: "this quote", url, verify: `--quotes 5 --block ${block}`, note };
  if (isNewest)
    return (
      <MadeBy
        {...common}
        rest={withQuery("/quote", { ...swap, ...ids, slippageTolerance, debug: "true" })}
        graphql={`{ quote(${args}, slippageTolerance: "${slippageTolerance}", debug: true, chainId: ${chain.chainId}) { blockNumber provider quoteDecimals priceImpact gasUseEstimate gasUseEstimateUSD routeString expl { provider status executionTime output gas message } } }`}
      />
    );
  return (
    <MadeBy
      {...common}
      rest={withQuery("/router/quote", { ...swap, ...ids, blockNumber: block })}
      graphql={`{ routerQuote(quote: { ${args} }, block: { number: ${block} }, chainId: ${chain.chainId}) { quoteDecimals priceImpact gasUseEstimate gasUseEstimateUSD routeString route { percent amountIn amountOut hops { type address fee } } } }`}
    />
  );
}
