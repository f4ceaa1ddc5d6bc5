// What each position of a pool would pay its owner at a block: all of it taken out and collected.

import {
  nftAmounts,
  type PoolPoint,
  type PositionAmounts,
  type PositionPoint,
  positionAmounts,
} from "../../core/concentrated/position-amounts.ts";
import { principalRoundingDown } from "../../core/concentrated/principal.ts";
import type { NftRow, PositionRow } from "../../core/concentrated/rows.ts";
import type { Address } from "../parameters.ts";
import { directPositionId } from "./position-id.ts";
import { positionKey, type V3PoolState } from "./state-at.ts";

/** Raw units of both tokens. */
export interface PositionWorth extends PositionAmounts {
  id: bigint;
  /** The position manager whose token id it is; undefined for a direct one. */
  manager: Address | undefined;
  owner: Address;
  row: NftRow | PositionRow;
}

interface PoolWorth {
  positions: readonly PositionWorth[];
  /** Of the manager's own account in the pool: what no token id has a claim to. */
  ownerless0: bigint;
  ownerless1: bigint;
}

const EMPTY: Omit<PositionPoint, "tickLower" | "tickUpper"> = {
  liquidity: 0n,
  feeGrowthInside0LastX128: 0n,
  feeGrowthInside1LastX128: 0n,
  tokensOwed0: 0n,
  tokensOwed1: 0n,
};

type Range = Pick<PositionPoint, "tickLower" | "tickUpper">;

const ticksOf = ({ ticks }: V3PoolState, { tickLower, tickUpper }: Range) => ({
  lower: ticks.get(tickLower),
  upper: ticks.get(tickUpper),
});

/** One token id of the pool's manager. */
export const nftWorth = (state: V3PoolState & { slot: PoolPoint }, nft: NftRow): PositionWorth =>
  nftWorthIn(state, nft, behindOf(state, nft));

/** What all token ids of one range share. */
interface Behind {
  managerPosition: PositionPoint;
  ticks: ReturnType<typeof ticksOf>;
}

function behindOf(state: V3PoolState, range: Range): Behind {
  const position = state.positions.get(positionKey({ ...rangeOf(range), owner: state.pool.manager }));
  return { managerPosition: position ?? { ...EMPTY, ...rangeOf(range) }, ticks: ticksOf(state, range) };
}

function nftWorthIn(state: V3PoolState & { slot: PoolPoint }, nft: NftRow, behind: Behind): PositionWorth {
  const { principal0, principal1, fees0, fees1 } = nftAmounts(state.slot, { nft, ...behind });
  const { manager } = state.pool;
  return { id: nft.tokenId, manager, owner: nft.owner as Address, row: nft, principal0, principal1, fees0, fees1 };
}

/** One position that its owner holds in the pool itself. */
export function directWorth(state: V3PoolState & { slot: PoolPoint }, position: PositionRow): PositionWorth {
  const amounts = positionAmounts(state.slot, { position, ticks: ticksOf(state, position) });
  const id = directPositionId(position);
  return { ...amounts, id, manager: undefined, owner: position.owner as Address, row: position };
}

/** Of all owners; empty before `initialize`. */
export function poolWorth(state: V3PoolState): PoolWorth {
  const { slot, pool } = state;
  if (!slot) return { positions: [], ownerless0: 0n, ownerless1: 0n };
  const complete = { ...state, slot };
  const isManagers = ({ owner }: PositionRow) => owner === pool.manager;
  const rows = [...state.positions.values()];
  const ranges = byRange(complete);
  return {
    positions: [
      ...[...ranges.values()].flatMap(({ nfts }) => nfts),
      ...rows.filter((row) => !isManagers(row)).map((row) => directWorth(complete, row)),
    ],
    ...ownerless(complete, rows.filter(isManagers), ranges),
  };
}

/** Identifies a range: ticks take 21 bits, so both fit a double's 53. */
export const rangeKey = ({ tickLower, tickUpper }: Range): number => tickLower * 2 ** 21 + tickUpper;

type Ranges = ReadonlyMap<number, { behind: Behind; nfts: PositionWorth[] }>;

/** All token ids. */
function byRange(state: V3PoolState & { slot: PoolPoint }): Ranges {
  const ranges = new Map<number, { behind: Behind; nfts: PositionWorth[] }>();
  for (const nft of state.nfts) {
    const key = rangeKey(nft);
    const range = ranges.get(key) ?? { behind: behindOf(state, nft), nfts: [] };
    range.nfts.push(nftWorthIn(state, nft, range.behind));
    ranges.set(key, range);
  }
  return ranges;
}

/**
 * Anyone may mint to the position manager without a token id: nobody can take out that liquidity again, nor what it earns.
 * The manager's account contains it together with the token ids' liquidity and fees, while each token id has only its own.
 * Any other difference between the two comes from rounding.
 */
function ownerless(
  state: V3PoolState & { slot: PoolPoint },
  managers: readonly PositionRow[],
  ranges: Ranges,
): { ownerless0: bigint; ownerless1: bigint } {
  let [ownerless0, ownerless1] = [0n, 0n];
  for (const row of managers) {
    const nfts = ranges.get(rangeKey(row))?.nfts ?? [];
    const liquidity = nfts.reduce((left, nft) => left - nft.row.liquidity, row.liquidity);
    if (liquidity <= 0n) continue;
    const principal = principalRoundingDown(state.slot, { ...row, liquidity });
    const whole = positionAmounts(state.slot, { position: row, ticks: ticksOf(state, row) });
    ownerless0 += principal.amount0 + notNegative(nfts.reduce((left, { fees0 }) => left - fees0, whole.fees0));
    ownerless1 += principal.amount1 + notNegative(nfts.reduce((left, { fees1 }) => left - fees1, whole.fees1));
  }
  return { ownerless0, ownerless1 };
}

/** The manager's account is rounded down more often than those of token ids. */
export const notNegative = (fees: bigint): bigint => (fees > 0n ? fees : 0n);

const rangeOf = ({ tickLower, tickUpper }: Range): Range => ({ tickLower, tickUpper });
