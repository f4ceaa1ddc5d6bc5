// Questions about pools and shares from one block to another: field -> operation, in the shapes of pool-ranges.graphql.
import { decimalOf } from "../numbers.ts";
import { type Address, parseInput, tokenId } from "../parameters.ts";
import { poolHistory, poolPoints } from "../questions/pool-history.ts";
import { shareHistory, sharePoints } from "../questions/share-history.ts";
import { timeInRange } from "../questions/time-in-range.ts";
import { type Context, chainId, type RangeArguments, rangeOf } from "./arguments.ts";
import { blockView, metadataView } from "./views.ts";

interface TimeInRangeArguments extends RangeArguments {
  pool: Address;
  tickLower?: number | null;
  tickUpper?: number | null;
  owner?: Address | null;
  tokenId?: string | null;
}

export const poolRangeQueries = {
  async timeInRange(_: unknown, args: TimeInRangeArguments, { scope }: Context) {
    const { tickLower, tickUpper, owner, tokenId: id } = args;
    const input = {
      pool: args.pool,
      ...rangeOf(args),
      tickLower: tickLower ?? undefined,
      tickUpper: tickUpper ?? undefined,
      owner: owner ?? undefined,
      tokenId: id === undefined || id === null ? undefined : parseInput(tokenId, id, "tokenId"),
    };
    const { pool, from, to, position, seconds, secondsInside, ...found } = await scope.run(
      timeInRange,
      input,
      chainId(args),
    );
    return {
      ...found,
      pool: pool.address,
      from: blockView(from),
      to: blockView(to),
      position: position ?? null,
      seconds: Number(seconds),
      secondsInside: Number(secondsInside),
    };
  },

  async poolHistory(_: unknown, args: RangeArguments & { pool: Address; points?: number | null }, { scope }: Context) {
    const { points } = parseInput(poolPoints, { points: args.points ?? undefined });
    const input = { pool: args.pool, ...rangeOf(args), points };
    const { pool, from, to, entries } = await scope.run(poolHistory, input, chainId(args));
    return {
      pool: pool.address,
      from: blockView(from),
      to: blockView(to),
      nodes: entries.map(({ block, timestamp, slot }) => ({
        block,
        timestamp,
        sqrtPriceX96: null,
        tick: null,
        liquidity: null,
        ...slot,
      })),
    };
  },

  async shareHistory(
    _: unknown,
    args: RangeArguments & { share: Address; points?: number | null },
    { scope }: Context,
  ) {
    const { points } = parseInput(sharePoints, { points: args.points ?? 24 });
    const input = { token: args.share, ...rangeOf(args), points };
    const { token, entries } = await scope.run(shareHistory, input, chainId(args));
    const decimals = token.metadata?.decimals;
    return {
      share: metadataView(token),
      nodes: entries.map(({ point, supply, parts }) => ({
        block: blockView(point),
        supply,
        parts,
        supplyDecimal: decimalOf(supply, decimals),
      })),
    };
  },
};
