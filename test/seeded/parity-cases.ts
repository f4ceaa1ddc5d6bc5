// Every question of the public interface, asked through each skin that offers it: test/architecture/operations-parity.ts sees
// to it that none is missing here. Where both offer it, what they say of the same things must be equal.
import type { Examples } from "./examples.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are read here as a client reads them, without their types
export type Answer = any;

export interface ParityWorld extends Examples {
  chainId: number;
  /** The name of the chain's own router. */
  router: string;
  /** The block asked about. */
  block: number;
}

interface Case {
  /** The name of the operation. */
  question: string;
}

export interface SharedCase extends Case {
  /** A path. */
  rest(world: ParityWorld): string;
  /** What is posted there, as JSON; without it the path is asked by GET. */
  restBody?(world: ParityWorld): unknown;
  /** The fields of a query. */
  graphql(world: ParityWorld): string;
  /** The same facts out of REST's body and out of GraphQL's data. */
  ofRest(body: Answer): unknown;
  ofGraphql(data: Answer): unknown;
}

/** Offered by one skin: see lone-questions.ts. */
export type LoneCase = Case & (Pick<SharedCase, "rest"> | Pick<SharedCase, "graphql">);

const pick = (from: Answer, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, from[name]]));
const each = (list: Answer, names: readonly string[]) => list.map((one: Answer) => pick(one, names));
const at = ({ block }: ParityWorld) => `block: {number: ${block}}`;
const list = (addresses: readonly string[]) => JSON.stringify(addresses);
/** REST says 0 where a price is missing. */

const STATUS = ["chainId", "chain", "state", "firstBlock", "lastSyncedBlock", "lastSyncedTimestamp", "chainHead"];
const STEP = ["block", "timestamp", "amount", "amountDecimal", "delta", "deltaDecimal"];
const ENDS = ["opening", "openingDecimal", "closing", "closingDecimal"];
const CHANGE = ["account", "before", "beforeDecimal", "after", "afterDecimal", "delta", "deltaDecimal"];
const AVERAGE = ["account", "averageRoundedDown", "averageRoundedDownDecimal"];
const INSIDE = ["tickLower", "tickUpper", "seconds", "secondsInside", "secondsPerLiquidityInsideX128"];
const MOMENT = ["block", "timestamp", "sqrtPriceX96", "tick", "liquidity"];
const GIVEN = ["weightTotal", "points", "qualified", "sum"];
const REWARD = ["account", "averageRoundedDown", "points", "shareRoundedDown", "amount"];
const AMOUNTS = "amount amountDecimal";
const SUMS = ["supply", "supplyDecimal", "holders", "top10", "top10Decimal", "top100", "top100Decimal"];
const LAUNCH = ["deployer", "createdBlock", "graduated", "dexPair", "progress", "holdersCount", "swapsCount"];
const VAULT = ["id", "provider", "lowerTick", "upperTick", "currentTick", "feeTier", "managerFeeBps", "isRewardVault"];
const VAULT_USD = ["tvl", "farmTvl", "apr", "farmApr", "totalApr", "weeklyFeesEarnedUSD"];
const ROUTED = [
  "amount",
  "amountDecimals",
  "quote",
  "quoteDecimals",
  "gasUseEstimate",
  "gasPriceWei",
  "priceImpact",
  "routeString",
];
const QUOTED = ["blockNumber", "amount", "quote", "quoteDecimals", "priceImpact", "gasUseEstimate", "routeString"];

const launchOfRest = (launch: Answer) => ({
  ...pick(launch, LAUNCH),
  ...{ token: launch.address, symbol: launch.symbol, pool: launch.poolAddress, base: launch.baseToken },
});
const launchOfGraphql = (launch: Answer) => ({
  ...pick(launch, LAUNCH),
  ...{ token: launch.token.address, symbol: launch.token.symbol, pool: launch.pool, base: launch.baseToken.address },
});
const LAUNCH_FIELDS = `${LAUNCH.join(" ")} pool token { address symbol } baseToken { address }`;

const vaultOfRest = (vault: Answer) => ({
  ...pick(vault, VAULT),
  ...pick(vault, VAULT_USD),
  ...{ pool: vault.poolAddress, token0: vault.token0.id, token1: vault.token1.id, unpriced: vault.unpriced.join(" ") },
});
const vaultOfGraphql = (vault: Answer) => ({
  ...pick(vault, VAULT),
  ...pick(vault, VAULT_USD),
  ...{
    pool: vault.pool,
    token0: vault.token0.address,
    token1: vault.token1.address,
    unpriced: vault.unpriced.join(" "),
  },
});
const VAULT_FIELDS = `${[...VAULT, ...VAULT_USD].join(" ")} pool unpriced token0 { address } token1 { address }`;

const swap = ({ tokenIn, tokenOut }: ParityWorld) =>
  `tokenInAddress: "${tokenIn}", tokenOutAddress: "${tokenOut}", amount: "10000000000000000000"`;
const swapPath = ({ tokenIn, tokenOut, chainId }: ParityWorld) =>
  `tokenInAddress=${tokenIn}&tokenOutAddress=${tokenOut}&amount=10000000000000000000&type=exactIn` +
  `&tokenInChainId=${chainId}&tokenOutChainId=${chainId}`;
const range = ({ token, block }: ParityWorld) =>
  `token: "${token}", from: {number: ${block - 100}}, to: {number: ${block}}, first: 1000`;
const blocks = ({ block }: ParityWorld) => `from: {number: ${block - 100}}, to: {number: ${block}}`;
const rangePath = ({ block }: ParityWorld) => `fromBlock=${block - 100}&toBlock=${block}`;

const campaignOf = ({ chainId, token, account, block }: ParityWorld) => ({
  ...{ chainId, token, reward: { token, budget: "1000000000000000000001" } },
  range: { fromBlock: block - 100, toBlock: block },
  counts: { sources: [{ kind: "balance" }, { kind: "island", multiplier: "1.5" }, { kind: "v3-position" }] },
  ...{ exclude: [account], minimum: "1000", cap: { basisPoints: 3_000 } },
});
/** A value as GraphQL writes it: the names of fields have no quotes. */
const graphqlText = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, "$1: ");

export const sharedCases: readonly SharedCase[] = [
  {
    question: "status",
    rest: () => "/status",
    graphql: () => `status { ${STATUS.join(" ")} tokens { tracked withMetadata } quarantinedCount }`,
    ofRest: (body) => pick(body, [...STATUS, "tokens", "quarantinedCount"]),
    ofGraphql: (data) => data.status,
  },
  {
    question: "balances",
    rest: ({ token, account, owner, block }) => `/balances/${token}?blockNumber=${block}&users=${account},${owner}`,
    graphql: (world) => `balances(token: "${world.token}", ${at(world)}, users: ${list([world.account, world.owner])}) {
      lastSyncedBlock nodes { account totalDouble sources { source valueDouble } } }`,
    ofRest: ({ lastSyncedBlock, results }) => ({
      lastSyncedBlock,
      accounts: results.map(({ account, total, sources }: Answer) => [
        account,
        total,
        each(sources, ["source", "value"]),
      ]),
    }),
    ofGraphql: ({ balances: { lastSyncedBlock, nodes } }) => ({
      lastSyncedBlock,
      accounts: nodes.map(({ account, totalDouble, sources }: Answer) => [
        account,
        totalDouble,
        sources.map(({ source, valueDouble }: Answer) => ({ source, value: valueDouble })),
      ]),
    }),
  },
  {
    question: "balancesAtBlocks",
    rest: ({ token, account, owner, block }) =>
      `/balances/${token}/at-blocks?blocks=${block - 100},${block}&users=${account},${owner}`,
    graphql: ({ token, account, owner, block }) =>
      `balancesAtBlocks(token: "${token}", blocks: [${block - 100}, ${block}], users: ${list([account, owner])}) {
        block { number } nodes { account amountDecimal } }`,
    ofRest: (body) => body,
    ofGraphql: (data) =>
      Object.fromEntries(
        data.balancesAtBlocks.map(({ block, nodes }: Answer) => [
          block.number,
          Object.fromEntries(nodes.map(({ account, amountDecimal }: Answer) => [account, Number(amountDecimal)])),
        ]),
      ),
  },
  {
    question: "balanceHistory",
    rest: (world) => `/balances/${world.token}/history?account=${world.account}&${rangePath(world)}`,
    graphql: (world) =>
      `balanceHistory(${range(world)}, account: "${world.account}") { ${ENDS.join(" ")} nodes { ${STEP.join(" ")} } }`,
    ofRest: (body) => ({ ...pick(body, ENDS), nodes: each(body.results, STEP) }),
    ofGraphql: (data) => data.balanceHistory,
  },
  {
    question: "balanceChanges",
    rest: (world) => `/balances/${world.token}/changes?${rangePath(world)}`,
    graphql: (world) => `balanceChanges(${range(world)}) { nodes { ${CHANGE.join(" ")} } }`,
    ofRest: (body) => each(body.results, CHANGE),
    ofGraphql: (data) => data.balanceChanges.nodes,
  },
  {
    question: "timeWeightedBalances",
    rest: (world) => `/balances/${world.token}/time-weighted?${rangePath(world)}&weight=seconds`,
    graphql: (world) =>
      `timeWeightedBalances(${range(world)}, weight: SECONDS) { weightTotal supply supplyDecimal rounding
        unattributed { contract reason ${AMOUNTS} path }
        nodes { ${AVERAGE.join(" ")} sources { source amount: value amountDecimal: valueDecimal } } }`,
    ofRest: (body) => ({
      ...pick(body, ["weightTotal", "supply", "supplyDecimal", "rounding", "unattributed"]),
      nodes: body.results.map((row: Answer) => ({
        ...pick(row, AVERAGE),
        sources: each(row.sources, ["source", "amount", "amountDecimal"]),
      })),
    }),
    ofGraphql: (data) => data.timeWeightedBalances,
  },
  {
    question: "rewards",
    rest: () => "/rewards",
    restBody: campaignOf,
    graphql: (world) =>
      `rewards(campaign: ${graphqlText(campaignOf(world))}, first: 1000) { ${GIVEN.join(" ")} incomplete nodes { ${REWARD.join(" ")} } }`,
    ofRest: (body) => ({ ...pick(body, GIVEN), incomplete: body.incomplete.join(), nodes: each(body.results, REWARD) }),
    ofGraphql: ({ rewards }) => ({ ...rewards, incomplete: rewards.incomplete.join() }),
  },
  {
    question: "holdersCount",
    rest: ({ token, block }) => `/balances/${token}/holders-count?blockNumber=${block}`,
    graphql: (world) => `holdersCount(token: "${world.token}", ${at(world)}) { wallets holders }`,
    ofRest: (body) => pick(body, ["wallets", "holders"]),
    ofGraphql: (data) => data.holdersCount,
  },
  {
    question: "distribution",
    rest: ({ token, block }) => `/balances/${token}/distribution?blockNumber=${block}`,
    graphql: (world) => `distribution(token: "${world.token}", ${at(world)}) { ${SUMS.join(" ")}
      sources { source ${AMOUNTS} contractsCount contracts { contract symbol ${AMOUNTS} ways { contracts ${AMOUNTS} } } }
      unattributed { contract reason ${AMOUNTS} path } }`,
    ofRest: (body) => pick(body, [...SUMS, "sources", "unattributed"]),
    ofGraphql: (data) => data.distribution,
  },
  {
    question: "timeInRange",
    rest: (world) =>
      `/pools/${world.pool}/time-in-range?${rangePath(world)}&tickLower=-887220&tickUpper=0&owner=${world.owner}`,
    graphql: (
      world,
    ) => `timeInRange(pool: "${world.pool}", ${blocks(world)}, tickLower: -887220, tickUpper: 0, owner: "${world.owner}") {
      ${INSIDE.join(" ")} position { liquiditySeconds secondsInsideX128 } }`,
    ofRest: (body) => pick(body, [...INSIDE, "position"]),
    ofGraphql: (data) => data.timeInRange,
  },
  {
    question: "poolHistory",
    rest: (world) => `/pools/${world.pool}/history?${rangePath(world)}`,
    graphql: (world) => `poolHistory(pool: "${world.pool}", ${blocks(world)}) { nodes { ${MOMENT.join(" ")} } }`,
    ofRest: (body) => each(body.results, MOMENT),
    ofGraphql: (data) => data.poolHistory.nodes,
  },
  {
    question: "shareHistory",
    rest: (world) => `/shares/${world.island}/history?${rangePath(world)}&points=5`,
    graphql: (world) => `shareHistory(share: "${world.island}", ${blocks(world)}, points: 5) {
      nodes { block { number timestamp } supply supplyDecimal parts { token amount perShareRoundedDown } } }`,
    ofRest: (body) => body.results,
    ofGraphql: (data) =>
      data.shareHistory.nodes.map(({ block, ...moment }: Answer) => ({
        ...{ block: block.number, timestamp: block.timestamp },
        ...moment,
      })),
  },
  {
    question: "tokenPrices",
    rest: ({ token, island, tokenOut, block }) =>
      `/tokens?blockNumber=${block}&addresses=${[token, island, tokenOut, "BERA"].join(",")}`,
    graphql: (world) =>
      `tokenPrices(addresses: ${list([world.token, world.island, world.tokenOut, "BERA"])}, ${at(world)}) {
        id known name symbol decimals priceStrategy price { usdDouble } }`,
    ofRest: (body) => each(body, ["id", "known", "name", "symbol", "decimals", "priceStrategy", "price"]),
    ofGraphql: (data) => data.tokenPrices.map((one: Answer) => ({ ...one, price: one.price?.usdDouble ?? 0 })),
  },
  {
    question: "launches",
    rest: ({ chainId }) => `/launch/${chainId}/tokens?limit=100`,
    graphql: () => `launches(first: 100) { totalCount nodes { ${LAUNCH_FIELDS} } }`,
    ofRest: ({ count, data }) => ({ count, launches: data.map(launchOfRest) }),
    ofGraphql: ({ launches: { totalCount, nodes } }) => ({ count: totalCount, launches: nodes.map(launchOfGraphql) }),
  },
  {
    question: "launch",
    rest: ({ chainId, launched }) => `/launch/${chainId}/tokens/${launched}`,
    graphql: ({ launched }) => `launch(address: "${launched}") { ${LAUNCH_FIELDS} }`,
    ofRest: launchOfRest,
    ofGraphql: (data) => launchOfGraphql(data.launch),
  },
  {
    question: "vaults",
    rest: ({ chainId, block }) => `/vaults?chainId=${chainId}&blockNumber=${block}&limit=1000`,
    graphql: (world) => `vaults(${at(world)}, limit: 1000) { count nodes { ${VAULT_FIELDS} } }`,
    ofRest: ({ count, data }) => ({ count, vaults: data.map(vaultOfRest) }),
    ofGraphql: ({ vaults: { count, nodes } }) => ({ count, vaults: nodes.map(vaultOfGraphql) }),
  },
  {
    question: "vault",
    rest: ({ island, block }) => `/vaults/${island}?blockNumber=${block}`,
    graphql: (world) => `vault(id: "${world.island}", ${at(world)}) { ${VAULT_FIELDS} }`,
    ofRest: vaultOfRest,
    ofGraphql: (data) => vaultOfGraphql(data.vault),
  },
  {
    question: "baults",
    rest: ({ block }) => `/baults?blockNumber=${block}`,
    graphql: (world) => `baults(${at(world)}) { token { address symbol } stakingToken { address } tvl apy }`,
    ofRest: ({ data }) =>
      data.map((one: Answer) => [one.id, one.symbol, one.stakingToken.id, { tvl: one.tvl, apy: one.apy }]),
    ofGraphql: ({ baults }) =>
      baults.map(({ token, stakingToken, tvl, apy }: Answer) => [
        token.address,
        token.symbol,
        stakingToken.address,
        { tvl, apy },
      ]),
  },
  {
    question: "routerQuote",
    rest: (world) => `/router/quote?${swapPath(world)}&blockNumber=${world.block}`,
    graphql: (world) => `routerQuote(quote: {${swap(world)}}, ${at(world)}) { ${ROUTED.join(" ")} quoteId }`,
    ofRest: (body) => pick(body, [...ROUTED, "quoteId"]),
    ofGraphql: (data) => data.routerQuote,
  },
  {
    question: "quote",
    rest: (world) => `/quote?${swapPath(world)}&providers=${world.router}`,
    graphql: (world) => `quote(${swap(world)}, providers: "${world.router}") { ${QUOTED.join(" ")} provider }`,
    ofRest: (body) => pick(body, [...QUOTED, "provider"]),
    ofGraphql: (data) => data.quote,
  },
];

export const loneCases: readonly LoneCase[] = [
  { question: "tokenList", rest: ({ chainId }) => `/launch/${chainId}/tokenList.json` },
  {
    question: "account",
    graphql: (world) =>
      `account(address: "${world.account}", ${at(world)}) { balances(first: 50) { nodes { token { address } total } } }`,
  },
  { question: "token", graphql: (world) => `token(address: "${world.token}", ${at(world)}) { symbol totalSupply }` },
  { question: "tokens", graphql: (world) => `tokens(${at(world)}, first: 20) { totalCount nodes { address } }` },
  {
    question: "pricesOf",
    graphql: (world) => `token(address: "${world.token}", ${at(world)}) { price { usd strategy } }`,
  },
  {
    question: "priceHistory",
    graphql: ({ token, block }) =>
      `priceHistory(token: "${token}", from: {number: ${block - 50}}, to: {number: ${block}}, points: 4) {
         nodes { price { usd } } }`,
  },
  {
    question: "distributionHistory",
    graphql: ({ token, block }) =>
      `distributionHistory(token: "${token}", from: {number: ${block - 50}}, to: {number: ${block}}, points: 4) {
         block { number } holders top10 sources { source amount } }`,
  },
  {
    question: "pool",
    graphql: (world) => `pool(address: "${world.pool}", ${at(world)}) { tick ticks(first: 5) { tick liquidityGross } }`,
  },
  { question: "pools", graphql: (world) => `pools(token: "${world.token}", ${at(world)}) { nodes { address tick } }` },
  {
    question: "position",
    graphql: (world) => `position(id: "12", manager: "${world.manager}", ${at(world)}) { owner pool }`,
  },
  {
    question: "positions",
    graphql: (world) => `positions(pool: "${world.pool}", ${at(world)}) { nodes { id owner principal0 } }`,
  },
  {
    question: "routerQuotes",
    graphql: (world) => `routerQuotes(quotes: [{${swap(world)}}], ${at(world)}) { outcomes { quote { quote } } }`,
  },
  {
    question: "facts",
    graphql: (world) => `facts(${at(world)}) { transfers(last: 3) { totalCount nodes { token amount } } }`,
  },
  {
    question: "series",
    graphql: ({ token, from, to }) =>
      `tokenSeries(token: "${token}", interval: day, from: ${from}, to: ${to}) { start transfers priceUSD }`,
  },
];
