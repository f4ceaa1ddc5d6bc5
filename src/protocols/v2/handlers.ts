// Uniswap v2 facts: one insert per event, no arithmetic.
import type { IndexingFunctionArgs as Args } from "ponder:registry";
import { v2Liquidity, v2PairCreated, v2Swap, v2Sync } from "ponder:schema";
import { placeOf } from "../../fact-place.ts";

export async function onPairCreated({ event, context }: Args<"V2Factory:PairCreated">) {
  const { pair, token0, token1, ordinal } = event.args;
  await context.db
    .insert(v2PairCreated)
    .values({ ...placeOf(event), factory: event.log.address, pair, token0, token1, ordinal });
}

export async function onSwap({ event, context }: Args<"V2Pair:Swap">) {
  await context.db.insert(v2Swap).values({ ...placeOf(event), pair: event.log.address, ...event.args });
}

export async function onMint({ event, context }: Args<"V2Pair:Mint">) {
  await context.db
    .insert(v2Liquidity)
    .values({ ...placeOf(event), pair: event.log.address, kind: "mint", ...event.args });
}

export async function onBurn({ event, context }: Args<"V2Pair:Burn">) {
  await context.db
    .insert(v2Liquidity)
    .values({ ...placeOf(event), pair: event.log.address, kind: "burn", ...event.args });
}

export async function onSync({ event, context }: Args<"V2Pair:Sync">) {
  await context.db.insert(v2Sync).values({ ...placeOf(event), pair: event.log.address, ...event.args });
}
