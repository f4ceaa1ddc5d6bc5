// Prices of some tokens at many blocks, worked out for all of them at once; of few blocks each has its book opened.
import type { OperationContext } from "../context.ts";
import type { BlockPoint, TimedPoint } from "../history/point.ts";
import { requireTime } from "../history/require-time.ts";
import type { Address } from "../parameters.ts";
import { poolPricesOver } from "./pool-prices-over.ts";
import type { TokenPrice } from "./price.ts";
import { pricesAt } from "./price-book.ts";
import { pricedAs } from "./settle-prices.ts";
import { settledOver } from "./settled-over.ts";

/** With fewer blocks their price books, which are stored, cost no more. */
const FEWEST_TOGETHER = 3;

type PricesOver = ReadonlyMap<number, ReadonlyMap<Address, TokenPrice>>;

/**
 * What `pricesAt` says of `tokens` at each of `points`, which ascend; by block.
 * @throws what pricesAt throws; RequestTooLongError
 */
export async function pricesOver(
  context: OperationContext,
  points: readonly BlockPoint[],
  tokens: readonly Address[],
): Promise<PricesOver> {
  const timed = points.filter((point): point is TimedPoint => point.timestamp !== undefined);
  // one whose row is being read again is refused by its book
  const isTogether = timed.length >= FEWEST_TOGETHER && timed.length === points.length;
  const needBook = isTogether ? await neverPooled(context, points, tokens) : new Set(tokens);
  const pooled = await poolPricesOver(
    context,
    timed,
    tokens.filter((token) => !needBook.has(token)),
  );
  const settled = isTogether
    ? await settledOver(context, timed, [...needBook])
    : new Map<number, ReadonlyMap<Address, TokenPrice>>();
  const fixed = new Set<string>(context.chain.stables.map(({ address }) => address));
  const strategyOf = (token: Address) => (fixed.has(pricedAs(context.chain, token)) ? "fixed" : "pool");
  const prices = new Map<number, ReadonlyMap<Address, TokenPrice>>();
  for (const point of points) {
    requireTime(context);
    const own = [...(pooled.get(point.block) ?? [])].map(
      ([token, price]) => [token, { strategy: strategyOf(token), ...price }] as const,
    );
    const open = () => (needBook.size === 0 ? [] : pricesAt(context, point, [...needBook]));
    const others = settled.get(point.block) ?? (await open());
    prices.set(point.block, new Map<Address, TokenPrice>([...own, ...others]));
  }
  return prices;
}

/** Those of `tokens` that are a share, or began on a launch curve, by the last block: pools alone do not price them at every one. */
export async function neverPooled(
  context: OperationContext,
  points: readonly BlockPoint[],
  tokens: readonly Address[],
): Promise<Set<Address>> {
  const last = points.at(-1)?.block ?? -1;
  const { fold } = context.snapshot;
  const announced = [
    `select pair as token, block from ${fold}.v2_pair_created`,
    `select island, block from ${fold}.island_created`,
    `select vault, block from ${fold}.vault_created where kind = 'bault'`,
    `select token, block from ${fold}.launch_pool where kind = 'initialized'`,
  ];
  const rows = await context.snapshot.prepared<{ token: Address }>(
    `select token from (${announced.join(" union all ")}) announced
      where token = any(string_to_array($1, ',')) and block <= $2::int4`,
    [tokens.map((token) => pricedAs(context.chain, token)).join(","), String(last)],
  );
  const found = new Set<string>([
    ...rows.map(({ token }) => token),
    ...context.chain.externalVaults.map(({ address }) => address),
  ]);
  return new Set(tokens.filter((token) => found.has(pricedAs(context.chain, token))));
}
