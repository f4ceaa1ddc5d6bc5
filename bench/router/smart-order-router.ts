// @uniswap/smart-order-router's AlphaRouter over the same pools in memory: every provider that would ask a node is replaced by
// one that answers at once. Its quotes come from our own exact kernel, which is faster than the quoters that it is made for.

import type { Pool, Step, V2Pool, V3Pool } from "../../core/router/pool.ts";
import { PoolTables } from "../../core/router/pool-tables.ts";
import { quoteLegs } from "../../core/router/quote-path.ts";
import type { Peers } from "./peers.ts";
import type { Query, World, WorldToken } from "./world.ts";

/** What the peer would execute: paths, and what goes into each. */
export interface PeerLeg {
  path: Step[];
  amount: bigint;
}

/** Undefined: no route. */
export type AskPeer = (query: Query) => Promise<PeerLeg[] | undefined>;

interface Sdk {
  // biome-ignore lint/suspicious/noExplicitAny: the peer's packages are not here when this is compiled
  [name: string]: any;
}

interface SdkToken {
  address: string;
}

/** The peer's own pool objects remember which of ours they stand for. */
type SdkPool = { token0: SdkToken; token1: SdkToken; fee?: number };

interface SdkRoute {
  pools?: SdkPool[];
  pairs?: SdkPool[];
  input: { address: string; wrapped: SdkToken };
}

interface SdkAmount {
  quotient: { toString(): string };
}

interface SdkAnswer {
  route: { amount: SdkAmount; route: SdkRoute }[];
}

const MAINNET = 1;

class MemoryMarket {
  readonly #sor: Sdk;
  readonly #tokens = new Map<string, SdkToken>();
  readonly #poolOf = new Map<SdkPool, Pool>();
  readonly #v3 = new Map<string, SdkPool>();
  readonly #v2 = new Map<string, SdkPool>();
  readonly #world: World;
  readonly #peers: Peers;
  readonly #tables = new PoolTables();

  constructor(peers: Peers, world: World) {
    this.#peers = peers;
    this.#world = world;
    this.#sor = peers.load("@uniswap/smart-order-router") as Sdk;
    const { Token, CurrencyAmount } = peers.load("@uniswap/sdk-core") as Sdk;
    const { Pool: SdkV3 } = peers.load("@uniswap/v3-sdk") as Sdk;
    const { Pair } = peers.load("@uniswap/v2-sdk") as Sdk;
    for (const { address, decimals, symbol } of world.tokens) {
      this.#tokens.set(address, new Token(MAINNET, address, decimals, symbol));
    }
    for (const pool of world.pools) {
      const [a, b] = [this.#tokens.get(pool.token0), this.#tokens.get(pool.token1)];
      const made: SdkPool =
        pool.kind === "v3"
          ? new SdkV3(a, b, pool.fee, String(pool.sqrtPriceX96), String(pool.liquidity), pool.tick)
          : new Pair(
              CurrencyAmount.fromRawAmount(a, String(pool.reserve0)),
              CurrencyAmount.fromRawAmount(b, String(pool.reserve1)),
            );
      this.#poolOf.set(made, pool);
      if (pool.kind === "v3") this.#v3.set(keyOf(pool.token0, pool.token1, pool.fee), made);
      else this.#v2.set(keyOf(pool.token0, pool.token1), made);
    }
  }

  tokenOf({ address }: WorldToken): SdkToken {
    return this.#tokens.get(address) as SdkToken;
  }

  pathOf(route: SdkRoute): Step[] {
    const pools = (route.pools ?? route.pairs ?? []).map((made) => this.#poolOf.get(made) ?? this.#same(made));
    let tokenIn = route.input.wrapped.address.toLowerCase();
    return pools.map((pool) => {
      const step = { pool, tokenIn };
      tokenIn = pool.token0 === tokenIn ? pool.token1 : pool.token0;
      return step;
    });
  }

  #same({ token0, token1, fee }: SdkPool): Pool {
    const made = fee === undefined ? this.#v2 : this.#v3;
    const found = made.get(keyOf(token0.address.toLowerCase(), token1.address.toLowerCase(), fee));
    if (found === undefined) throw new Error("the peer names a pool that the world does not have");
    return this.#poolOf.get(found) as Pool;
  }

  providers(gasPriceWei: bigint): Record<string, unknown> {
    const { BigNumber } = this.#peers.load("@ethersproject/bignumber") as Sdk;
    const none = { getPools: async () => [], getPool: () => undefined, getAllPools: () => [] };
    const tokens = this.#tokens;
    return {
      chainId: MAINNET,
      provider: { getBlockNumber: async () => 1, _isProvider: true },
      multicall2Provider: {},
      v4SubgraphProvider: none,
      v4PoolProvider: {
        getPools: async () => ({ getPool: () => undefined, getPoolById: () => undefined, getAllPools: () => [] }),
      },
      v3SubgraphProvider: { getPools: async () => this.#listed("v3") },
      v2SubgraphProvider: { getPools: async () => this.#listed("v2") },
      v3PoolProvider: this.#poolProvider(this.#v3, "v3"),
      v2PoolProvider: this.#poolProvider(this.#v2, "v2"),
      onChainQuoteProvider: {
        getQuotesManyExactIn: async (amounts: SdkAmount[], routes: SdkRoute[]) => this.#quotes(amounts, routes),
      },
      tokenProvider: {
        getTokens: async () => ({
          getTokenByAddress: (address: string) => tokens.get(address.toLowerCase()),
          getTokenBySymbol: () => undefined,
          getAllTokens: () => [...tokens.values()],
        }),
      },
      gasPriceProvider: { getGasPrice: async () => ({ gasPriceWei: BigNumber.from(String(gasPriceWei)) }) },
      blockedTokenListProvider: { getTokenByAddress: async () => undefined, hasTokenByAddress: async () => false },
      tokenValidatorProvider: { validateTokens: async () => ({ getValidationByToken: () => undefined }) },
      tokenPropertiesProvider: { getTokensProperties: async () => ({}) },
      swapRouterProvider: {},
    };
  }

  /** What a subgraph would list: pools with their value, by which the peer picks its candidates. */
  #listed(kind: "v2" | "v3"): unknown[] {
    const weth = this.#world.tokens[0]?.price ?? 1;
    return this.#world.pools.flatMap((pool, n): unknown[] => {
      if (pool.kind !== kind) return [];
      const usd = this.#world.worth[n] ?? 0;
      const ends = { id: pool.address, token0: { id: pool.token0 }, token1: { id: pool.token1 } };
      return kind === "v3"
        ? [
            {
              ...ends,
              feeTier: String(pool.fee),
              liquidity: String((pool as V3Pool).liquidity),
              tvlETH: usd / weth,
              tvlUSD: usd,
            },
          ]
        : [{ ...ends, supply: Math.sqrt(Number((pool as V2Pool).reserve0)), reserve: usd / weth, reserveUSD: usd }];
    });
  }

  #poolProvider(made: Map<string, SdkPool>, kind: "v2" | "v3"): unknown {
    const find = (a: SdkToken, b: SdkToken, fee?: number) => {
      const [one, other] = [a.address.toLowerCase(), b.address.toLowerCase()].sort() as [string, string];
      return made.get(keyOf(one, other, kind === "v3" ? fee : undefined));
    };
    const addressOf = (a: SdkToken, b: SdkToken, fee?: number) => {
      const found = find(a, b, fee);
      const [token0, token1] = a.address.toLowerCase() < b.address.toLowerCase() ? [a, b] : [b, a];
      const name = `${kind} ${token0.address} ${token1.address} ${fee}`;
      return { poolAddress: found === undefined ? name : (this.#poolOf.get(found) as Pool).address, token0, token1 };
    };
    return {
      getPoolAddress: addressOf,
      getPools: async (wanted: [SdkToken, SdkToken, number?][]) => {
        const all = new Set(wanted.flatMap(([a, b, fee]) => find(a, b, fee) ?? []));
        const byAddress = new Map([...all].map((pool) => [(this.#poolOf.get(pool) as Pool).address, pool]));
        return {
          getPool: (a: SdkToken, b: SdkToken, fee?: number) => find(a, b, fee),
          getPoolByAddress: (address: string) => byAddress.get(address.toLowerCase()),
          getAllPools: () => [...all],
        };
      },
    };
  }

  /** As the quoter contract would answer; its counts of ticks are one too many, which the peer takes into account. */
  #quotes(amounts: readonly SdkAmount[], routes: readonly SdkRoute[]): unknown {
    const { BigNumber } = this.#peers.load("@ethersproject/bignumber") as Sdk;
    const one = BigNumber.from(1);
    const routesWithQuotes = routes.map((route) => {
      const path = this.pathOf(route);
      const quotes = amounts.map((amount) => {
        const [quote] =
          quoteLegs([{ path, amount: BigInt(amount.quotient.toString()) }], "exactIn", this.#tables) ?? [];
        if (quote === undefined) return { amount, quote: null };
        return {
          amount,
          quote: BigNumber.from(String(quote.amountOut)),
          sqrtPriceX96AfterList: path.map(() => one),
          initializedTicksCrossedList: quote.hops.map(({ ticksCrossed }) => ticksCrossed + 1),
          gasEstimate: one,
        };
      });
      return [route, quotes];
    });
    return { routesWithQuotes, blockNumber: one };
  }

  alphaRouter(gasPriceWei: bigint): Sdk {
    return new this.#sor.AlphaRouter(this.providers(gasPriceWei));
  }
}

const keyOf = (token0: string, token1: string, fee?: number): string => `${token0} ${token1} ${fee ?? ""}`;

/** The peer with its defaults for Ethereum and the protocols v2, v3 and mixed. */
export function smartOrderRouter(peers: Peers, world: World, gasPriceWei: bigint): AskPeer {
  const market = new MemoryMarket(peers, world);
  const router = market.alphaRouter(gasPriceWei);
  const { CurrencyAmount, TradeType } = peers.load("@uniswap/sdk-core") as Sdk;
  const { Protocol } = peers.load("@uniswap/router-sdk") as Sdk;
  const config = { blockNumber: 1, protocols: [Protocol.V2, Protocol.V3, Protocol.MIXED], useCachedRoutes: false };
  return async ({ tokenIn, tokenOut, amountIn }) => {
    const amount = CurrencyAmount.fromRawAmount(market.tokenOf(tokenIn), String(amountIn));
    const answer: SdkAnswer | null = await router.route(
      amount,
      market.tokenOf(tokenOut),
      TradeType.EXACT_INPUT,
      undefined,
      config,
    );
    return answer?.route.map((leg) => {
      return { path: market.pathOf(leg.route), amount: BigInt(leg.amount.quotient.toString()) };
    });
  };
}
