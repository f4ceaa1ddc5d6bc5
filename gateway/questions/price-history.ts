// What one token was worth at several blocks of a range.

import type { Operation } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { InvalidInputError } from "../errors.ts";
import type { BlockChoice } from "../history/block-point.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import type { TokenPrice } from "../prices/price.ts";
import { pricesOver } from "../prices/prices-over.ts";
import { locateToken } from "./locate-token.ts";

/** Each is a walk over all pools. */
export const MOST_PRICE_POINTS = 100;

export interface PriceHistoryInput {
  token: Address;
  from: BlockChoice;
  to: BlockChoice;
  /** How many blocks, 1 to {@link MOST_PRICE_POINTS}. */
  points: number;
}

export interface PriceHistory {
  token: Address;
  entries: readonly { point: BlockPoint; price: TokenPrice | undefined }[];
}

/**
 * Blocks evenly spaced from the first to the last one of the range, both included; all where there are not more.
 * @throws InvalidInputError naming `from`; what locateToken and pricesOver throw
 */
export const priceHistory: Operation<PriceHistoryInput, PriceHistory> = {
  name: "priceHistory",
  async run({ token, from, to, points }, context) {
    const { point: last } = await locateToken(context, { token, block: to });
    const { snapshot } = context;
    const first = await pointOf(context, from);
    if (first.block > last.block)
      throw new InvalidInputError(
        from.kind === "latest" ? "from" : from.parameter,
        `block ${first.block} lies after the last block of the range, ${last.block}`,
      );
    const sampled = await pointsAt(snapshot, last, spread(first.block, last.block, points));
    const prices = await pricesOver(context, sampled, [token]);
    return { token, entries: sampled.map((point) => ({ point, price: prices.get(point.block)?.get(token) })) };
  },
};

function spread(first: number, last: number, points: number): number[] {
  if (points === 1) return [last];
  const steps = Math.min(points - 1, last - first);
  const blocks = Array.from({ length: steps + 1 }, (_, i) => first + Math.round(((last - first) * i) / (steps || 1)));
  return [...new Set(blocks)];
}

async function pointsAt(snapshot: Snapshot, last: BlockPoint, blocks: readonly number[]): Promise<BlockPoint[]> {
  const rows = await snapshot.prepared<{ number: number; hash: string; timestamp: number }>(
    `select number, hash, timestamp from ${snapshot.schemas.fold}.block
      where number = any(string_to_array($1, ',')::int4[]) order by number`,
    [blocks.join(",")],
  );
  return rows.map(({ number, hash, timestamp }) => ({ ...last, block: number, hash, timestamp }));
}
