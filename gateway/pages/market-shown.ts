// A market of any kind — v3 pool, v2 pair, launch curve — as its page shows it: price, what lies in it, what was traded.
import { GatewayError } from "../errors.ts";
import type { Address } from "../parameters.ts";
import { type LaunchAt, launchAt } from "../questions/launches.ts";
import { type MarketAt, marketsAmong, marketsUnsynced } from "../questions/markets.ts";
import { poolAt, type V3PoolAt } from "../questions/pools.ts";
import { type MarketHoldings, marketHoldings } from "../questions/series.ts";
import { type KnownTokens, knownTokens, tvlOf } from "./known-tokens.ts";
import { type MarketDay, marketDays } from "./market-days.ts";
import { type Ratio, ratioOfRoot } from "./tick-price.ts";
import { atBlock, type ShownBlock, type ViewRequest } from "./view.ts";

export interface ShownMarket {
  market: MarketAt;
  tokens: KnownTokens;
  /** Raw token1 per raw token0; undefined without one. */
  price: Ratio | undefined;
  held: MarketHoldings;
  /** USD × 10^36 of both, of a launch curve of what it has raised; undefined unless all of it is priced. */
  tvl: bigint | undefined;
  days: readonly MarketDay[];
  /** Of v3 pools. */
  pool: V3PoolAt | undefined;
  /** Of launch curves. */
  launch: LaunchAt | undefined;
  /** Why its state is unknown. */
  stopped: string | undefined;
}

/** Undefined where no market was created at the address by then. @throws what the questions throw */
export async function shownMarket(
  request: ViewRequest,
  at: ShownBlock,
  address: Address,
): Promise<ShownMarket | undefined> {
  const { ask } = request;
  const [market] = await ask(marketsAmong, { keys: [address], point: at });
  if (!market) return undefined;
  const { protocol, token0, token1 } = market;
  const tokens = await knownTokens(request, at, [token0, token1]);
  const [held = [undefined, undefined]] = await ask(marketHoldings, { keys: [market], point: at });
  const days = await marketDays(request, { at, market, tokens });
  const shown = { market, tokens, held, days, pool: undefined, launch: undefined, stopped: undefined };
  if (protocol === "curve") {
    const launch = await ask(launchAt, { address, block: atBlock(at) });
    return { ...shown, launch, price: launch.price, tvl: tvlOf(tokens, market, [0n, held[1]]) };
  }
  const tvl = tvlOf(tokens, market, held);
  if (protocol === "v3") return { ...shown, tvl, ...(await slotOf(request, at, address)) };
  const [unsynced] = await ask(marketsUnsynced, { keys: [market], point: at });
  // tokens beyond the reserves do not affect the price
  return { ...shown, tvl, price: unsynced && reservesRatio(held, unsynced) };
}

function reservesRatio(
  [held0, held1]: MarketHoldings,
  { unsynced0, unsynced1 }: { unsynced0: bigint | undefined; unsynced1: bigint | undefined },
): Ratio | undefined {
  const isKnown = held0 !== undefined && held1 !== undefined && unsynced0 !== undefined && unsynced1 !== undefined;
  return isKnown ? { numerator: held1 - unsynced1, denominator: held0 - unsynced0 } : undefined;
}

async function slotOf(
  { ask }: Pick<ViewRequest, "ask">,
  at: ShownBlock,
  address: Address,
): Promise<Pick<ShownMarket, "pool" | "price" | "stopped">> {
  try {
    const pool = await ask(poolAt, { pool: address, block: atBlock(at) });
    return { pool, price: pool.slot && ratioOfRoot(pool.slot.sqrtPriceX96), stopped: undefined };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "POOL_STOPPED") throw error;
    return { pool: undefined, price: undefined, stopped: error.message };
  }
}
