// Learns from the product itself what it has, so that the load is about real things: tokens with their holders, pairs that can
// be swapped, positions.
import type { Ask, RelativeRequest } from "../fuzz/sample-values.ts";
import { readSampleValues } from "../fuzz/sample-values.ts";

export interface HeldToken {
  address: string;
  /** The block of its first event. */
  firstBlock: number;
  holders: readonly string[];
}

export interface World {
  chainId: number;
  firstBlock: number;
  lastBlock: number;
  /** Tokens that can be answered, those with the most holders first. */
  tokens: readonly HeldToken[];
  /** Token addresses, for prices. */
  priced: readonly string[];
  vaults: readonly string[];
  launches: readonly string[];
  swaps: readonly { tokenIn: string; tokenOut: string; amount: string }[];
  /** Tokens of v3 pools. */
  pooled: readonly string[];
  positions: readonly { id: string; manager: string }[];
}

const MOST_TOKENS = 12;
const MOST_HOLDERS = 1_000;
/** Raw units that every pool of any size takes. */
const PROBE = "1000000000000";

const graphql = (query: string): RelativeRequest => ({
  method: "POST",
  path: "/graphql",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query }),
});

/** Undefined when it is not answered. @throws Error when the query is not valid */
async function dataOf<T>(ask: Ask, query: string): Promise<T | undefined> {
  const response = await ask(graphql(query));
  const { data, errors } = (await response.json()) as {
    data?: T | null;
    errors?: { message: string; extensions?: { code?: string } }[];
  };
  const [error] = errors ?? [];
  if (error?.extensions?.code === "GRAPHQL_VALIDATION_FAILED") throw new Error(`${query}: ${error.message}`);
  return data ?? undefined;
}

interface HeldAnswer {
  balances: { nodes: { account: string }[] };
  facts: { transfers: { nodes: { block: number }[] } };
}

/** Undefined for a token that is not answered. */
async function heldToken(ask: Ask, address: string): Promise<HeldToken | undefined> {
  const found = await dataOf<HeldAnswer>(
    ask,
    `{ balances(token: "${address}", first: ${MOST_HOLDERS}) { nodes { account } }
       facts { transfers(first: 1, where: { token: "${address}" }, direction: ascending) { nodes { block } } } }`,
  );
  const first = found?.facts.transfers.nodes[0]?.block;
  const holders = found?.balances.nodes.map(({ account }) => account) ?? [];
  return first === undefined || holders.length === 0 ? undefined : { address, firstBlock: first, holders };
}

/** The first `most` that are answered. */
async function answered<T, Item>(
  items: readonly Item[],
  ask: (item: Item) => Promise<T | undefined>,
  most = items.length,
): Promise<T[]> {
  const found: T[] = [];
  for (const item of items) {
    const one = found.length < most ? await ask(item) : undefined;
    if (one !== undefined) found.push(one);
  }
  return found;
}

const quotePath = (chainId: number, { tokenIn, tokenOut, amount }: World["swaps"][number]): string =>
  `/router/quote?tokenInAddress=${tokenIn}&tokenInChainId=${chainId}&tokenOutAddress=${tokenOut}` +
  `&tokenOutChainId=${chainId}&amount=${amount}&type=exactIn`;

/** The question of a swap at the newest block. */
export const quoteOf = (world: Pick<World, "chainId">, swap: World["swaps"][number]): RelativeRequest => ({
  method: "GET",
  path: quotePath(world.chainId, swap),
  headers: {},
});

const distinct = <T>(list: readonly T[]): T[] => [...new Set(list)];

/** `most`: how many of each are read. @throws Error when the product does not answer, or has nothing to ask about */
export async function learnWorld(ask: Ask, most = { tokens: 100, swaps: 30, pools: 30 }): Promise<World> {
  const samples = await readSampleValues(ask);
  const { chainId, firstBlock, lastBlock, traded, pools, vaults, launches } = samples;
  const tokens = await answered(samples.tokens.slice(0, most.tokens), (address) => heldToken(ask, address));
  tokens.sort((a, b) => b.holders.length - a.holders.length);
  if (tokens.length === 0) throw new Error("the product answers balances of no token; is anything indexed?");
  // every token with its next one, then with the one after that, so that the first pairs are not all of one token
  const pairs = traded.flatMap((_, apart) =>
    traded.map((tokenIn, i) => ({ tokenIn, tokenOut: traded[(i + apart) % traded.length] ?? tokenIn, amount: PROBE })),
  );
  const canSwap = async (swap: World["swaps"][number]) => {
    const response = await ask(quoteOf({ chainId }, swap));
    await response.arrayBuffer();
    return response.status === 200 ? swap : undefined;
  };
  const others = pairs.filter(({ tokenIn, tokenOut }) => tokenIn !== tokenOut);
  const swaps = await answered(others.slice(0, 4 * most.swaps), canSwap, most.swaps);
  const positions = await answered(pools.slice(0, most.pools), async (pool) => {
    const found = await dataOf<{ positions: { nodes: { id: string; manager: string | null }[] } }>(
      ask,
      `{ positions(pool: "${pool}", first: 50) { nodes { id manager } } }`,
    );
    return found?.positions.nodes.flatMap(({ id, manager }) => (manager === null ? [] : [{ id, manager }]));
  });
  return {
    chainId,
    firstBlock,
    lastBlock,
    vaults,
    launches,
    tokens: tokens.slice(0, MOST_TOKENS),
    priced: samples.tokens,
    swaps,
    pooled: distinct(traded),
    positions: positions.flat(),
  };
}
