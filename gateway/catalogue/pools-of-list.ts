// Every island and every v2 pair at a block: what it holds, where it stands, and what it earned in the trailing week.

import { getTickAtSqrtRatio, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK } from "../../core/math/tick-math.ts";
import { rootRoundingDown } from "../../core/prices/integer-root.ts";
import { type CollectedFees, islandFeesAccrued, pairFeesAccrued } from "../../core/vaults/lp-fees.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { heldOfBoth } from "../backing/ledger.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import { tokenAsset } from "../backing/protocol.ts";
import type { BrokenLedgers } from "../backing/stopped.ts";
import type { OperationContext } from "../context.ts";
import type { Address } from "../parameters.ts";
import { allPairs } from "../protocols/v2/pairs-at.ts";
import { readIslandBirths } from "./announced.ts";
import { readCollectedFees } from "./collected-fees.ts";
import { type IslandAt, islandsAt } from "./island-positions.ts";
import { readPairSwaps } from "./pair-swaps.ts";
import type { TrailingWeek } from "./trailing-week.ts";
import type { VaultPool } from "./vault-record.ts";

type Unsupplied = Omit<VaultPool, "supply">;

/** Islands, then pairs, each in order of creation. */
export async function poolsOfList(
  context: OperationContext,
  week: TrailingWeek,
  broken: BrokenLedgers,
): Promise<VaultPool[]> {
  const pools = (await Promise.all([islandPools(context, week), pairPools(context, week)])).flat();
  const shares = pools.map(({ address }) => address);
  const supplies = await ledgerAt(context, week.end).supplies(shares);
  return pools.map((pool, i) => ({
    ...pool,
    supply: broken.has(tokenAsset(pool.address)) ? undefined : (supplies[i] ?? 0n),
  }));
}

async function islandPools(context: OperationContext, { start, end, after }: TrailingWeek): Promise<Unsupplied[]> {
  const { chain, snapshot } = context;
  if (!chain.islands) return [];
  const [births, collected, now, then] = await Promise.all([
    readIslandBirths(snapshot, end.block),
    readCollectedFees(snapshot, { after, upTo: end.block }),
    islandsAt(context, end, { whole: true }),
    start ? islandsAt(context, start, { whole: false }) : [],
  ]);
  const before = new Map(then.map((one) => [one.island.address, one]));
  return now.map((one) => ({
    ...islandPool(one),
    createdAt: births.get(one.island.address) ?? end.timestamp,
    fees: feesOf(one, { before: before.get(one.island.address), collected: collected.get(one.island.address) }),
  }));
}

function islandPool({ island, row, pool, slot, sides }: IslandAt): Omit<Unsupplied, "createdAt" | "fees"> {
  return {
    address: island.address,
    provider: "kodiak",
    pool: island.pool,
    token0: island.token0,
    token1: island.token1,
    lowerTick: row?.tickLower,
    upperTick: row?.tickUpper,
    currentTick: slot?.tick,
    feeTier: pool?.fee,
    managerFeeBps: row?.managerFeeBps,
    managerTreasury: row?.manager === ZERO_ADDRESS ? undefined : ((row?.treasury as Address | undefined) ?? null),
    amounts: sides && [sides[0].underlying, sides[1].underlying],
    incomplete: island.incomplete ?? (pool?.stopped && "stopped"),
  };
}

/** Undefined where the island's state is unknown, now or at the week's start. */
function feesOf(
  { row, position }: IslandAt,
  {
    before,
    collected,
  }: { before: IslandAt | undefined; collected: readonly [CollectedFees, CollectedFees] | undefined },
): readonly [bigint, bigint] | undefined {
  if (!row || !position || (before && !before.position)) return undefined;
  const side = (i: 0 | 1) =>
    islandFeesAccrued({
      pendingBefore: (i === 0 ? before?.position?.fees0 : before?.position?.fees1) ?? 0n,
      pendingNow: i === 0 ? position.fees0 : position.fees1,
      collected: collected?.[i],
      managerFeeBps: row.managerFeeBps,
    });
  return [side(0), side(1)];
}

async function pairPools(context: OperationContext, { end, after }: TrailingWeek): Promise<Unsupplied[]> {
  const { snapshot } = context;
  const { v2 } = context.chain;
  if (!v2) return [];
  const ledger = ledgerAt(context, end);
  // a share is paid its part of the pair's own balances, whatever the reserves say: UniswapV2Pair.sol `burn`
  const [[pairs, amounts], swaps] = await Promise.all([
    allPairs(context, end).then(async (all) => [all, await heldOfBoth(ledger, all)] as const),
    readPairSwaps(snapshot, { after, upTo: end.block }, v2.takesProtocolFee),
  ]);
  return pairs.map(({ address, token0, token1, createdAt }, i) => {
    const [amount0, amount1] = amounts[i] ?? [0n, 0n];
    const [in0, in1] = swaps.get(address) ?? [NO_SWAPS, NO_SWAPS];
    return {
      address,
      provider: "v2",
      pool: address,
      token0,
      token1,
      createdAt,
      ...FULL_RANGE,
      currentTick: tickOfAmounts(amount0, amount1),
      feeTier: v2.swapFee,
      managerFeeBps: 0,
      managerTreasury: undefined,
      amounts: [amount0, amount1],
      incomplete: undefined,
      fees: [pairFeesAccrued(in0, v2.swapFee), pairFeesAccrued(in1, v2.swapFee)],
    };
  });
}

const NO_SWAPS = { charged: 0n, free: 0n };

/** In the ticks of v3 pools. A pair's liquidity reaches as far as any can. */
const FULL_RANGE = { lowerTick: MIN_TICK, upperTick: MAX_TICK };

/** The tick of amount1 ÷ amount0, rounded down; undefined while there is none of one of them. */
function tickOfAmounts(amount0: bigint, amount1: bigint): number | undefined {
  if (amount0 <= 0n || amount1 <= 0n) return undefined;
  const root = rootRoundingDown((amount1 << 192n) / amount0);
  if (root < MIN_SQRT_RATIO) return MIN_TICK;
  return root >= MAX_SQRT_RATIO ? MAX_TICK : getTickAtSqrtRatio(root);
}
