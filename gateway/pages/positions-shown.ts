// A page of v3 positions with what a table of them needs: where the price of each pool is, and the tokens.
import { GatewayError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import { poolAt } from "../questions/pools.ts";
import { positionsPage, type V3PositionsPage } from "../questions/positions.ts";
import { type KnownTokens, knownTokens } from "./known-tokens.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

const PER_PAGE = 20;

export interface ShownPositions {
  page: V3PositionsPage;
  tokens: KnownTokens;
  /** By pool; missing where the pool has no price, or its state is unknown. */
  ticks: ReadonlyMap<Address, number>;
  /** How many a page has. */
  size: number;
}

export type PositionsOf = { owner: Address } | { pool: Address };

type Known = Pick<ShownPositions, "tokens" | "ticks">;
const NOTHING: Known = { tokens: new Map(), ticks: new Map() };

/** Those of an owner or of a pool, the page named by the query's `after`; what is in `known` is not read again. @throws what positionsPage throws */
export async function readPositions(
  request: ViewRequest,
  at: ShownBlock,
  { of, known = NOTHING }: { of: PositionsOf; known?: Known | undefined },
): Promise<ShownPositions> {
  const { ask, query } = request;
  const block = atBlock(at);
  const page = await ask(positionsPage, { ...of, block, first: PER_PAGE, after: query("after"), isCounted: true });
  const pools = new Map(page.entries.map(({ pool }) => [pool.address, pool]));
  const ticks = new Map(known.ticks);
  for (const { address } of pools.values()) {
    if (ticks.has(address)) continue;
    const tick = await tickOf(ask(poolAt, { pool: address, block }));
    if (tick !== undefined) ticks.set(address, tick);
  }
  const unknown = [...pools.values()]
    .flatMap(({ token0, token1 }) => [token0, token1])
    .filter((token) => !known.tokens.has(token));
  const tokens = new Map([...known.tokens, ...(await knownTokens(request, at, unknown))]);
  return { page, tokens, ticks, size: PER_PAGE };
}

async function tickOf(pool: Promise<{ slot: { tick: number } | undefined }>): Promise<number | undefined> {
  try {
    return (await pool).slot?.tick;
  } catch (error) {
    if (error instanceof GatewayError && error.code === "POOL_STOPPED") return undefined;
    throw error;
  }
}
