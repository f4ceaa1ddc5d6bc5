// v3 pools and positions in the shapes of schema.graphql. Renaming only.
import type { V3PoolAt, V3PoolsPage } from "../questions/pools.ts";
import type { V3PositionAt, V3PositionsPage } from "../questions/positions.ts";
import { blockView, connection } from "./views.ts";

/** `chainId` is for the questions that hang below the pool. */
export function poolView({ pool, slot, point }: V3PoolAt, chainId: number | undefined) {
  const { address, factory, manager, flavour, token0, token1, fee, tickSpacing, createdBlock, stopped } = pool;
  return {
    address,
    factory,
    manager,
    flavour,
    token0,
    token1,
    fee,
    tickSpacing,
    createdBlock,
    sqrtPriceX96: slot?.sqrtPriceX96 ?? null,
    tick: slot?.tick ?? null,
    liquidity: slot?.liquidity ?? null,
    feeGrowthGlobal0X128: slot?.feeGrowthGlobal0X128 ?? null,
    feeGrowthGlobal1X128: slot?.feeGrowthGlobal1X128 ?? null,
    protocolFees0: slot?.protocolFees0 ?? null,
    protocolFees1: slot?.protocolFees1 ?? null,
    feeProtocol0: slot?.feeProtocol0 ?? null,
    feeProtocol1: slot?.feeProtocol1 ?? null,
    stopped: stopped ? { pool: address, ...stopped } : null,
    block: blockView(point),
    chainId,
  };
}

export const poolsView = (page: V3PoolsPage, chainId: number | undefined) => ({
  ...connection(page, (entry) => poolView(entry, chainId)),
  block: blockView(page.point),
});

/** `place` is for what hangs below the position. */
export function positionView({ id, manager, pool, row, worth, point }: V3PositionAt, chainId: number | undefined) {
  const { owner, tickLower, tickUpper } = row;
  return {
    id: String(id),
    direct: manager === undefined,
    manager: manager ?? null,
    pool: pool.address,
    token0: pool.token0,
    token1: pool.token1,
    owner,
    tickLower,
    tickUpper,
    liquidity: worth ? row.liquidity : null,
    feeGrowthInside0LastX128: worth ? row.feeGrowthInside0LastX128 : null,
    feeGrowthInside1LastX128: worth ? row.feeGrowthInside1LastX128 : null,
    tokensOwed0: worth ? row.tokensOwed0 : null,
    tokensOwed1: worth ? row.tokensOwed1 : null,
    principal0: worth?.principal0 ?? null,
    principal1: worth?.principal1 ?? null,
    fees0: worth?.fees0 ?? null,
    fees1: worth?.fees1 ?? null,
    block: blockView(point),
    place: { chainId, point },
  };
}

export const positionsView = (page: V3PositionsPage, chainId: number | undefined) => ({
  ...connection(page, (entry) => positionView(entry, chainId)),
  incomplete: page.incomplete,
  block: blockView(page.point),
});
