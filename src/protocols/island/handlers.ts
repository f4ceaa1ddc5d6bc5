// Island facts: one insert per event, no arithmetic.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import { islandCreated, islandFlow, islandManager, islandRebalance } from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

export async function onIslandCreated({ event, context }: Args<"IslandFactory:IslandCreated">) {
  const { uniPool, manager, island, implementation } = event.args;
  await context.db
    .insert(islandCreated)
    .values({ ...placeOf(event), factory: event.log.address, island, pool: uniPool, manager, implementation });
}

export async function onMinted({ event, context }: Args<"Island:Minted">) {
  const { receiver, mintAmount, amount0In, amount1In, liquidityMinted } = event.args;
  await context.db.insert(islandFlow).values({
    ...placeOf(event),
    island: event.log.address,
    kind: "mint",
    receiver,
    shares: mintAmount,
    amount0: amount0In,
    amount1: amount1In,
    liquidity: liquidityMinted,
  });
}

export async function onBurned({ event, context }: Args<"Island:Burned">) {
  const { receiver, burnAmount, amount0Out, amount1Out, liquidityBurned } = event.args;
  await context.db.insert(islandFlow).values({
    ...placeOf(event),
    island: event.log.address,
    kind: "burn",
    receiver,
    shares: burnAmount,
    amount0: amount0Out,
    amount1: amount1Out,
    liquidity: liquidityBurned,
  });
}

export async function onFeesEarned({ event, context }: Args<"Island:FeesEarned">) {
  const { feesEarned0, feesEarned1 } = event.args;
  await context.db
    .insert(islandFlow)
    .values({ ...placeOf(event), island: event.log.address, kind: "fees", amount0: feesEarned0, amount1: feesEarned1 });
}

export async function onRebalance({ event, context }: Args<"Island:Rebalance">) {
  const { compounder, lowerTick_, upperTick_, liquidityBefore, liquidityAfter } = event.args;
  await context.db.insert(islandRebalance).values({
    ...placeOf(event),
    island: event.log.address,
    compounder,
    tickLower: lowerTick_,
    tickUpper: upperTick_,
    liquidityBefore,
    liquidityAfter,
  });
}

export async function onManagerParams({ event, context }: Args<"Island:UpdateManagerParams">) {
  const { managerFeeBPS, managerTreasury, compounderSlippageBPS, compounderSlippageInterval } = event.args;
  await context.db.insert(islandManager).values({
    ...placeOf(event),
    island: event.log.address,
    kind: "params",
    feeBps: managerFeeBPS,
    treasury: managerTreasury,
    slippageBps: compounderSlippageBPS,
    slippageInterval: compounderSlippageInterval,
  });
}

export async function onOwner({ event, context }: Args<"Island:OwnershipTransferred">) {
  const { previousManager, newManager } = event.args;
  await context.db
    .insert(islandManager)
    .values({ ...placeOf(event), island: event.log.address, kind: "owner", previousManager, newManager });
}
