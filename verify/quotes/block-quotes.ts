// Asks the product for quotes at one block and compares them with the contracts there.
import { type Address, numberToHex } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import { amountInMaximumRoundingUp, minAmountOutRoundingDown } from "../../core/aggregator/limits.ts";
import { percentFraction } from "../../core/aggregator/percent.ts";
import type { Operation, Service } from "../../gateway/context.ts";
import { holdersAt } from "../../gateway/history/holdings-at.ts";
import { locateToken } from "../../gateway/questions/locate-token.ts";
import { routerQuotes } from "../../gateway/questions/router-quote.ts";
import { tokenChoice } from "../../gateway/router/native-token.ts";
import { openRouter, type RouterPlace } from "../../gateway/router/place.ts";
import type { RouterQuote } from "../../gateway/router/quote.ts";
import type { QuoteRequest } from "../../gateway/router/quote-request.ts";
import { blockChoice } from "../exit/account-answers.ts";
import { type ChainCopy, RefusedError } from "../exit/chain-copy.ts";
import { inRequest } from "../in-request.ts";
import { compareCarriedOut, compareLate, comparePaths, compareSingleLegs } from "./compare-quotes.ts";
import { type Random, randomRequest } from "./questions.ts";
import type { QuotesReport } from "./quotes-report.ts";
import { endow, RECIPIENT } from "./swap-trial.ts";

export interface QuotesCheck {
  service: Service;
  chain: ChainFile;
  /** The first block that may be picked. */
  first: number;
  rpcUrl: string;
  /** Tokens that are known, at the head, to take a fee on transfer: quotes at earlier blocks may not know it yet. */
  taxed: ReadonlySet<Address>;
  random: Random;
  report: QuotesReport;
}

/** Some random questions have no answer: others are asked instead, at most this often. */
const MOST_ROUNDS = 4;

/** Not a public question: the pools behind the answers. */
export const routerPlaceAt: Operation<number | "latest", RouterPlace> = {
  name: "routerPlaceAt",
  run: (block, context) => openRouter(context, block === "latest" ? { kind: "latest" } : blockChoice(block)),
};

/** Compares `paths` and `quotes` at the copy's block, and carries out quotes of some earlier blocks there. */
export async function compareAt(
  check: QuotesCheck,
  copy: ChainCopy,
  counts: { paths: number; quotes: number; late: number },
): Promise<void> {
  const { service, chain, first, rpcUrl, random, report } = check;
  const { block } = copy;
  const place = { chain, rpcUrl, block };
  const { state, point } = await inRequest(service, (scope) => scope.run(routerPlaceAt, block));
  if (point.hash !== (await copy.client.getBlock({ blockNumber: BigInt(block) })).hash)
    throw new Error(`block ${block} is ${point.hash} here and another one at the node: a reorg, or another chain`);
  if (state.pools.size === 0) return;
  await comparePaths(place, { state, random, count: counts.paths }, report);
  const purse = new Purse(check, copy);
  const ask = (count: number) =>
    Array.from({ length: count }).flatMap(() => randomRequest(random, state, { chain, recipient: RECIPIENT }) ?? []);
  const quotes: BlockQuotesInput[] = [];
  for (let round = 0; round < MOST_ROUNDS && quotes.length < counts.quotes; round++) {
    const requests = await purse.affordable(ask(counts.quotes - quotes.length));
    quotes.push(...(await quotesOf(check, { requests, block })));
  }
  await compareSingleLegs(place, { state, quotes: quotes.map(({ quote }) => quote) }, report);
  for (const { quote } of quotes) {
    if (!(await purse.covers(quote))) report.passOver("nobody holds as much");
    else await compareCarriedOut(copy, quote, report);
  }
  const earlier = Math.max(Math.min(first, block), block - 1 - Math.floor(random() * 40));
  const late = await quotesOf(check, { requests: await purse.affordable(ask(counts.late)), block: earlier });
  for (const { quote, request } of late)
    if (await purse.covers(quote)) await compareLate(copy, { quote, bound: boundOf(quote, request) }, report);
}

interface BlockQuotesInput {
  quote: RouterQuote;
  request: QuoteRequest;
}

async function quotesOf(
  { service, chain, taxed, report }: QuotesCheck,
  { requests, block }: { requests: readonly QuoteRequest[]; block: number },
): Promise<BlockQuotesInput[]> {
  if (requests.length === 0) return [];
  const input = { requests, block: blockChoice(block) };
  const { outcomes } = await inRequest(service, (scope) => scope.run(routerQuotes, input, chain.chainId));
  return outcomes.flatMap(({ quote, refusal }, i) => {
    const request = requests[i];
    if (!quote || !request) {
      report.passOver(refusal?.code ?? "no answer");
      return [];
    }
    const percents = quote.legs.reduce((sum, { percentHundredths }) => sum + percentHundredths, 0);
    const sums = [sumOf(quote, "amountIn"), sumOf(quote, "amountOut")];
    const expected = quote.type === "exactIn" ? [quote.amount, quote.quote] : [quote.quote, quote.amount];
    const isWhole = quote.legs.length === 0 || (percents === 10_000 && sums.join() === expected.join());
    report.compare("legs add up to the whole", isWhole, () => `block ${block}: ${quote.routeText}`);
    const passed = quote.legs.flatMap(({ hops }) => hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut]));
    if (!passed.some((token) => taxed.has(token as Address))) return [{ quote, request }];
    report.passOver("a fee on transfer that had not shown yet");
    return [];
  });
}

const sumOf = ({ legs }: RouterQuote, field: "amountIn" | "amountOut"): bigint =>
  legs.reduce((sum, leg) => sum + leg[field], 0n);

function boundOf({ quote, type }: RouterQuote, { slippageTolerance = "0" }: QuoteRequest): bigint {
  const slippage = percentFraction(slippageTolerance);
  return type === "exactIn"
    ? minAmountOutRoundingDown({ quote, refFee: 0n, slippage })
    : amountInMaximumRoundingUp({ quote, slippage });
}

/** What the trader has of each token: all that its largest holder had, transferred when first needed. */
class Purse {
  readonly #check: QuotesCheck;
  readonly #copy: ChainCopy;
  readonly #held = new Map<Address, bigint>();

  constructor(check: QuotesCheck, copy: ChainCopy) {
    this.#check = check;
    this.#copy = copy;
  }

  /** The same requests, selling no more than the trader can get. */
  async affordable(requests: readonly QuoteRequest[]): Promise<QuoteRequest[]> {
    const cut: QuoteRequest[] = [];
    for (const request of requests) {
      const token = tokenChoice(request.tokenInAddress, this.#check.chain, "tokenInAddress");
      const held = token.isNative ? NATIVE_MONEY : await this.#of(token.address);
      const amount = request.type === "exactIn" && held < request.amount && held > 0n ? held : request.amount;
      cut.push({ ...request, amount });
    }
    return cut;
  }

  async covers({ tokenIn, type, amount, quote }: RouterQuote): Promise<boolean> {
    const spent = type === "exactIn" ? amount : quote + quote / 10n;
    return (tokenIn.isNative ? NATIVE_MONEY : await this.#of(tokenIn.address)) >= spent;
  }

  async #of(token: Address): Promise<bigint> {
    const stored = this.#held.get(token);
    if (stored !== undefined) return stored;
    const amount = await this.#take(token);
    this.#held.set(token, amount);
    return amount;
  }

  async #take(token: Address): Promise<bigint> {
    const { service, chain } = this.#check;
    const [holder] = await inRequest(service, (scope) => scope.run(largestHolder, { token, block: this.#copy.block }));
    if (!holder) return 0n;
    const routers = chain.v3?.deployments.map(({ swapRouter02 }) => swapRouter02) ?? [];
    try {
      await endow(this.#copy, { token, holder: holder.account, amount: holder.amount, routers });
      return holder.amount;
    } catch (error) {
      if (error instanceof RefusedError) return 0n;
      throw error;
    }
  }
}

/** Native coin to sell: less than a copy's accounts are given for gas. */
const NATIVE_MONEY = BigInt(numberToHex(10n ** 24n));

/** Not a public question: who has most of a token in its own wallet. Pools are left out: taking from them would change quotes. */
const largestHolder: Operation<{ token: Address; block: number }, { account: Address; amount: bigint }[]> = {
  name: "largestHolder",
  async run({ token: wanted, block: number }, context) {
    const { snapshot } = context;
    const { state } = await openRouter(context, blockChoice(number));
    const { token, point } = await locateToken(context, { token: wanted, block: blockChoice(number) });
    const { text, parameters } = holdersAt({
      fold: snapshot.fold,
      assetId: token.assetId,
      block: point.block,
    });
    const pools = [...state.pools.keys()].map((pool) => `decode('${pool.slice(2)}', 'hex')`).join(", ");
    const rows = await snapshot.rows<{ account: Address; amount: string }>(
      `select '0x' || encode(account, 'hex') as account, amount::text as amount from (${text}) h
        where account not in (${pools}) order by h.amount desc limit 1`,
      parameters,
    );
    return rows.map(({ account, amount }) => ({ account, amount: BigInt(amount) }));
  },
};
