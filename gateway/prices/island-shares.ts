// Shares of islands: parts of the position below and of what lies idle beside it, less the manager's.
// KodiakIsland.sol `getUnderlyingBalances`, `getUnderlyingBalancesAtPrice`

import { countedAmounts } from "../../core/concentrated/position-amounts.ts";
import { islandSides } from "../../core/island/underlying.ts";
import { fairRangeAmounts } from "../../core/prices/fair-amounts.ts";
import type { LedgerAt } from "../backing/ledger-at.ts";
import { poolsAmong } from "../concentrated/pools-at.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { allIslands, islandsAmong, readIslandRows } from "../protocols/island/islands-at.ts";
import { type IslandWithRow, type OwnRange, readIdle, readOwnRanges } from "../protocols/island/own-positions.ts";
import { type BackedShare, type MeanPrices, unknownShare } from "./share.ts";

interface IslandSharesInput {
  point: BlockPoint;
  ledger: LedgerAt;
  means: MeanPrices;
  /** Without it all. */
  islands?: readonly Address[];
}

/** A share whose island's state is unknown, or whose pool is stopped, has no price, whatever it trades at elsewhere. */
export async function islandShares(
  context: Pick<OperationContext, "chain" | "snapshot">,
  { point, ledger, means, islands }: IslandSharesInput,
): Promise<readonly BackedShare[]> {
  if (!context.chain.islands || islands?.length === 0) return [];
  const at = asOf(context.snapshot, point);
  const all = islands ? await islandsAmong(at, islands) : await allIslands(at);
  const [pools, rows] = await Promise.all([
    poolsAmong(at, [...new Set(all.map(({ pool }) => pool))]),
    readIslandRows(at, all),
  ]);
  const running = new Set(pools.flatMap((pool) => (pool.stopped ? [] : [pool.address])));
  const complete = all.flatMap((island): IslandWithRow[] => {
    const row = rows.get(island.address);
    return row && running.has(island.pool) ? [{ island, row }] : [];
  });
  const [ranges, held] = await Promise.all([readOwnRanges(at, complete), readIdle(ledger, complete)]);
  const backed = complete.map((one, i) => {
    const range = ranges.get(one.island.address);
    const [held0 = 0n, held1 = 0n] = held[i] ?? [];
    return shareOf(one, { range, held0, held1, mean: means.get(one.island.pool) });
  });
  const backedIslands = new Set(complete.map(({ island }) => island.address));
  return [...backed, ...all.flatMap(({ address }) => (backedIslands.has(address) ? [] : [unknownShare(address)]))];
}

interface Below {
  range: OwnRange | undefined;
  held0: bigint;
  held1: bigint;
  mean: { numerator: bigint; denominator: bigint } | undefined;
}

function shareOf({ island, row }: IslandWithRow, { range, held0, held1, mean }: Below): BackedShare {
  const actual = range ? countedAmounts(range.slot, range) : { principal0: 0n, principal1: 0n, fees0: 0n, fees1: 0n };
  const fair = range && mean ? fairRangeAmounts(range.position, mean) : undefined;
  const partsOf = (position: typeof actual) => {
    const [side0, side1] = islandSides(row, { position, held0, held1 });
    return [
      { token: island.token0, amount: side0.underlying },
      { token: island.token1, amount: side1.underlying },
    ];
  };
  const parts = partsOf(actual);
  if (!fair) return { share: island.address, parts, fairParts: parts };
  const fairParts = partsOf({ ...actual, principal0: fair.amount0, principal1: fair.amount1 });
  return { share: island.address, parts, fairParts };
}
