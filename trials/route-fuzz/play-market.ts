// One made-up market from seed to verdict, in rounds: paths are compared with the quoters, routes carried out on exactly the state
// that was quoted, then the market moves and the same transactions are tried again.
import { isUnsynced } from "../../core/router/pool.ts";
import { withAnvil } from "../../devnet/fuzz/anvil-world.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { isGathered } from "../../gateway/router/swept-from-router.ts";
import {
  comparePaths,
  compareSingleLegs,
  isReceived,
  type NodePlace,
  shapeOf,
} from "../../verify/quotes/compare-quotes.ts";
import type { Market } from "../../verify/quotes/questions.ts";
import { QuotesReport } from "../../verify/quotes/quotes-report.ts";
import { type MadeMarket, setMarket } from "./made-market.ts";
import { fillPools, moveMarket, type Scene } from "./market-moves.ts";
import { MarketWatch } from "./market-watch.ts";
import { type AnsweredRoute, answerAtRandom } from "./route-questions.ts";
import { carryOut, type Outcome } from "./route-trial.ts";
import { strayTokens } from "./stray-tokens.ts";

export interface MarketPlan {
  seed: string;
  /** Quotes of paths, and as many of routes, in all rounds together. */
  quotes: number;
  rounds: number;
  port: number;
}

/** Runs on an anvil of its own, which leaves nothing behind. */
export function playMarket({ seed, quotes, rounds, port }: MarketPlan): Promise<QuotesReport> {
  return withAnvil(port, async (chain) => {
    const random = seedRandom(`routes/${seed}`);
    const made = await setMarket(chain, random.fork("market"));
    const scene: Scene = { made, watch: new MarketWatch(made), random: random.fork("moves") };
    await scene.watch.advance();
    await fillPools(scene);
    const report = new QuotesReport();
    const each = Math.ceil(quotes / rounds);
    const strays = { ...scene, random: random.fork("strays") };
    for (let round = 0; round < rounds; round++) {
      // the first round has no stray tokens, so that both cases are tried
      if (round % 2 === 1) await strayTokens(strays, (await scene.watch.advance()).market);
      const { block, market } = await scene.watch.advance();
      const place = { chain: made.contracts, rpcUrl: `http://127.0.0.1:${port}`, block };
      const answers = await compareNow({ scene, market, place }, each, report);
      await moveMarket(scene, market, 1 + Math.floor(random.next() * 6));
      await compareLater({ scene, place }, answers, report);
    }
    return report;
  });
}

interface Moment {
  scene: Scene;
  market: Market;
  place: NodePlace;
}

async function compareNow(
  { scene: { made, random }, market, place }: Moment,
  count: number,
  report: QuotesReport,
): Promise<AnsweredRoute[]> {
  const draw = () => random.next();
  await comparePaths(place, { state: market, random: draw, count }, report);
  const answers = answerAtRandom({ made, market, random: draw }, count);
  const quotes = answers.map(({ route }) => ({
    legs: route.legs,
    type: route.type,
    quote: route.quote,
    amount: route.type === "exactIn" ? route.amountIn : route.amountOut,
  }));
  await compareSingleLegs(place, { state: market, quotes }, report);
  for (const answer of answers) await compareCarriedOut(made, { place, answer }, report);
  return answers;
}

/** Must pay exactly the quote; more only by what lies in the router, without which it must be exactly the quote again. */
async function compareCarriedOut(
  made: MadeMarket,
  { place, answer }: { place: NodePlace; answer: AnsweredRoute },
  report: QuotesReport,
): Promise<void> {
  const { route } = answer;
  const { rpcUrl } = place;
  const isAsQuoted = (got: Outcome | undefined) =>
    got?.taken === route.amountIn && isReceived(route, got.received, route.amountOut);
  const outcome = await carryOut({ rpcUrl, made }, answer);
  const isBetter = outcome && outcome.taken <= route.amountIn && outcome.received >= route.amountOut;
  const isMore = isBetter && !isAsQuoted(outcome) && canGetMore(made, answer);
  const decisive = isMore ? await carryOut({ rpcUrl, made, isCleared: true }, answer) : outcome;
  const marks = `${nativeMark(answer)}${unsyncedMark(answer)}${isMore ? ", more by what lay in the router" : ""}`;
  const what = `carried out: ${shapeOf(route)} ${route.type}${marks}`;
  report.compare(what, isAsQuoted(decisive), () => describe(place, answer, { outcome, decisive }));
}

/** A swap can get more only where the router pays the output or wraps the coin: other tokens that lie in it have no effect. */
function canGetMore({ tokens }: MadeMarket, { route, isNativeOut }: AnsweredRoute): boolean {
  const coin = tokens[0]?.address;
  const isCoinPassed = route.legs.some(({ hops }) =>
    hops.some((hop) => [hop.tokenIn, hop.tokenOut].includes(coin ?? "")),
  );
  return isCoinPassed || isGathered(route, isNativeOut);
}

const unsyncedMark = ({ route: { legs } }: AnsweredRoute): string =>
  legs.some(({ hops }) => hops.some(({ pool }) => isUnsynced(pool))) ? ", unsynced pairs" : "";

/** Must be refused, or pay at least the minimum for at most the maximum. */
async function compareLater(
  { scene: { made }, place }: Omit<Moment, "market">,
  answers: readonly AnsweredRoute[],
  report: QuotesReport,
): Promise<void> {
  for (const answer of answers) {
    const { route, limit } = answer;
    const outcome = await carryOut({ rpcUrl: place.rpcUrl, made }, answer);
    const isWithin =
      outcome === undefined ||
      (route.type === "exactIn"
        ? outcome.received >= limit && outcome.taken <= route.amountIn
        : outcome.taken <= limit && outcome.received >= route.amountOut);
    const what = outcome === undefined ? "after moves: refused" : `after moves: ${route.type} paid within its limit`;
    report.compare(what, isWithin, () => describe(place, answer, outcome));
  }
}

const nativeMark = ({ isNativeIn, isNativeOut }: AnsweredRoute): string =>
  `${isNativeIn ? ", native in" : ""}${isNativeOut ? ", native out" : ""}`;

function describe(
  { block }: NodePlace,
  { route, limit, transaction }: AnsweredRoute,
  outcome: object | undefined,
): string {
  const legs = route.legs.map(({ hops }) => hops.map(({ pool }) => pool.address).join("+")).join(" | ");
  const { type, amountIn, amountOut } = route;
  const facts = { type, amountIn, amountOut, limit, outcome, transaction };
  return `block ${block}: ${legs}: ${JSON.stringify(facts, (_, value) => (typeof value === "bigint" ? `${value}` : value))}`;
}
