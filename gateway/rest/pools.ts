// /pools/<pool>/time-in-range, /pools/<pool>/history and /shares/<share>/history: over ranges of blocks. No rules here.
import type { Context } from "hono";
import type { RequestScope, Service } from "../context.ts";
import { decimalOf } from "../numbers.ts";
import { address, parseInput, tokenId } from "../parameters.ts";
import { type PoolMoment, poolHistory, poolPoints } from "../questions/pool-history.ts";
import { shareHistory, sharePoints } from "../questions/share-history.ts";
import { timeInRange } from "../questions/time-in-range.ts";
import { blockParameter, chainIdOf, FIRST_BLOCK, integerParameter, LAST_BLOCK } from "./url-parameters.ts";
import { withinRequest } from "./within-request.ts";

const rangeOf = (c: Context) => ({
  pool: parseInput(address, c.req.param("pool"), "pool"),
  from: blockParameter(c, FIRST_BLOCK),
  to: blockParameter(c, LAST_BLOCK),
});

async function within(
  service: Service,
  c: Context,
  answer: (scope: RequestScope, chainId: number | undefined) => Promise<{ block: number; body: object }>,
): Promise<Response> {
  const chainId = chainIdOf(c.req.query("chainId"));
  const { block, body } = await withinRequest(service, c, (scope) => answer(scope, chainId));
  c.header("X-Block-Number", String(block));
  return c.json(body);
}

export const getTimeInRange =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const [id, owner] = [c.req.query("tokenId"), c.req.query("owner")];
    const input = {
      ...rangeOf(c),
      tickLower: integerParameter(c, "tickLower"),
      tickUpper: integerParameter(c, "tickUpper"),
      owner: owner === undefined ? undefined : parseInput(address, owner, "owner"),
      tokenId: id === undefined ? undefined : parseInput(tokenId, id, "tokenId"),
    };
    return within(service, c, async (scope, chainId) => {
      const found = await scope.run(timeInRange, input, chainId);
      const { pool, from, to, tickLower, tickUpper, position } = found;
      const body = {
        ...{ pool: pool.address, fromBlock: from.block, toBlock: to.block, tickLower, tickUpper },
        seconds: Number(found.seconds),
        secondsInside: Number(found.secondsInside),
        secondsPerLiquidityInsideX128: String(found.secondsPerLiquidityInsideX128),
        position: position
          ? {
              liquiditySeconds: String(position.liquiditySeconds),
              secondsInsideX128: String(position.secondsInsideX128),
            }
          : null,
      };
      return { block: to.block, body };
    });
  };

const momentJson = ({ block, timestamp, slot }: PoolMoment) => ({
  block,
  timestamp,
  sqrtPriceX96: slot ? String(slot.sqrtPriceX96) : null,
  tick: slot?.tick ?? null,
  liquidity: slot ? String(slot.liquidity) : null,
});

export const getPoolHistory =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const { points } = parseInput(poolPoints, { points: integerParameter(c, "points") });
    const input = { ...rangeOf(c), points };
    return within(service, c, async (scope, chainId) => {
      const { pool, from, to, entries } = await scope.run(poolHistory, input, chainId);
      const heading = { pool: pool.address, fromBlock: from.block, toBlock: to.block };
      return { block: to.block, body: { results: entries.map(momentJson), ...heading } };
    });
  };

export const getShareHistory =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const { points } = parseInput(sharePoints, { points: integerParameter(c, "points") ?? 24 });
    const token = parseInput(address, c.req.param("share"), "share");
    const input = { token, from: blockParameter(c, FIRST_BLOCK), to: blockParameter(c, LAST_BLOCK), points };
    return within(service, c, async (scope, chainId) => {
      const { token: share, entries } = await scope.run(shareHistory, input, chainId);
      const decimals = share.metadata?.decimals;
      const results = entries.map(({ point, supply, parts }) => ({
        ...{ block: point.block, timestamp: point.timestamp ?? null, supply: String(supply) },
        supplyDecimal: decimalOf(supply, decimals),
        parts: parts.map(({ token: part, amount, perShareRoundedDown }) => ({
          ...{ token: part, amount: String(amount) },
          perShareRoundedDown: perShareRoundedDown === undefined ? null : String(perShareRoundedDown),
        })),
      }));
      return { block: entries.at(-1)?.point.block ?? 0, body: { results, share: share.address } };
    });
  };
