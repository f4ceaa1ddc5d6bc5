// Launch facts: one insert per event, no arithmetic.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import { launchPool, launchSwap, launchSync } from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

export async function onDeployed({ event, context }: Args<"LaunchFactory:PandaDeployed">) {
  const { pandaPool, implementation } = event.args;
  await context.db
    .insert(launchPool)
    .values({ ...placeOf(event), pool: pandaPool, kind: "deployed", factory: event.log.address, implementation });
}

export async function onInitialized({ event, context }: Args<"LaunchPool:PoolInitialized">) {
  const { pandaToken, baseToken, sqrtPa, sqrtPb, vestingPeriod, deployer, data } = event.args;
  await context.db.insert(launchPool).values({
    ...placeOf(event),
    pool: event.log.address,
    kind: "initialized",
    token: pandaToken,
    baseToken,
    sqrtPa,
    sqrtPb,
    vestingPeriod,
    deployer,
    data,
  });
}

export async function onGraduated({ event, context }: Args<"LaunchPool:LiquidityMoved">) {
  const { amountPanda, amountBase } = event.args;
  await context.db.insert(launchPool).values({
    ...placeOf(event),
    pool: event.log.address,
    kind: "graduated",
    tokenAmount: amountPanda,
    baseAmount: amountBase,
  });
}

export async function onSwap({ event, context }: Args<"LaunchPool:Swap">) {
  const { sender, to, amount0In, amount1In, amount0Out, amount1Out } = event.args;
  await context.db.insert(launchSwap).values({
    ...placeOf(event),
    pool: event.log.address,
    sender,
    to,
    tokenIn: amount0In,
    baseIn: amount1In,
    tokenOut: amount0Out,
    baseOut: amount1Out,
  });
}

export async function onSync({ event, context }: Args<"LaunchPool:Sync">) {
  const { pandaReserve, baseReserve, sqrtPrice } = event.args;
  await context.db
    .insert(launchSync)
    .values({ ...placeOf(event), pool: event.log.address, tokenReserve: pandaReserve, baseReserve, sqrtPrice });
}
