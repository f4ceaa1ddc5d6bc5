// Uniswap v3 facts: one insert per event, no arithmetic. Approvals of token ids are ignored: they move nothing.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import {
  v3FeeAmountEnabled,
  v3Flash,
  v3Initialize,
  v3Liquidity,
  v3Nft,
  v3PoolCreated,
  v3ProtocolFee,
  v3Swap,
} from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

export async function onPoolCreated({ event, context }: Args<"V3Factory:PoolCreated">) {
  const { pool, token0, token1, fee, tickSpacing } = event.args;
  const created = { factory: event.log.address, pool, token0, token1, fee, tickSpacing };
  await context.db.insert(v3PoolCreated).values({ ...placeOf(event), ...created });
}

export async function onFeeAmountEnabled({ event, context }: Args<"V3Factory:FeeAmountEnabled">) {
  const { fee, tickSpacing } = event.args;
  await context.db.insert(v3FeeAmountEnabled).values({
    ...placeOf(event),
    factory: event.log.address,
    fee,
    tickSpacing,
  });
}

export async function onInitialize({ event, context }: Args<"V3Pool:Initialize">) {
  const { sqrtPriceX96, tick } = event.args;
  await context.db.insert(v3Initialize).values({
    ...placeOf(event),
    pool: event.log.address,
    sqrt_price_x96: sqrtPriceX96,
    tick,
  });
}

export async function onSwap({ event, context }: Args<"V3Pool:Swap">) {
  const { sender, recipient, amount0, amount1, sqrtPriceX96, liquidity, tick } = event.args;
  const after = { sqrt_price_x96: sqrtPriceX96, liquidity, tick };
  await context.db.insert(v3Swap).values({
    ...placeOf(event),
    pool: event.log.address,
    sender,
    recipient,
    amount0,
    amount1,
    ...after,
  });
}

export async function onMint({ event, context }: Args<"V3Pool:Mint">) {
  const { sender, owner, tickLower, tickUpper, amount, amount0, amount1 } = event.args;
  await context.db.insert(v3Liquidity).values({
    ...placeOf(event),
    pool: event.log.address,
    kind: "mint",
    sender,
    owner,
    tickLower,
    tickUpper,
    liquidity: amount,
    amount0,
    amount1,
  });
}

export async function onBurn({ event, context }: Args<"V3Pool:Burn">) {
  const { owner, tickLower, tickUpper, amount, amount0, amount1 } = event.args;
  await context.db.insert(v3Liquidity).values({
    ...placeOf(event),
    pool: event.log.address,
    kind: "burn",
    owner,
    tickLower,
    tickUpper,
    liquidity: amount,
    amount0,
    amount1,
  });
}

export async function onCollect({ event, context }: Args<"V3Pool:Collect">) {
  const { owner, recipient, tickLower, tickUpper, amount0, amount1 } = event.args;
  await context.db.insert(v3Liquidity).values({
    ...placeOf(event),
    pool: event.log.address,
    kind: "collect",
    owner,
    recipient,
    tickLower,
    tickUpper,
    liquidity: 0n,
    amount0,
    amount1,
  });
}

export async function onFlash({ event, context }: Args<"V3Pool:Flash">) {
  const { sender, recipient, amount0, amount1, paid0, paid1 } = event.args;
  const loan = { sender, recipient, amount0, amount1, paid0, paid1 };
  await context.db.insert(v3Flash).values({ ...placeOf(event), pool: event.log.address, ...loan });
}

type FeeProtocolSet = "feeProtocol0Old" | "feeProtocol1Old" | "feeProtocol0New" | "feeProtocol1New";
type UniswapSet = Args<`V3Pool:SetFeeProtocol(${FeeProtocolArgs<"uint8">})`>;
type KodiakSet = Args<`V3Pool:SetFeeProtocol(${FeeProtocolArgs<"uint32">})`>;
type FeeProtocolArgs<T extends string> =
  `${T} feeProtocol0Old, ${T} feeProtocol1Old, ${T} feeProtocol0New, ${T} feeProtocol1New`;

/** Of either flavour: they differ in the width of their numbers alone. */
export async function onSetFeeProtocol({ event, context }: UniswapSet | KodiakSet) {
  const { feeProtocol0Old, feeProtocol1Old, feeProtocol0New, feeProtocol1New }: Record<FeeProtocolSet, number> =
    event.args;
  await context.db.insert(v3ProtocolFee).values({
    ...placeOf(event),
    pool: event.log.address,
    kind: "set",
    feeProtocol0Old,
    feeProtocol1Old,
    feeProtocol0New,
    feeProtocol1New,
  });
}

export async function onCollectProtocol({ event, context }: Args<"V3Pool:CollectProtocol">) {
  const { sender, recipient, amount0, amount1 } = event.args;
  const paid = { kind: "collect", sender, recipient, amount0, amount1 };
  await context.db.insert(v3ProtocolFee).values({ ...placeOf(event), pool: event.log.address, ...paid });
}

export async function onProtocolFeesEarned({ event, context }: Args<"V3Pool:ProtocolFeesEarned">) {
  const { amount0, amount1 } = event.args;
  const earned = { kind: "earned", amount0, amount1 };
  await context.db.insert(v3ProtocolFee).values({ ...placeOf(event), pool: event.log.address, ...earned });
}

export async function onTokenTransfer({ event, context }: Args<"V3PositionManager:Transfer">) {
  const { from, to, tokenId } = event.args;
  const moved = { kind: "transfer", tokenId, from, to };
  await context.db.insert(v3Nft).values({ ...placeOf(event), manager: event.log.address, ...moved });
}

export async function onIncreaseLiquidity({ event, context }: Args<"V3PositionManager:IncreaseLiquidity">) {
  const { tokenId, liquidity, amount0, amount1 } = event.args;
  const grown = { kind: "increase", tokenId, liquidity, amount0, amount1 };
  await context.db.insert(v3Nft).values({ ...placeOf(event), manager: event.log.address, ...grown });
}

export async function onDecreaseLiquidity({ event, context }: Args<"V3PositionManager:DecreaseLiquidity">) {
  const { tokenId, liquidity, amount0, amount1 } = event.args;
  const shrunk = { kind: "decrease", tokenId, liquidity, amount0, amount1 };
  await context.db.insert(v3Nft).values({ ...placeOf(event), manager: event.log.address, ...shrunk });
}

export async function onTokenCollect({ event, context }: Args<"V3PositionManager:Collect">) {
  const { tokenId, recipient, amount0, amount1 } = event.args;
  const taken = { kind: "collect", tokenId, recipient, amount0, amount1 };
  await context.db.insert(v3Nft).values({ ...placeOf(event), manager: event.log.address, ...taken });
}
