// A running gateway over HTTP: the newest block that it shows, the pools that it knows, and its quotes at that block.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hex } from "viem";
import type { TradeType } from "../../core/router/request.ts";

export interface ShownBlock {
  number: number;
  hash: Hex;
}

/** A pool as the gateway lists it. */
export interface ListedPool {
  address: Address;
  protocol: "v2" | "v3" | "curve";
  factory: Address | null;
  token0: Address;
  token1: Address;
  /** In 1/1,000,000. */
  fee: number | null;
}

export interface Question {
  tokenIn: string;
  tokenOut: string;
  /** Raw units: of the input for exactIn, of the output for exactOut. */
  amount: bigint;
  type: TradeType;
}

/** The parts of the answer that are compared with the contracts. */
export interface AnsweredQuote {
  blockNumber: string;
  amount: string;
  quote: string;
  route: readonly (readonly AnsweredHop[])[];
}

export interface AnsweredHop {
  type: "v2-pool" | "v3-pool";
  address: Address;
  tokenIn: { address: Address };
  tokenOut: { address: Address };
  reserve0?: { quotient: string };
  reserve1?: { quotient: string };
  /** Only where the pair holds any. */
  unsynced0?: string;
  unsynced1?: string;
  liquidity?: string;
  sqrtRatioX96?: string;
  tickCurrent?: string;
  /** Of a path's first pool. */
  amountIn?: string;
  /** Of a path's last pool. */
  amountOut?: string;
}

const BLOCK = "{ facts { markets(first: 1) { block { number hash } } } }";
const PAUSE_MS = 25;
const PATIENCE_MS = 30_000;

interface ListAnswer {
  facts: { markets: { nodes: ListedPool[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
}

/** The next 1,000 pools, which are as many as a page may have; the first ones without a cursor. */
const poolsAfter = (cursor: string | null): string =>
  `{ facts { markets(first: 1000${cursor === null ? "" : `, after: ${JSON.stringify(cursor)}`}) {
    nodes { address protocol factory token0 token1 fee } pageInfo { hasNextPage endCursor } } } }`;

class RefusedQueryError extends Error {
  /** A cursor's block is no longer part of the chain, or lies above its head. */
  readonly isOfReplaced: boolean;

  constructor(status: number, text: string) {
    super(`/graphql answers ${status}: ${text.slice(0, 300)}`);
    this.isOfReplaced = text.includes('"BLOCK_REPLACED"') || text.includes("does not exist yet");
  }
}

export class GatewayAnswers {
  /** Permitted temporary refusals, after which it is asked again. */
  refusals = 0;
  readonly #url: string;
  readonly #chainId: number;

  constructor(url: string, chainId: number) {
    this.#url = url.replace(/\/$/, "");
    this.#chainId = chainId;
  }

  /** The newest block that it shows. */
  async shown(): Promise<ShownBlock> {
    const { facts } = await this.#query<{ facts: { markets: { block: ShownBlock } } }>(BLOCK);
    return facts.markets.block;
  }

  /** All that it knows, on however many pages: from the first one again where blocks are replaced between two. */
  async pools(): Promise<ListedPool[]> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      try {
        return await this.#everyPage();
      } catch (error) {
        if (!(error instanceof RefusedQueryError) || !error.isOfReplaced || Date.now() > deadline) throw error;
      }
    }
  }

  async #everyPage(): Promise<ListedPool[]> {
    const pools: ListedPool[] = [];
    for (let cursor: string | null = null; ; ) {
      const answer: ListAnswer = await this.#query(poolsAfter(cursor));
      const { nodes, pageInfo } = answer.facts.markets;
      pools.push(...nodes);
      if (!pageInfo.hasNextPage) return pools;
      cursor = pageInfo.endCursor;
    }
  }

  /** Undefined where no route takes the whole amount. @throws Error of any other refusal */
  async quote({ tokenIn, tokenOut, amount, type }: Question): Promise<AnsweredQuote | undefined> {
    const query = new URLSearchParams({
      ...{ tokenInChainId: String(this.#chainId), tokenOutChainId: String(this.#chainId) },
      ...{ tokenInAddress: tokenIn, tokenOutAddress: tokenOut, amount: String(amount), type },
    });
    const { status, text } = await this.#ask(`/router/quote?${query}`);
    if (status === 200) return JSON.parse(text) as AnsweredQuote;
    if (status === 404 && text.includes('"NO_ROUTE"')) return undefined;
    throw new Error(`/router/quote?${query} answers ${status}: ${text.slice(0, 300)}`);
  }

  async #query<T>(query: string): Promise<T> {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ query }) };
    const { status, text } = await this.#ask("/graphql", init);
    const { data } = (status === 200 ? JSON.parse(text) : {}) as { data?: T | null };
    if (!data) throw new RefusedQueryError(status, text);
    return data;
  }

  /** Asks again while the answer is 503. */
  async #ask(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      const response = await fetch(this.#url + path, init);
      const text = await response.text();
      const isNotNow = response.status === 503 || (response.status === 200 && isCatchingUp(text));
      if (!isNotNow) return { status: response.status, text };
      this.refusals += 1;
      if (Date.now() > deadline) throw new Error(`${path.slice(0, 60)} stays 503: ${text.slice(0, 300)}`);
    }
  }
}

/** GraphQL says so in the body. */
const isCatchingUp = (text: string): boolean => text.includes('"errors"') && text.includes('"CATCHING_UP"');
