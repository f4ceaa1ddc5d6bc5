// Written by `npm run client:types` from the OpenAPI document: change that, not this.

export type Balances = {
  results: BalanceResult[];
  lastSyncedBlock: number;
};

export type BalanceResult = {
  /** Lower case */
  account: string;
  /** Whole tokens, nearest double of the exact sum */
  total: number;
  sources: ({
    /** What the account itself holds, in this order; `balance` is its own wallet */
    source: "balance" | "v2-pool" | "island" | "farm" | "reward_vault" | "external_vaults" | "v3-position";
    /** Whole tokens, nearest double */
    value: number;
    /** The one id that the kind of source has; left out for `balance` and `external_vaults` */
    extraData?: {
      pairId?: string;
      islandId?: string;
      farmId?: string;
      rewardVaultId?: string;
      /** Token id, or the number of a position held in the pool itself */
      positionId?: string;
    };
  })[];
  /** `<source>: <value>` items joined by a comma and a space */
  expanded: string;
};

export type Failure = {
  error: {
    /** Stable: what programs decide by */
    code: string;
    /** What to do, for people */
    message: string;
    /** Data; of INVALID_INPUT the `parameter` that is wrong */
    details?: Record<string, unknown>;
  };
};

export type ClaimTree = {
  /** What the contract is given */
  root: string;
  /** `address`, `uint256`: a leaf is the double keccak256 of both, ABI-encoded */
  leafEncoding: string[];
  chainId: string;
  token: string;
  /** Empty when not known */
  decimals: string;
  block: string;
  blockHash: string;
  proofs: {
    account: string;
    /** Everything it had, raw units */
    amount: string;
    proof: string[];
  }[];
};

export type BalanceStep = {
  block: number;
  timestamp: number | null;
  /** At the end of the block, raw units */
  amount: string;
  /** The same in whole tokens, exact; null without decimals */
  amountDecimal: string | null;
  /** Since the block before, raw units */
  delta: string;
  /** The same in whole tokens, exact; null without decimals */
  deltaDecimal: string | null;
};

export type BalanceChange = {
  account: string;
  /** At the end of fromBlock, raw units */
  before: string;
  /** The same in whole tokens, exact; null without decimals */
  beforeDecimal: string | null;
  /** At the end of toBlock, raw units */
  after: string;
  /** The same in whole tokens, exact; null without decimals */
  afterDecimal: string | null;
  /** What was gained, negative when lost, raw units */
  delta: string;
  /** The same in whole tokens, exact; null without decimals */
  deltaDecimal: string | null;
};

export type TimeWeightedBalance = {
  account: string;
  /** With lookThrough=false: amounts times weight at the ends of all blocks, added up, raw units */
  numerator?: string;
  /** With lookThrough=false: what all blocks weigh together */
  denominator?: number;
  /** Rounded down once for each way from the token to the account; with lookThrough=false once, raw units */
  averageRoundedDown: string;
  /** The same in whole tokens, exact; null without decimals */
  averageRoundedDownDecimal: string | null;
  /** Left out with lookThrough=false */
  sources?: ({
    source: string;
    /** On average, in this way, raw units */
    amount: string;
    /** The same in whole tokens, exact; null without decimals */
    amountDecimal: string | null;
    extraData?: Record<string, string>;
  })[];
};

export type Unattributed = {
  contract: string;
  reason: string;
  /** What cannot be attributed to any account, raw units */
  amount: string;
  /** The same in whole tokens, exact; null without decimals */
  amountDecimal: string | null;
  /** Ids of the assets passed on the way there, the token first */
  path: string[];
};

export type DistributionSource = {
  source: string;
  /** What all accounts have in this way, raw units */
  amount: string;
  /** The same in whole tokens, exact; null without decimals */
  amountDecimal: string | null;
  /** Contracts that issued what the accounts hold; 0 for balance */
  contractsCount: number;
  /** The largest 100 of them */
  contracts: ({
    contract: string;
    /** Where it is a token itself */
    symbol: string | null;
    /** What all accounts have through it, raw units */
    amount: string;
    /** The same in whole tokens, exact; null without decimals */
    amountDecimal: string | null;
    /** The contracts on each way, from where the token lies to the contract itself; the largest first */
    ways: ({
      contracts: string[];
      /** What comes this way, raw units */
      amount: string;
      /** The same in whole tokens, exact; null without decimals */
      amountDecimal: string | null;
    })[];
  })[];
};

export type Reward = {
  account: string;
  /** Average of what counts, each part rounded down, raw units */
  averageRoundedDown: string;
  /** The same, each part times its multiplier: an exact decimal */
  points: string;
  /** Of all points, a decimal of up to 18 places */
  shareRoundedDown: string;
  /** Of the reward token, raw units */
  amount: string;
};

export type TimeInRange = {
  pool: string;
  fromBlock: number;
  toBlock: number;
  tickLower: number;
  tickUpper: number;
  /** From the first block's time to the last one's */
  seconds: number;
  /** While the tick was from tickLower up to but not including tickUpper */
  secondsInside: number;
  /** What the pool's own number grew by, times 2^128, modulo 2^160 */
  secondsPerLiquidityInsideX128: string;
  /** Null where only ticks are given */
  position: {
    /** Its liquidity times the seconds in which it was in range */
    liquiditySeconds: string;
    /** Its part of the liquidity in range, times the seconds, times 2^128 */
    secondsInsideX128: string;
  } | null;
};

export type PoolMoment = {
  block: number;
  timestamp: number;
  /** Null before the pool had a price */
  sqrtPriceX96: string | null;
  tick: number | null;
  /** In range */
  liquidity: string | null;
};

export type ShareMoment = {
  block: number;
  timestamp: number | null;
  /** Of the share, raw units */
  supply: string;
  /** The same in whole tokens, exact; null without decimals */
  supplyDecimal: string | null;
  /** Empty before the contract existed, and while its state is unknown */
  parts: ({
    token: string;
    /** Behind all shares, as the contract counts, raw units */
    amount: string;
    /** Behind one whole share; null where there is none, raw units */
    perShareRoundedDown: string | null;
  })[];
};

export type Vault = {
  /** The share token: an island or a v2 pair */
  id: string;
  /** `kodiak`: an island */
  provider: "kodiak" | "v2";
  /** An island's v3 pool; a pair's own address */
  poolAddress: string;
  lowerTick: number | null;
  upperTick: number | null;
  /** Null while there is no price */
  currentTick: number | null;
  /** Of a swap, in hundredths of a basis point */
  feeTier: number | null;
  /** What stands behind all shares, USD; null when not known: see unpriced, unread, stopped and incomplete */
  tvl: number | null;
  /** What of it is staked, USD; null when not known: see unpriced, unread, stopped and incomplete */
  farmTvl: number | null;
  /** LP fees of the trailing week, after protocol and manager, in percent points: 5.8 means 5.8 % a year; null when not known: see unpriced, unread, stopped and incomplete */
  apr: number | null;
  /** All reward vaults and farms together, in percent points: 5.8 means 5.8 % a year; null when not known: see unpriced, unread, stopped and incomplete */
  farmApr: number | null;
  /** Both, in percent points: 5.8 means 5.8 % a year; null when not known: see unpriced, unread, stopped and incomplete */
  totalApr: number | null;
  /** LP fees of the trailing week, USD; null when not known: see unpriced, unread, stopped and incomplete */
  weeklyFeesEarnedUSD: number | null;
  /** Time of the block, ISO 8601 */
  lastUpdated: string;
  /** A farm pays now, or a whitelisted reward vault has incentives left; null where only a farm in unread could */
  isSweetened: boolean | null;
  isRewardVault: boolean;
  isVolatile: boolean;
  /** Left out where nobody manages the island; null when unknown: neither events nor the node give it */
  managerTreasury?: string | null;
  managerFeeBps: number | null;
  token0: VaultToken;
  token1: VaultToken;
  tokenLp: (VaultToken) & ({
    /** Of one share, USD; null when not known: see unpriced, unread, stopped and incomplete */
    price?: number | null;
    /** Null without decimals, and where the ledger of the shares is impossible */
    totalSupply: number | null;
  });
  /** Whole tokens behind all shares; null when unknown */
  amount0: number | null;
  amount1: number | null;
  farm?: VaultFarm;
  /** With withBaults */
  baults?: Bault[];
  /** Tokens whose missing price or unknown amount leaves some number unknown, shares of the pool and of baults over it too; the share itself also where the island's state, now or a week ago, is unknown */
  unpriced: string[];
  /** Farms that have not been read from the chain: what they pay is not known */
  unread: string[];
  /** Where nobody can say who has shares of it, as a ledger is impossible: the share itself, or vaults and farms over it or its baults. What it depends on is null */
  stopped: string[];
  /** Why it is unknown what stands behind the shares. stopped: its events contradict each other; waiting: its settings are not read yet; undetermined: neither events nor the node give its range or fee */
  incomplete: "stopped" | "waiting" | "undetermined" | null;
  /** With user: both below */
  balanceUSD?: number | null;
  /** With user: shares in the wallet */
  vaultBalanceUSD?: number | null;
  /** With user: staked, to any depth */
  farmBalanceUSD?: number | null;
  /** With user: the same in shares; null without decimals, and when not known: see stopped */
  balances?: {
    balance: number | null;
    vaultBalance: number | null;
    farmBalance: number | null;
  };
};

export type VaultToken = {
  /** Lower case */
  id: string;
  symbol: string;
  name: string;
  /** Null where the contract gives none that can be used */
  decimals: number | null;
  /** Of one whole token, USD; null when not known: see unpriced, unread, stopped and incomplete */
  price: number | null;
};

/** The largest; left out where there is none */
export type VaultFarm = {
  id: string;
  /** `kodiak`: a farm of locked stakes; `bgt`: a reward vault */
  provider: "kodiak" | "bgt";
  /** What is staked, USD; null when not known: see unpriced, unread, stopped and incomplete */
  tvl: number | null;
  /** What is paid on it, in percent points: 5.8 means 5.8 % a year; null when not known: see unpriced, unread, stopped and incomplete */
  apr: number | null;
  /** Per second, raw units, in the order of rewardTokens; null: see unread */
  rewardRates: string[] | null;
  stakingToken: string;
  /** Null when not known: see unread */
  rewardTokens: VaultToken[] | null;
};

export type Bault = {
  id: string;
  /** Percent a year, compounded, at the pace of the trailing week; null when not known */
  apy: number | null;
  blacklisted: boolean;
  /** Of one share, USD; null when not known: see unpriced, unread, stopped and incomplete */
  price: number | null;
  /** Whole shares of the pool; null without decimals, and where the ledger of the stakes in a reward vault over them is impossible */
  totalAssets: number | null;
  /** Null without decimals, and where the ledger of the shares is impossible */
  totalSupply: number | null;
};

export type LaunchedToken = {
  /** The token's address, lower case; the same as `address` */
  id: string;
  address: string;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  /** Whole tokens; null without decimals */
  totalSupply: number | null;
  /** The contract with the curve, often the token itself */
  poolAddress: string;
  /** What buys it */
  baseToken: string;
  deployer: string;
  /** ISO 8601, UTC */
  createdAt: string;
  createdBlock: number;
  graduated: boolean;
  /** ISO 8601, UTC */
  graduatedAt: string | null;
  /** The v2 pair that it graduated into */
  dexPair: string | null;
  /** Whole base tokens per token: of the curve, after graduation of the pair; null without decimals */
  price: number | null;
  /** Null where there is no price */
  priceUSD: number | null;
  /** priceUSD of the whole supply */
  marketCapUSD: number | null;
  /** Whole base tokens in the curve; once graduated, at its end; null without decimals */
  raised: number | null;
  /** Whole base tokens that selling the whole range brings in; null without decimals */
  totalRaise: number | null;
  /** raised ÷ totalRaise; 1 once graduated */
  progress: number;
  /** All trades on the curve, each at the price of its block; null where none has a price, and while that is still worked out */
  volumeUSD: number | null;
  /** Whole base tokens of trades at whose time there was no price: missing in volumeUSD; null without decimals */
  unpricedVolume: number | null;
  /** Wallets that are not empty, without launch pools and the zero address; null when unknown */
  holdersCount: number | null;
  /** Trades on the curve */
  swapsCount: number;
  /** Always null */
  description: string | null;
  /** Always empty */
  socials: Record<string, string>;
  /** Always null */
  logoURI: string | null;
};

export type TokenList = {
  name: string;
  /** ISO 8601, UTC */
  timestamp: string;
  version: {
    major: number;
    minor: number;
    patch: number;
  };
  tokens: {
    chainId: number;
    address: string;
    name: string;
    symbol: string;
    decimals: number;
  }[];
};

export type TokenPrice = {
  /** As asked, addresses in lower case */
  id: string;
  /** Empty when unknown, or when the contract gives none */
  symbol: string;
  name: string;
  /** 0 when unknown, or when the contract gives no number from 0 to 77 */
  decimals: number;
  /** USD per whole token, nearest double; 0 when it has no price */
  price: number;
  /** Whole tokens, nearest double; 0 when unknown */
  totalSupply: number;
  priceStrategy: "fixed" | "pool" | "vault" | "curve" | "none";
  /** Time of the last synced block */
  lastIndexed: string;
  /** Whether any event of the token is recorded up to the block */
  known: boolean;
  /** Of a share without a price: the tokens behind it that lack one */
  unpriced?: string[];
};

export type SwapQuote = {
  id: string;
  /** USD of `amount`; null without a price */
  amountDecimalsUSD: string | null;
  /** USD of `quote`; null without a price */
  quoteDecimalsUSD: string | null;
  /** USD of one whole token; null without a price */
  tokenInPriceUSD: string | null;
  /** USD of one whole token; null without a price */
  tokenOutPriceUSD: string | null;
  /** A fraction, fees excluded, negative when adverse; null where no path of our own takes the amount */
  priceImpact: string | null;
  methodParameters?: QuoteMethod;
  /** The block our own part is based on */
  blockNumber: string;
  /** As asked: of the input for exactIn, of the output for exactOut */
  amount: string;
  /** The same in whole tokens */
  amountDecimals: string;
  /** What is received for exactIn, before the referral fee; what is paid for exactOut */
  quote: string;
  /** The same in whole tokens */
  quoteDecimals: string;
  /** Units */
  gasUseEstimate: string;
  /** USD of it; null without a price */
  gasUseEstimateUSD: string | null;
  /** Base fee of the block and the chain's usual tip */
  gasPriceWei: string;
  /** Empty when the provider shows no paths */
  route: QuoteHop[][];
  routeString: string;
  quoteId: string;
  provider: string;
  /** As asked */
  params: Record<string, string | number>;
  /** Raw units of the output token */
  refFee: string;
  /** The provider's own quote with its own transaction, and without the referral fee */
  otherQuote: {
    id: string;
    /** USD of `amount`; null without a price */
    amountDecimalsUSD: string | null;
    /** USD of `quote`; null without a price */
    quoteDecimalsUSD: string | null;
    /** USD of one whole token; null without a price */
    tokenInPriceUSD: string | null;
    /** USD of one whole token; null without a price */
    tokenOutPriceUSD: string | null;
    /** A fraction, fees excluded, negative when adverse; null where no path of our own takes the amount */
    priceImpact: string | null;
    methodParameters?: QuoteMethod;
    /** The block our own part is based on */
    blockNumber: string;
    /** As asked: of the input for exactIn, of the output for exactOut */
    amount: string;
    /** The same in whole tokens */
    amountDecimals: string;
    /** What is received for exactIn, before the referral fee; what is paid for exactOut */
    quote: string;
    /** The same in whole tokens */
    quoteDecimals: string;
    /** Units */
    gasUseEstimate: string;
    /** USD of it; null without a price */
    gasUseEstimateUSD: string | null;
    /** Base fee of the block and the chain's usual tip */
    gasPriceWei: string;
    /** Empty when the provider shows no paths */
    route: QuoteHop[][];
    routeString: string;
    quoteId: string;
    provider: string;
    /** As asked */
    params: Record<string, string | number>;
    /** Raw units of the output token */
    refFee: string;
  };
  /** With debug=true: one entry for each provider */
  expl?: ProviderResult[];
};

/** With recipient and slippageTolerance */
export type QuoteMethod = {
  calldata: string;
  /** Native coin to send along, a hex quantity */
  value: string;
  to: string;
  /** The four tuples of the aggregator contract's call in this order; empty for calls of other contracts */
  decodedArgs: ({
    token: string;
    wrap: boolean;
    /** Raw units */
    amount: string;
  } | {
    token: string;
    unwrap: boolean;
    /** Raw units */
    minAmountOut: string;
    receiver: string;
  } | {
    router: string;
    data: string;
  } | {
    /** The quote, before the referral fee */
    feeQuote: string;
    surplusFeeBps: string;
    refCode: string;
    referrerFeeBps: string;
  })[];
};

export type QuoteHop = {
  /** v3-pool, v2-pool, or the provider's name of an exchange whose pools are not indexed */
  type: string;
  address: string;
  tokenIn: QuoteToken;
  tokenOut: QuoteToken;
  /** Hundredths of a basis point; null when unknown */
  fee: string | null;
  /** Of indexed v3 pools */
  liquidity?: string;
  /** Of indexed v3 pools */
  sqrtRatioX96?: string;
  /** Of indexed v3 pools */
  tickCurrent?: string;
  /** Of indexed v2 pairs */
  reserve0?: {
    token: QuoteToken;
    /** Raw units */
    quotient: string;
  };
  /** Of indexed v2 pairs */
  reserve1?: {
    token: QuoteToken;
    /** Raw units */
    quotient: string;
  };
  /** Raw units that a v2 pair holds beyond its reserve, where it does: a swap that sells the token counts them as sold */
  unsynced0?: string;
  /** Raw units that a v2 pair holds beyond its reserve, where it does: a swap that sells the token counts them as sold */
  unsynced1?: string;
  /** On the first hop of a path */
  amountIn?: string;
  /** On the last hop of a path */
  amountOut?: string;
};

export type QuoteToken = {
  chainId: number;
  decimals: string | null;
  address: string;
  symbol: string | null;
};

export type ProviderResult = {
  provider: string;
  status: "success" | "no_route" | "timeout" | "error" | "rate_limited" | "unsupported" | "skipped";
  /** Milliseconds */
  executionTime: string;
  /** Whole tokens; 0 without an answer */
  output: string;
  /** The weight that ranking multiplies with */
  priority: string;
  /** Units; 0 without an answer */
  gas: string;
  /** Why there is no answer */
  message?: string;
};

export type RouterQuote = {
  /** The block answered */
  blockNumber: string;
  /** As asked: of the input for exactIn, of the output for exactOut */
  amount: string;
  /** The same in whole tokens */
  amountDecimals: string;
  /** What is received for exactIn, what is paid for exactOut */
  quote: string;
  /** The same in whole tokens */
  quoteDecimals: string;
  /** Raw units of the output that lie in the router and are paid on top, where there are any; they are not guaranteed */
  sweptFromRouter?: string;
  /** Less gas for exactIn, with gas for exactOut; may be negative; null when it is unknown what gas costs in that token */
  quoteGasAdjusted: string | null;
  quoteGasAdjustedDecimals: string | null;
  /** Gas in the quote's token, rounded up */
  gasUseEstimateQuote: string | null;
  gasUseEstimateQuoteDecimals: string | null;
  /** Units of gas */
  gasUseEstimate: string;
  /** Null without a price */
  gasUseEstimateUSD: string | null;
  /** Base fee of the block and the chain's usual tip */
  gasPriceWei: string;
  /** A fraction, fees excluded, negative when adverse */
  priceImpact: string;
  /** Paths in the order in which the transaction executes them */
  route: RouteHop[][];
  routeString: string;
  quoteId: string;
  methodParameters?: SwapTransaction;
};

export type RouteHop = {
  type: "v3-pool";
  address: string;
  tokenIn: RouteToken;
  tokenOut: RouteToken;
  /** Hundredths of a basis point */
  fee: string;
  /** On the first hop of a path */
  amountIn?: string;
  /** On the last hop of a path */
  amountOut?: string;
  /** In range */
  liquidity: string;
  /** As in `slot0` */
  sqrtRatioX96: string;
  /** As in `slot0` */
  tickCurrent: string;
} | {
  type: "v2-pool";
  address: string;
  tokenIn: RouteToken;
  tokenOut: RouteToken;
  /** Hundredths of a basis point */
  fee: string;
  /** On the first hop of a path */
  amountIn?: string;
  /** On the last hop of a path */
  amountOut?: string;
  reserve0: {
    token: RouteToken;
    /** Raw units */
    quotient: string;
  };
  reserve1: {
    token: RouteToken;
    /** Raw units */
    quotient: string;
  };
  /** Raw units that a v2 pair holds beyond its reserve, where it does: a swap that sells the token counts them as sold */
  unsynced0?: string;
  /** Raw units that a v2 pair holds beyond its reserve, where it does: a swap that sells the token counts them as sold */
  unsynced1?: string;
};

export type RouteToken = {
  chainId: number;
  decimals: string | null;
  address: string;
  symbol: string | null;
};

/** With recipient and slippageTolerance */
export type SwapTransaction = {
  calldata: string;
  /** Native coin to send along, a hex quantity */
  value: string;
  to: string;
};

export type NoRoute = {
  detail: string;
  errorCode: "NO_ROUTE";
};

export type GraphqlResult = {
  data?: Record<string, unknown> | null;
  errors?: ({
    message: string;
    locations?: {
      line: number;
      column: number;
    }[];
    path?: (string | number)[];
    /** `code`, and `details` as in REST */
    extensions?: Record<string, unknown>;
  })[];
};

export type SqlAnswer = {
  block: number;
  blockHash: string;
  columns: {
    name: string;
    /** DuckDB's name of it */
    type: string;
  }[];
  /** Integers beyond 2^53 and amounts are text */
  rows: Record<string, unknown>[];
  rowCount: number;
};

export type Status = {
  chainId: number;
  chain: string;
  /** folding: the index is being made, or another one takes its place; failing: a part dies again and again, hangs or is not running; unknown: the node has not reported its head for some seconds, or lacks blocks that are final here; stalled: every part lives, and no block is folded; incomplete: facts begin later than a contract of the chain file; stopped: the chain has replaced blocks that were final */
  state: "starting" | "backfilling" | "folding" | "ready" | "failing" | "unknown" | "stalled" | "incomplete" | "stopped";
  /** One sentence; null when ready */
  reason: string | null;
  firstBlock: number;
  lastSyncedBlock: number | null;
  lastSyncedTimestamp: number | null;
  chainHead: number | null;
  /** Blocks between the chain's head and lastSyncedBlock */
  lag: number | null;
  /** When the node last reported its head, ISO 8601 */
  chainHeadAt: string | null;
  /** Why the chain's head could not be asked for */
  rpcError: string | null;
  /** Whether the logs of new blocks are compared with the blocks' blooms */
  blooms: {
    /** False: only receipts show whether the node's logs are complete */
    areChecked: boolean;
    /** Why not; null while they are */
    reason: string | null;
    /** The last block where this was found; null where CHECK_BLOOMS turns the check off */
    block: number | null;
    since: string | null;
  };
  fold: {
    /** Highest block in the fold's tables */
    watermark: number;
    /** Last block that cannot be replaced */
    finalized: number;
    facts: number;
    updatedAt: string;
  } | null;
  builds: {
    ponderSchema: string;
    ponderBuild: string;
    foldSchema: string;
    since: string | null;
  } | null;
  tokens: {
    tracked: number;
    withMetadata: number;
  } | null;
  /** What was pruned from PostgreSQL; null: nothing */
  pruned: {
    /** States at the ends of blocks below it are answered from the history lake */
    below: number;
    /** States at the ends of these blocks can be answered at once; others are loaded when they are asked for */
    loaded: {
      first: number;
      last: number;
      rows: number;
      since: string;
    }[];
  } | null;
  quarantinedCount: number;
  quarantined: ({
    token: string;
    name: string | null;
    symbol: string | null;
    block: number;
    /** Null when the contract's answers, not a log, are the reason */
    logIndex: number | null;
    account: string | null;
    reason: string;
  })[];
  metadataProblems: ({
    token: string;
    problem: string;
    attempts: number | null;
  })[];
  flags: {
    token: string;
    flag: string;
    block: number;
    detail: string;
  }[];
  waiting: ({
    step: string;
    /** The contract that waits, while everything else goes on; null: the fold goes no further */
    address: string | null;
    /** From here on */
    block: number;
    reason: string;
    since: string;
  })[];
  waitingContractsCount: number;
  stoppedPoolsCount: number;
  stoppedPools: {
    pool: string;
    block: number;
    logIndex: number;
    field: string;
    expected: string;
    replayed: string;
  }[];
  /** Only kinds of which something has stopped */
  stoppedCounts: {
    kind: string;
    count: number;
  }[];
  /** Everything that has stopped, pools too: position managers, then in order of blocks */
  stopped: {
    kind: string;
    address: string;
    block: number;
    logIndex: number;
    reason: string;
  }[];
  /** The processes that write this chain's indexes */
  parts: ({
    /** indexer: Ponder */
    part: "indexer" | "fold";
    /** What it writes */
    schema: string;
    /** Gateways read what it writes */
    isLive: boolean;
    /** failing: it died again and again; silent: its sign of life is overdue */
    state: "working" | "failing" | "silent";
    reason: string | null;
    /** In a row, without half a minute of life between */
    deaths: number;
    startedAt: string;
    /** When it last gave a sign of life */
    heardAt: string;
  })[];
  /** The writer of the history lake; null where none has ever run */
  lake: {
    /** It gave a sign of life within the last seconds */
    isRunning: boolean;
    /** The last block of what it has written */
    block: number | null;
    writtenAt: string | null;
    /** When it last gave a sign of life */
    heardAt: string;
    /** What it is waiting for and cannot go on without */
    waitsFor: string | null;
    /** The error that ended it last; null once it has gone on since */
    error: string | null;
  } | null;
  /** Null where SQL is not turned on */
  sql: {
    isAnswering: boolean;
    /** The index's head at the last statement */
    block: number | null;
    /** The last block of the history lake; newer ones come from the index */
    lakeBlock: number | null;
  } | null;
};

/** What every operation takes and answers. */
export interface Operations {
  /** Who held how much of a token at a block */
  getBalances: {
    method: "GET";
    path: "/balances/{token}";
    params: {
      token: string;
    };
    query: {
      /** Beyond the chain's head it means the last synced block; it or timestamp is needed */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** At most 10,000 addresses; without it all holders */
      users?: string[];
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: Balances;
  };
  /** The same with a body, for long lists */
  postBalances: {
    method: "POST";
    path: "/balances/{token}";
    params: {
      token: string;
    };
    query: {
      /** Where the body names no block */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
      /** Where the body names none */
      users?: string[];
    };
    body: {
      blockNumber?: number | string;
      timestamp?: number | string;
      chainId?: number | string;
      users?: string[];
    };
    answer: Balances;
  };
  /** A Merkle tree over who held how much, with everybody's proof */
  getBalancesTree: {
    method: "GET";
    path: "/balances/{token}/merkle";
    params: {
      token: string;
    };
    query: {
      /** Beyond the chain's head it means the last synced block; it or timestamp is needed */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: ClaimTree;
  };
  /** Every change of what one account had in its own wallet */
  getBalanceHistory: {
    method: "GET";
    path: "/balances/{token}/history";
    params: {
      token: string;
    };
    query: {
      account: string;
      /** First block of the range; it or fromTimestamp is needed */
      fromBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      fromTimestamp?: string;
      /** Last block, included; beyond the chain's head it means the last synced one */
      toBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      toTimestamp?: string;
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: {
      results: BalanceStep[];
      token: string;
      fromBlock: number;
      toBlock: number;
      account: string;
      /** At the end of fromBlock, raw units */
      opening: string;
      /** The same in whole tokens, exact; null without decimals */
      openingDecimal: string | null;
      /** At the end of toBlock, raw units */
      closing: string;
      /** The same in whole tokens, exact; null without decimals */
      closingDecimal: string | null;
    };
  };
  /** Whose own wallet gained and whose lost */
  getBalanceChanges: {
    method: "GET";
    path: "/balances/{token}/changes";
    params: {
      token: string;
    };
    query: {
      /** First block of the range; it or fromTimestamp is needed */
      fromBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      fromTimestamp?: string;
      /** Last block, included; beyond the chain's head it means the last synced one */
      toBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      toTimestamp?: string;
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: {
      results: BalanceChange[];
      token: string;
      fromBlock: number;
      toBlock: number;
    };
  };
  /** What was held on average over the blocks of a range, both ends included */
  getTimeWeightedBalances: {
    method: "GET";
    path: "/balances/{token}/time-weighted";
    params: {
      token: string;
    };
    query: {
      /** First block of the range; it or fromTimestamp is needed */
      fromBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      fromTimestamp?: string;
      /** Last block, included; beyond the chain's head it means the last synced one */
      toBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      toTimestamp?: string;
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Chain id; without it the first chain served */
      chainId?: string;
      /** At most 10,000 addresses; without it everybody */
      users?: string[];
      /** What a block weighs: 1, or the seconds until the next one, the last block of the range nothing */
      weight?: "blocks" | "seconds";
      /** false: what was in wallets alone */
      lookThrough?: "true" | "false";
    };
    body: undefined;
    answer: {
      results: TimeWeightedBalance[];
      token: string;
      fromBlock: number;
      toBlock: number;
      weight: "blocks" | "seconds";
      /** What all blocks weigh together */
      weightTotal: number;
      /** On average, rounded down; null with users, raw units */
      supply?: string | null;
      /** The same in whole tokens, exact; null without decimals */
      supplyDecimal?: string | null;
      /** Of supply, beside all averages and all that is unattributed, raw units */
      rounding?: string | null;
      unattributed?: Unattributed[] | null;
    };
  };
  /** How many hold a token at a block */
  getHoldersCount: {
    method: "GET";
    path: "/balances/{token}/holders-count";
    params: {
      token: string;
    };
    query: {
      /** It or timestamp is needed */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: {
      token: string;
      blockNumber: number;
      /** Addresses whose own wallet is not empty, contracts too */
      wallets: number;
      /** Accounts with a total above zero, as /balances lists them */
      holders: number;
    };
  };
  /** Where a token sat at a block */
  getDistribution: {
    method: "GET";
    path: "/balances/{token}/distribution";
    params: {
      token: string;
    };
    query: {
      /** It or timestamp is needed */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: {
      token: string;
      blockNumber: number;
      /** At the end of the block, raw units */
      supply: string;
      /** The same in whole tokens, exact; null without decimals */
      supplyDecimal: string | null;
      /** As /holders-count counts them */
      holders: number;
      /** What the 10 accounts with the largest totals have together, raw units */
      top10: string;
      /** The same in whole tokens, exact; null without decimals */
      top10Decimal: string | null;
      /** The same of 100 accounts, raw units */
      top100: string;
      /** The same in whole tokens, exact; null without decimals */
      top100Decimal: string | null;
      /** In the order of `sources` in /balances */
      sources: DistributionSource[];
      /** With all sources it sums up to the supply */
      unattributed: Unattributed[];
    };
  };
  /** A campaign's budget given out by average holdings */
  postRewards: {
    method: "POST";
    path: "/rewards";
    params: Record<string, never>;
    query: {
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
    };
    body: {
      chainId: number;
      /** The token to hold; with inRange one of the pool's two tokens */
      token: string;
      reward: {
        token: string;
        /** Raw units, all of which are given out */
        budget: string;
      };
      /** Both blocks are included; a time means the last block at or before it */
      range: {
        fromBlock?: number;
        toBlock?: number;
        fromTimestamp?: number;
        toTimestamp?: number;
      };
      weight?: "blocks" | "seconds";
      counts: {
        held?: "anywhere";
        /** These alone, each as often as its multiplier says */
        sources?: ({
          kind: "balance" | "v2-pool" | "island" | "farm" | "reward_vault" | "external_vaults" | "v3-position";
          /** Of this contract alone, instead of the multiplier of its kind */
          contract?: string;
          multiplier?: string;
        })[];
        /** Instead of amounts of the token: liquidity of this v3 pool's positions while the price was within them */
        inRange?: {
          pool: string;
        };
      };
      /** Accounts that get nothing */
      exclude?: string[];
      /** Average of what counts, before multipliers, that an account must reach */
      minimum?: string;
      /** The most that one account gets, but for what a treasury gets as the remainder */
      cap?: {
        /** Of the budget */
        basisPoints?: number;
        /** Raw units of the reward token */
        amount?: string;
      };
      /** Who gets what rounding and the cap leave over; without it one unit each goes to the largest fractions */
      remainder?: {
        treasury: string;
      };
    };
    answer: {
      results: Reward[];
      /** As it was understood: with its defaults, addresses in lower case */
      campaign: Record<string, unknown>;
      from: {
        number: number;
        hash: string | null;
        timestamp: number | null;
      };
      to: {
        number: number;
        hash: string | null;
        timestamp: number | null;
      };
      /** false: a reorganisation may still replace the last block */
      isFinal: boolean;
      /** What all blocks of the range weigh together: blocks or seconds */
      weightTotal: string;
      /** Of all that qualify */
      points: string;
      /** How many reach the minimum and are not excluded */
      qualified: number;
      /** How many rows there are */
      accounts: number;
      /** Of all amounts: the budget, raw units */
      sum: string;
      /** Contracts whose holding of the token cannot be attributed to accounts: it counts for nobody */
      incomplete: string[];
    };
  };
  /** How long a v3 pool's price was within two ticks, and what a position had of it */
  getTimeInRange: {
    method: "GET";
    path: "/pools/{pool}/time-in-range";
    params: {
      pool: string;
    };
    query: {
      /** First block of the range; it or fromTimestamp is needed */
      fromBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      fromTimestamp?: string;
      /** Last block, included; beyond the chain's head it means the last synced one */
      toBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      toTimestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
      /** Without a tokenId both ticks are needed */
      tickLower?: number;
      /** Above tickLower */
      tickUpper?: number;
      /** Whose position in the pool itself is meant, with both ticks */
      owner?: string;
      /** Of the pool's position manager, instead of ticks and owner */
      tokenId?: string;
    };
    body: undefined;
    answer: TimeInRange;
  };
  /** A v3 pool's price, tick and liquidity in range over a range of blocks */
  getPoolHistory: {
    method: "GET";
    path: "/pools/{pool}/history";
    params: {
      pool: string;
    };
    query: {
      /** First block of the range; it or fromTimestamp is needed */
      fromBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      fromTimestamp?: string;
      /** Last block, included; beyond the chain's head it means the last synced one */
      toBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      toTimestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
      /** Blocks evenly spaced; without it every block that changed them, at most 10000 */
      points?: number;
    };
    body: undefined;
    answer: {
      results: PoolMoment[];
      pool: string;
      fromBlock: number;
      toBlock: number;
    };
  };
  /** What stood behind a share of a v2 pair, an island or a vault over a range of blocks */
  getShareHistory: {
    method: "GET";
    path: "/shares/{share}/history";
    params: {
      share: string;
    };
    query: {
      /** First block of the range; it or fromTimestamp is needed */
      fromBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      fromTimestamp?: string;
      /** Last block, included; beyond the chain's head it means the last synced one */
      toBlock?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      toTimestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
      /** Blocks evenly spaced; 24 without it */
      points?: number;
    };
    body: undefined;
    answer: {
      results: ShareMoment[];
      share: string;
    };
  };
  /** Who held how much of a token at each of several blocks */
  getBalancesAtBlocks: {
    method: "GET";
    path: "/balances/{token}/at-blocks";
    params: {
      token: string;
    };
    query: {
      /** At most 100; with users at most 100000 amounts in all */
      blocks: number[];
      /** At most 10,000 addresses; without it everybody */
      users?: string[];
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: Record<string, Record<string, number>>;
  };
  /** The same with a body, for many users */
  postBalancesAtBlocks: {
    method: "POST";
    path: "/balances/{token}/at-blocks";
    params: {
      token: string;
    };
    query: {
      /** Where the body names none */
      users?: string[];
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: {
      blocks: number[];
      users?: string[];
      chainId?: number | string;
    };
    answer: Record<string, Record<string, number>>;
  };
  /** Votes of accounts, for Snapshot */
  postSnapshotScore: {
    method: "POST";
    path: "/snapshot/score";
    params: Record<string, never>;
    query: Record<string, never>;
    body: {
      options: {
        token: string;
        sources?: ("balance" | "v2-pool" | "island" | "farm" | "reward_vault" | "external_vaults" | "v3-position")[];
        decimals?: number;
      };
      network: number | string;
      addresses: string[];
      snapshot: number | string | "latest";
    };
    answer: {
      score: {
        /** Whole tokens × 10^options.decimals (18 where left out), rounded down */
        score: string;
        /** As it was written */
        address: string;
      }[];
    };
  };
  /** Islands and v2 pairs: what they hold, earn and pay */
  getVaults: {
    method: "GET";
    path: "/vaults";
    params: Record<string, never>;
    query: {
      /** Chain id; needed here */
      chainId: string;
      /** 20 unless given */
      limit?: number;
      /** Pools to skip */
      offset?: number;
      /** tvl unless given; balance, farmBalance, vaultBalance need user */
      orderBy?: "tvl" | "farmTvl" | "apr" | "farmApr" | "totalApr" | "balance" | "farmBalance" | "vaultBalance";
      /** desc unless given; unknown values come last in both */
      orderDirection?: "asc" | "desc";
      /** Adds what the account has; of the list only pools that it is known to have something of */
      user?: string;
      /** Part of a name or symbol of share or tokens, or a whole address */
      search?: string;
      /** true: only pools with a reward vault */
      rewardVault?: "true" | "false";
      /** true: only pools with a farm that pays now, or a whitelisted reward vault with incentives left */
      sweetened?: "true" | "false";
      /** false: only pools of two tokens pegged to the same thing, by the chain file; true: only others */
      volatile?: "true" | "false";
      /** USD; leaves out pools without a known TVL */
      minimumTvl?: string;
      /** Nests the baults over the pool; false unless given */
      withBaults?: "true" | "false";
      /** Without it and timestamp: the last synced block */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
    };
    body: undefined;
    answer: {
      count: number;
      data: Vault[];
    };
  };
  /** One of them */
  getVault: {
    method: "GET";
    path: "/vaults/{id}";
    params: {
      id: string;
    };
    query: {
      /** Adds what the account has; of the list only pools that it is known to have something of */
      user?: string;
      /** Nests the baults over the pool; true unless given */
      withBaults?: "true" | "false";
      /** Without it and timestamp: the last synced block */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: Vault;
  };
  /** Every bault, with what it takes */
  getBaults: {
    method: "GET";
    path: "/baults";
    params: Record<string, never>;
    query: {
      /** Without it and timestamp: the last synced block */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: {
      count: number;
      data: ((Bault) & ({
        symbol: string;
        name: string;
        /** Null where the contract gives none that can be used */
        decimals: number | null;
        stakingToken: VaultToken;
        /** What stands behind all shares, USD; null when not known: see unpriced, unread, stopped and incomplete */
        tvl: number | null;
      }))[];
    };
  };
  /** Tokens launched on a curve, newest first */
  getLaunches: {
    method: "GET";
    path: "/launch/{chainId}/tokens";
    params: {
      /** A chain that is served */
      chainId: string;
    };
    query: {
      /** 20 without it */
      limit?: number;
      /** Beyond the last page `data` is empty */
      page?: number;
      /** Only these tokens, by their own or their pools' addresses; at most 10,000 */
      addresses?: string[];
    };
    body: undefined;
    answer: {
      data: LaunchedToken[];
      /** Of all pages */
      count: number;
      page: number;
      limit: number;
    };
  };
  /** One launched token, by its own address or its pool's */
  getLaunch: {
    method: "GET";
    path: "/launch/{chainId}/tokens/{address}";
    params: {
      /** A chain that is served */
      chainId: string;
      address: string;
    };
    query: Record<string, never>;
    body: undefined;
    answer: LaunchedToken;
  };
  /** All graduated tokens as a Uniswap token list */
  getLaunchTokenList: {
    method: "GET";
    path: "/launch/{chainId}/tokenList.json";
    params: {
      /** A chain that is served */
      chainId: string;
    };
    query: Record<string, never>;
    body: undefined;
    answer: TokenList;
  };
  /** What tokens are, and what they were worth at a block */
  getTokens: {
    method: "GET";
    path: "/tokens";
    params: Record<string, never>;
    query: {
      /** At most 10,000. The zero address and the native symbol: the wrapped native token */
      addresses: string[];
      /** Without it or timestamp the last synced block, as beyond the chain's head */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: TokenPrice[];
  };
  /** The same with a body, for long lists */
  postTokens: {
    method: "POST";
    path: "/tokens";
    params: Record<string, never>;
    query: {
      /** Where the body names no block */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: {
      blockNumber?: number | string;
      timestamp?: number | string;
      chainId?: number | string;
      addresses: string[];
    };
    answer: TokenPrice[];
  };
  /** The best swap that any provider offers at the newest block */
  getQuote: {
    method: "GET";
    path: "/quote";
    params: Record<string, never>;
    query: {
      /** An address; for the native coin its symbol, ETH, or the zero address */
      tokenInAddress: string;
      /** The same for both tokens */
      tokenInChainId: string;
      /** An address; for the native coin its symbol, ETH, or the zero address */
      tokenOutAddress: string;
      /** The same for both tokens */
      tokenOutChainId: string;
      /** Raw units: sold for exactIn, bought for exactOut */
      amount: string;
      type: "exactIn" | "exactOut";
      /** Of the own router; all without it */
      protocols?: ("v2" | "v3" | "mixed")[];
      /** A registered referral code */
      refCode?: number;
      /** Basis points of the quote, at most what the code allows */
      referrerFeeBps?: number;
      /** Who gets the output */
      recipient?: string;
      /** Percent from 0 to 50, such as 0.5 */
      slippageTolerance?: string;
      /** Seconds for which the provider's own call is valid; 1800 without it */
      deadline?: number;
      /** Names in any case; all without it */
      providers?: string[];
      /** true adds `expl` */
      debug?: "0" | "1" | "true" | "false";
    };
    body: undefined;
    answer: SwapQuote;
  };
  /** The best swap over the indexed pools at a block */
  getRouterQuote: {
    method: "GET";
    path: "/router/quote";
    params: Record<string, never>;
    query: {
      /** An address; for the native coin its symbol, ETH, or the zero address */
      tokenInAddress: string;
      /** The same for both tokens */
      tokenInChainId: string;
      /** An address; for the native coin its symbol, ETH, or the zero address */
      tokenOutAddress: string;
      /** The same for both tokens */
      tokenOutChainId: string;
      /** Raw units: sold for exactIn, bought for exactOut */
      amount: string;
      type: "exactIn" | "exactOut";
      /** All without it */
      protocols?: ("v2" | "v3" | "mixed")[];
      /** Who gets the output */
      recipient?: string;
      /** Percent from 0 to 50, such as 0.5 */
      slippageTolerance?: string;
      /** Seconds from the last synced block on; 1800 without it */
      deadline?: number;
      /** Without it, and beyond the chain's head, the last synced block */
      blockNumber?: string;
      /** Instead of the number: the last block at or before this time, Unix seconds */
      timestamp?: string;
    };
    body: undefined;
    answer: RouterQuote;
  };
  /** A GraphQL query in the URL; GraphiQL for browsers */
  getGraphql: {
    method: "GET";
    path: "/graphql";
    params: Record<string, never>;
    query: {
      /** The document */
      query: string;
      /** A JSON object */
      variables?: string;
      operationName?: string;
    };
    body: undefined;
    answer: GraphqlResult;
  };
  /** A GraphQL query or subscription */
  postGraphql: {
    method: "POST";
    path: "/graphql";
    params: Record<string, never>;
    query: Record<string, never>;
    body: {
      query: string;
      variables?: Record<string, unknown> | null;
      operationName?: string | null;
    };
    answer: GraphqlResult;
  };
  /** One SELECT over the whole history, in DuckDB's SQL */
  postSql: {
    method: "POST";
    path: "/sql";
    params: Record<string, never>;
    query: {
      /** ndjson: a row's object per line; csv: a header and a row per line; parquet: the csv's columns as text. Exact numbers, no exponents */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: {
      /** One SELECT */
      query: string;
      /** json unless given */
      format?: "json" | "ndjson" | "csv" | "parquet";
      /** Without it the first chain served */
      chainId?: number | string;
    };
    answer: SqlAnswer;
  };
  /** How far the index is, and which tokens have unknown balances */
  getStatus: {
    method: "GET";
    path: "/status";
    params: Record<string, never>;
    query: {
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: Status;
  };
  /** Whether the head can be answered, and will be */
  getReady: {
    method: "GET";
    path: "/ready";
    params: Record<string, never>;
    query: {
      /** Chain id; without it the first chain served */
      chainId?: string;
    };
    body: undefined;
    answer: {
      ready: true;
      lastSyncedBlock: number;
      /** The build that answers */
      ponderSchema: string | null;
    };
  };
  /** Whether the process lives */
  getHealth: {
    method: "GET";
    path: "/health";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    answer: {
      status: "ok";
    };
  };
  /** Prometheus metrics */
  getMetrics: {
    method: "GET";
    path: "/metrics";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    answer: string;
  };
  /** This document */
  getOpenapi: {
    method: "GET";
    path: "/openapi.json";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    answer: Record<string, unknown>;
  };
  /** This document for people, to read and to try */
  getDocs: {
    method: "GET";
    path: "/docs";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    answer: string;
  };
}

/** Where every operation is. */
export const places = {
  getBalances: ["GET", "/balances/{token}"],
  postBalances: ["POST", "/balances/{token}"],
  getBalancesTree: ["GET", "/balances/{token}/merkle"],
  getBalanceHistory: ["GET", "/balances/{token}/history"],
  getBalanceChanges: ["GET", "/balances/{token}/changes"],
  getTimeWeightedBalances: ["GET", "/balances/{token}/time-weighted"],
  getHoldersCount: ["GET", "/balances/{token}/holders-count"],
  getDistribution: ["GET", "/balances/{token}/distribution"],
  postRewards: ["POST", "/rewards"],
  getTimeInRange: ["GET", "/pools/{pool}/time-in-range"],
  getPoolHistory: ["GET", "/pools/{pool}/history"],
  getShareHistory: ["GET", "/shares/{share}/history"],
  getBalancesAtBlocks: ["GET", "/balances/{token}/at-blocks"],
  postBalancesAtBlocks: ["POST", "/balances/{token}/at-blocks"],
  postSnapshotScore: ["POST", "/snapshot/score"],
  getVaults: ["GET", "/vaults"],
  getVault: ["GET", "/vaults/{id}"],
  getBaults: ["GET", "/baults"],
  getLaunches: ["GET", "/launch/{chainId}/tokens"],
  getLaunch: ["GET", "/launch/{chainId}/tokens/{address}"],
  getLaunchTokenList: ["GET", "/launch/{chainId}/tokenList.json"],
  getTokens: ["GET", "/tokens"],
  postTokens: ["POST", "/tokens"],
  getQuote: ["GET", "/quote"],
  getRouterQuote: ["GET", "/router/quote"],
  getGraphql: ["GET", "/graphql"],
  postGraphql: ["POST", "/graphql"],
  postSql: ["POST", "/sql"],
  getStatus: ["GET", "/status"],
  getReady: ["GET", "/ready"],
  getHealth: ["GET", "/health"],
  getMetrics: ["GET", "/metrics"],
  getOpenapi: ["GET", "/openapi.json"],
  getDocs: ["GET", "/docs"],
} as const;
