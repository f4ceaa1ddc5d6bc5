// Every event that moves a pool's price or liquidity updates its row and appends one to its history.
import { type Context, ponder } from "ponder:registry";
import { history, pool, tick } from "ponder:schema";

type Db = Context["db"];

interface Place {
  block: number;
  logIndex: number;
}

const placeOf = (event: { block: { number: bigint }; log: { logIndex: number } }): Place => ({
  block: Number(event.block.number),
  logIndex: event.log.logIndex,
});

ponder.on("V3Pool:Initialize", async ({ event, context }) => {
  const { sqrtPriceX96, tick: at } = event.args;
  const state = { price: sqrtPriceX96, tick: at, liquidity: 0n };
  await context.db.insert(pool).values({ address: event.log.address, ...state });
  await context.db.insert(history).values({ pool: event.log.address, ...placeOf(event), ...state });
});

ponder.on("V3Pool:Swap", async ({ event, context }) => {
  const { sqrtPriceX96, liquidity, tick: at } = event.args;
  const state = { price: sqrtPriceX96, tick: at, liquidity };
  await context.db.update(pool, { address: event.log.address }).set(state);
  await context.db.insert(history).values({ pool: event.log.address, ...placeOf(event), ...state });
});

async function addLiquidity(
  db: Db,
  change: Place & { pool: `0x${string}`; tickLower: number; tickUpper: number; delta: bigint },
): Promise<void> {
  const { tickLower, tickUpper, delta, ...place } = change;
  for (const [at, net] of [
    [tickLower, delta],
    [tickUpper, -delta],
  ] as const)
    await db
      .insert(tick)
      .values({ pool: place.pool, tick: at, net })
      .onConflictDoUpdate((row) => ({ net: row.net + net }));
  const state = await db.update(pool, { address: place.pool }).set((row) => ({
    liquidity: row.tick >= tickLower && row.tick < tickUpper ? row.liquidity + delta : row.liquidity,
  }));
  const { price, tick: now, liquidity } = state;
  await db.insert(history).values({ ...place, price, tick: now, liquidity });
}

ponder.on("V3Pool:Mint", ({ event, context }) => {
  const { tickLower, tickUpper, amount } = event.args;
  return addLiquidity(context.db, { pool: event.log.address, ...placeOf(event), tickLower, tickUpper, delta: amount });
});

ponder.on("V3Pool:Burn", ({ event, context }) => {
  const { tickLower, tickUpper, amount } = event.args;
  return addLiquidity(context.db, { pool: event.log.address, ...placeOf(event), tickLower, tickUpper, delta: -amount });
});
