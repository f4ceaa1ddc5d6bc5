// Questions that one skin offers and the other does not, each with its reason.
import type { LoneQuestion } from "./operations-parity.ts";

const inGraphql = (why: string, coveredBy?: string): LoneQuestion => ({
  skin: "graphql",
  why,
  ...(coveredBy === undefined ? {} : { coveredBy }),
});

const OF_TOKENS = "REST has a token's facts as /tokens gives them, in the shape of the interface it took over";
const OF_V3 = "REST took over an interface without pools and positions; trees of them are what GraphQL is for";
const OF_CHARTS = "charts are asked for by front ends in one document with what hangs below them";
const SUBSCRIPTION = "REST has no subscriptions";

export const loneQuestions: Readonly<Record<string, LoneQuestion>> = {
  account: inGraphql("REST asks by token, as the interface it took over does"),
  distributionHistory: inGraphql(OF_CHARTS),
  facts: inGraphql("raw rows with filters of their own types need a schema that names them"),
  pool: inGraphql(OF_V3),
  pools: inGraphql(OF_V3),
  position: inGraphql(OF_V3),
  positions: inGraphql(OF_V3),
  priceHistory: inGraphql(OF_CHARTS),
  pricesOf: inGraphql("prices that hang below other nodes; on their own they are tokenPrices"),
  routerQuotes: inGraphql("REST's quotes are one URL each, which can be asked side by side"),
  series: inGraphql(OF_CHARTS),
  token: inGraphql(OF_TOKENS),
  tokens: inGraphql(OF_TOKENS),
  watchedPool: inGraphql(SUBSCRIPTION, "test/gateway/subscriptions.test.ts"),
  watchedToken: inGraphql(SUBSCRIPTION, "test/gateway/subscriptions.test.ts"),
  voteScores: {
    skin: "rest",
    why: "the body and the answer that Snapshot's strategy prescribes, posted to a URL",
    coveredBy: "test/gateway/snapshot-score.test.ts",
  },
  tokenList: {
    skin: "rest",
    why: "the document that the standard for token lists describes, fetched by wallets from a URL",
  },
};
