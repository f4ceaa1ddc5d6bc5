// What each position of a pool would pay its owner at a block: all of it taken out and collected.
import {
  nftAmounts,
  type PoolPoint,
  type PositionAmounts,
  type PositionPoint,
  positionAmounts,
} from "../../core/v3/position-amounts.ts";
import type { NftRow, PositionRow } from "../../core/v3/rows.ts";
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

export interface PoolWorth {
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
export function nftWorth(state: V3PoolState & { slot: PoolPoint }, nft: NftRow): PositionWorth {
  const { manager } = state.pool;
  const managerPosition = state.positions.get(positionKey({ ...nft, owner: manager })) ?? { ...EMPTY, ...rangeOf(nft) };
  const amounts = nftAmounts(state.slot, { nft, managerPosition, ticks: ticksOf(state, nft) });
  return { ...amounts, id: nft.tokenId, manager, owner: nft.owner as Address, row: nft };
}

/** One position that its owner holds in the pool itself. */
export function directWorth(state: V3PoolState & { slot: PoolPoint }, position: PositionRow): PositionWorth {
  const amounts = positionAmounts(state.slot, { position, ticks: ticksOf(state, position) });
  const id = directPositionId(position);
  return { ...amounts, id, manager: undefined, owner: position.owner as Address, row: position };
}

/** Everybody's; nothing before `initialize`. */
export function poolWorth(state: V3PoolState): PoolWorth {
  const { slot, pool } = state;
  if (!slot) return { positions: [], ownerless0: 0n, ownerless1: 0n };
  const known = { ...state, slot };
  const isManagers = ({ owner }: PositionRow) => owner === pool.manager;
  const rows = [...state.positions.values()];
  return {
    positions: [
      ...state.nfts.map((nft) => nftWorth(known, nft)),
      ...rows.filter((row) => !isManagers(row)).map((row) => directWorth(known, row)),
    ],
    ...ownerless(known, rows.filter(isManagers)),
  };
}

/**
 * Anyone may mint to the position manager without a token id: that liquidity nobody can take out again. What token ids
 * and the manager's account differ by otherwise is a matter of rounding.
 */
function ownerless(
  state: V3PoolState & { slot: PoolPoint },
  managers: readonly PositionRow[],
): { ownerless0: bigint; ownerless1: bigint } {
  const owned = new Map<string, bigint>();
  for (const nft of state.nfts) {
    const key = positionKey({ ...nft, owner: state.pool.manager });
    owned.set(key, (owned.get(key) ?? 0n) + nft.liquidity);
  }
  let [ownerless0, ownerless1] = [0n, 0n];
  for (const row of managers) {
    const liquidity = row.liquidity - (owned.get(positionKey(row)) ?? 0n);
    if (liquidity <= 0n) continue;
    const position = { ...row, liquidity, tokensOwed0: 0n, tokensOwed1: 0n };
    const worth = positionAmounts(state.slot, { position, ticks: ticksOf(state, row) });
    ownerless0 += worth.principal0 + worth.fees0;
    ownerless1 += worth.principal1 + worth.fees1;
  }
  return { ownerless0, ownerless1 };
}

const rangeOf = ({ tickLower, tickUpper }: Range): Range => ({ tickLower, tickUpper });
