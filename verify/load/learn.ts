// What the product itself says there is, so that the load is about real things: tokens with their holders, pairs that can be
// swapped, positions.
import type { Ask, Asked } from "../fuzz/known-values.ts";
import { readKnownValues } from "../fuzz/known-values.ts";

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
  positions: readonly string[];
}

const MOST_TOKENS = 12;
const MOST_HOLDERS = 1_000;
const MOST_SWAPS = 40;

const graphql = (query: string): Asked => ({
  method: "POST",
  path: "/graphql",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query }),
});

async function dataOf<T>(ask: Ask, query: string): Promise<T | undefined> {
  const { data } = (await (await ask(graphql(query))).json()) as { data?: T | null };
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
       facts { transfers(first: 1, where: { token: "${address}" }, orderDirection: asc) { nodes { block } } } }`,
  );
  const first = found?.facts.transfers.nodes[0]?.block;
  const holders = found?.balances.nodes.map(({ account }) => account) ?? [];
  return first === undefined || holders.length === 0 ? undefined : { address, firstBlock: first, holders };
}

async function answered<T, Item>(items: readonly Item[], ask: (item: Item) => Promise<T | undefined>): Promise<T[]> {
  const found: T[] = [];
  for (const item of items) {
    const one = await ask(item);
    if (one !== undefined) found.push(one);
  }
  return found;
}

const quotePath = (chainId: number, { tokenIn, tokenOut, amount }: World["swaps"][number]): string =>
  `/router/quote?tokenInAddress=${tokenIn}&tokenInChainId=${chainId}&tokenOutAddress=${tokenOut}` +
  `&tokenOutChainId=${chainId}&amount=${amount}&type=exactIn`;

/** The question of a swap at the newest block. */
export const quoteOf = (world: Pick<World, "chainId">, swap: World["swaps"][number]): Asked => ({
  method: "GET",
  path: quotePath(world.chainId, swap),
  headers: {},
});

const distinct = <T>(list: readonly T[]): T[] => [...new Set(list)];

/** @throws Error when the product does not answer, or has nothing to be asked about */
export async function learnWorld(ask: Ask): Promise<World> {
  const known = await readKnownValues(ask);
  const { chainId, firstBlock, lastBlock, traded, pools, vaults, launches } = known;
  const tokens = await answered(known.tokens, (address) => heldToken(ask, address));
  tokens.sort((a, b) => b.holders.length - a.holders.length);
  if (tokens.length === 0) throw new Error("the product answers balances of no token; is anything indexed?");
  const pairs = traded.flatMap((tokenIn) => traded.map((tokenOut) => ({ tokenIn, tokenOut, amount: "1000000000000" })));
  const swaps = await answered(
    pairs.filter(({ tokenIn, tokenOut }) => tokenIn !== tokenOut).slice(0, 4 * MOST_SWAPS),
    (swap) =>
      ask(quoteOf({ chainId }, swap)).then(async (response) => {
        await response.arrayBuffer();
        return response.status === 200 ? swap : undefined;
      }),
  );
  const positions = await answered(pools.slice(0, 30), async (pool) => {
    const found = await dataOf<{ positions: { nodes: { id: string }[] } }>(
      ask,
      `{ positions(pool: "${pool}", first: 50) { nodes { id } } }`,
    );
    return found?.positions.nodes.map(({ id }) => id);
  });
  return {
    ...{ chainId, firstBlock, lastBlock, vaults, launches },
    tokens: tokens.slice(0, MOST_TOKENS),
    priced: known.tokens,
    swaps: swaps.slice(0, MOST_SWAPS),
    pooled: distinct(traded),
    positions: distinct(positions.flat()),
  };
}
