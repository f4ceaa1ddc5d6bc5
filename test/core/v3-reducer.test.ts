// The reducer without a chain: thousands of swaps of a forward pool replayed from their events alone, and what happens
// when facts and state part.
import { describe, expect, it } from "vitest";
import {
  countedAmounts,
  nftAmounts,
  positionAmounts,
  RangeTicksError,
} from "../../core/concentrated/position-amounts.ts";
import type { V3Row } from "../../core/concentrated/rows.ts";
import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK } from "../../core/math/tick-math.ts";
import type { PoolFact, SwapFact } from "../../core/v3/facts.ts";
import { UnknownTokenIdError } from "../../core/v3/position-manager.ts";
import {
  addPool,
  applyFact,
  createWorld,
  restoreRow,
  takeChanges,
  UnknownPoolError,
  type V3World,
} from "../../core/v3/reducer.ts";
import { ReplayMismatchError } from "../../core/v3/replay-mismatch.ts";
import type { PoolConstants, PoolState } from "../../core/v3/state.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import { type Random, seedRandom } from "../../devnet/scenario/random.ts";
import { ForwardPool, type Order } from "./v3-forward-pool.ts";

const manager = "0x00000000000000000000000000000000000000ff";

function constantsOf(random: Random): PoolConstants {
  const flavour = random.pick(["uniswap", "kodiak"] as const);
  const [fee, tickSpacing] = random.pick([
    [100, 1],
    [500, 10],
    [3000, 60],
    [10_000, 200],
  ] as const);
  const setting = () =>
    random.chance(0.3) ? 0 : flavour === "kodiak" ? random.between(1000, 4000) : random.between(4, 10);
  const pool = "0x0000000000000000000000000000000000000001";
  return { pool, fee, tickSpacing, flavour, initialFeeProtocol0: setting(), initialFeeProtocol1: setting() };
}

function magnitude(random: Random, most: number): bigint {
  return random.chance(0.15) ? BigInt(random.between(1, 4)) : random.amount(1n, 10n ** BigInt(random.between(1, most)));
}

function orderOf(pool: ForwardPool, random: Random): Order {
  const zeroForOne = random.chance(0.5);
  const size = magnitude(random, 24);
  const ticks = [...pool.ticks.keys(), Math.floor(pool.tick / 256) * 256, pool.tick + random.between(-900, 900)];
  const target = Math.max(MIN_TICK + 1, Math.min(MAX_TICK - 1, random.pick(ticks)));
  const near = getSqrtRatioAtTick(target) + BigInt(random.pick([0, 0, 0, 1, -1]));
  const end = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  const isAhead = zeroForOne ? near < pool.price : near > pool.price;
  // to the end of all prices only now and then: from a spacing of 1 that is thousands of words away
  const sqrtPriceLimitX96 = isAhead && random.chance(0.9) ? near : random.chance(0.1) ? end : halfway(pool, zeroForOne);
  return { zeroForOne, amountSpecified: random.chance(0.4) ? -size : size, sqrtPriceLimitX96 };
}

function halfway({ tick }: ForwardPool, zeroForOne: boolean): bigint {
  return getSqrtRatioAtTick(zeroForOne ? Math.max(MIN_TICK + 1, tick - 9000) : Math.min(MAX_TICK - 1, tick + 9000));
}

/** A pool with some ranges, small and large liquidity, gaps included. */
function poolOf(random: Random): { pool: ForwardPool; facts: PoolFact[] } {
  const constants = constantsOf(random);
  const { tickSpacing } = constants;
  const pool = new ForwardPool(
    constants,
    getSqrtRatioAtTick(random.between(-20_000, 20_000)) + BigInt(random.between(0, 9)),
  );
  const facts = [pool.initialize()];
  const current = Math.floor(pool.tick / tickSpacing);
  for (let count = random.between(1, 12); count > 0; count -= 1) {
    const lower = current + random.between(-40, 40);
    const upper = lower + random.pick([1, 2, random.between(1, 300)]);
    facts.push(pool.mint(lower * tickSpacing, upper * tickSpacing, magnitude(random, 24)));
  }
  return { pool, facts };
}

function replayed(world: V3World, facts: readonly PoolFact[]): PoolState {
  for (const fact of facts) expect(applyFact(world, fact)).toBeUndefined();
  return [...world.pools.values()][0]!;
}

function worldFor({ constants }: ForwardPool): V3World {
  const world = createWorld({ manager });
  addPool(world, constants);
  return world;
}

const ticksOf = (state: PoolState) =>
  new Map(
    state.ticks.map((tick) => [
      tick.tick,
      {
        gross: tick.liquidityGross,
        net: tick.liquidityNet,
        outside: [tick.feeGrowthOutside0X128, tick.feeGrowthOutside1X128],
      },
    ]),
  );

describe("a swap replayed from its event", () => {
  it("gives the state of the pool that swapped: 150 pools, 20 orders each", () => {
    let swaps = 0;
    for (let seed = 0; seed < 150; seed += 1) {
      const random = seedRandom(`replay/${seed}`);
      const { pool, facts } = poolOf(random);
      const world = worldFor(pool);
      replayed(world, facts);
      for (let order = 0; order < 20; order += 1) {
        const events = pool.swap(orderOf(pool, random));
        const state = replayed(world, events);
        swaps += events.length > 0 ? 1 : 0;
        expect([state.sqrtPriceX96, state.tick, state.liquidity]).toEqual([pool.price, pool.tick, pool.liquidity]);
        expect([state.feeGrowthGlobal0X128, state.feeGrowthGlobal1X128]).toEqual(pool.growth);
        expect([state.protocolFees0, state.protocolFees1]).toEqual(pool.protocolFees);
      }
      expect(ticksOf(replayed(world, []))).toEqual(pool.ticks);
    }
    expect(swaps).toBeGreaterThan(2500);
  });

  it("gives it where a pool began at the lowest price there is, and what came in is too little to move it", () => {
    const constants = { ...constantsOf(seedRandom("lowest")), flavour: "uniswap", fee: 100, tickSpacing: 1 } as const;
    const pool = new ForwardPool(constants, MIN_SQRT_RATIO);
    const world = worldFor(pool);
    const up = { zeroForOne: false, sqrtPriceLimitX96: 2n * MIN_SQRT_RATIO };
    const facts = [pool.initialize(), pool.mint(MIN_TICK, MIN_TICK + 10, 2n ** 100n)];
    const [dust] = [...pool.swap({ ...up, amountSpecified: 9n })];
    expect(dust).toMatchObject({ sqrtPriceX96: MIN_SQRT_RATIO, amount0: 0n, amount1: 9n });
    replayed(world, [...facts, dust as PoolFact, ...pool.swap({ ...up, amountSpecified: 10n ** 9n })]);
    const state = replayed(world, []);
    expect([state.sqrtPriceX96, state.tick, state.liquidity]).toEqual([pool.price, pool.tick, pool.liquidity]);
    expect([state.feeGrowthGlobal0X128, state.feeGrowthGlobal1X128]).toEqual(pool.growth);
    // no swap goes down to it, and none from there
    const down = { ...dust, amount0: 9n, amount1: 0n } as PoolFact;
    expect(applyFact(world, down)).toMatchObject({ field: "sqrtPriceX96" });
  });
});

/** One pool of known shape, one swap over a tick. */
function scene(): { world: V3World; pool: ForwardPool; swap: SwapFact } {
  const pool = new ForwardPool(
    { ...constantsOf(seedRandom("scene")), flavour: "uniswap", fee: 3000, tickSpacing: 60 },
    2n ** 96n,
  );
  const world = worldFor(pool);
  replayed(world, [pool.initialize(), pool.mint(-600, 600, 10n ** 18n), pool.mint(-60, 60, 10n ** 18n)]);
  const events = pool.swap({ zeroForOne: true, amountSpecified: 10n ** 16n, sqrtPriceLimitX96: MIN_SQRT_RATIO + 1n });
  return { world, pool, swap: events.at(-1) as SwapFact };
}

describe("facts and state that part", () => {
  it.each([
    ["liquidity", { liquidity: 5n }],
    ["tick", { tick: -61 }],
    ["amount1", { amount1: -1n }],
    ["amount0", { amount0: 10n }],
  ] as const)("stop the pool and name %s, block, log and both values", (field, lie) => {
    const { world, pool, swap } = scene();
    takeChanges(world);
    const mismatch = applyFact(world, { ...swap, ...lie });
    expect(mismatch).toBeInstanceOf(ReplayMismatchError);
    expect(mismatch).toMatchObject({ pool: pool.constants.pool, block: swap.block, logIndex: swap.logIndex, field });
    expect(mismatch?.expected).not.toBe(mismatch?.replayed);
    expect(takeChanges(world)).toEqual([]);
    expect(world.pools.get(pool.constants.pool)?.sqrtPriceX96).toBe(2n ** 96n);
    expect(applyFact(world, swap)).toBeUndefined();
    expect(world.pools.get(pool.constants.pool)?.sqrtPriceX96).toBe(2n ** 96n);
  });

  it("stop no other pool", () => {
    const { world, swap } = scene();
    const other = new ForwardPool(
      { ...constantsOf(seedRandom("other")), pool: "0x0000000000000000000000000000000000000002" },
      2n ** 96n,
    );
    addPool(world, other.constants);
    expect(applyFact(world, { ...swap, liquidity: 1n })).toBeInstanceOf(ReplayMismatchError);
    expect(applyFact(world, other.initialize())).toBeUndefined();
    expect(world.pools.get(other.constants.pool)?.sqrtPriceX96).toBe(2n ** 96n);
  });

  it("are noticed in a missing Mint, a Burn beyond the position and a protocol fee that was not earned", () => {
    const { world, swap } = scene();
    const place = { block: 9, logIndex: 9, txIndex: 0, pool: swap.pool };
    const owner = "0x00000000000000000000000000000000000000aa";
    const amounts = { amount0: 0n, amount1: 0n };
    const burn = {
      ...place,
      kind: "burn",
      owner,
      tickLower: -600,
      tickUpper: 600,
      amount: 2n * 10n ** 18n,
      ...amounts,
    } as const;
    expect(applyFact(world, burn)).toMatchObject({ field: "amount", replayed: String(10n ** 18n) });
    const fresh = scene();
    expect(applyFact(fresh.world, { ...place, kind: "collectProtocol", amount0: 1n, amount1: 0n })).toMatchObject({
      field: "amount0",
    });
    const unminted = new ForwardPool(fresh.pool.constants, 2n ** 96n);
    const world2 = worldFor(unminted);
    replayed(world2, [unminted.initialize(), unminted.mint(-600, 600, 10n ** 18n)]);
    expect(applyFact(world2, swap)).toBeInstanceOf(ReplayMismatchError);
  });

  it("a kodiak pool's ProtocolFeesEarned must be what the replay earns", () => {
    const random = seedRandom("kodiak");
    const constants = { ...constantsOf(random), flavour: "kodiak", fee: 3000, tickSpacing: 60 } as const;
    const pool = new ForwardPool({ ...constants, initialFeeProtocol0: 3500, initialFeeProtocol1: 3500 }, 2n ** 96n);
    const world = worldFor(pool);
    replayed(world, [pool.initialize(), pool.mint(-600, 600, 10n ** 18n)]);
    const [earned, swap] = pool.swap({
      zeroForOne: true,
      amountSpecified: 10n ** 15n,
      sqrtPriceLimitX96: MIN_SQRT_RATIO + 1n,
    });
    expect(earned).toMatchObject({ kind: "protocolFeesEarned", amount0: 1050000000000n, amount1: 0n });
    expect(applyFact(world, { ...(earned as PoolFact), amount0: 1050000000001n } as PoolFact)).toBeUndefined();
    expect(applyFact(world, swap as PoolFact)).toMatchObject({
      field: "ProtocolFeesEarned.amount0",
      expected: "1050000000001",
      replayed: "1050000000000",
    });
  });

  it("stop no pool, and give it no token id, where the Mint after its own is of a pool that was never added", () => {
    const { world, pool } = scene();
    const place = { block: 9, txIndex: 0 };
    const amounts = { liquidity: 5n, amount0: 1n, amount1: 1n };
    const newToken = (tokenId: bigint, at: number) => {
      const to = "0x00000000000000000000000000000000000000aa";
      applyFact(world, { ...place, logIndex: at, kind: "transferToken", tokenId, from: ZERO_ADDRESS, to });
      return applyFact(world, { ...place, logIndex: at + 1, kind: "increaseLiquidity", tokenId, ...amounts });
    };
    const minted = { owner: manager, sender: manager, tickLower: -600, tickUpper: 600, amount: 5n };
    const mint = { ...place, ...minted, logIndex: 1, kind: "mint", pool: pool.constants.pool } as const;
    applyFact(world, { ...mint, amount0: 1n, amount1: 1n });
    expect(newToken(1n, 2)).toBeUndefined();
    expect(() => applyFact(world, { ...mint, logIndex: 4, pool: manager, amount0: 1n, amount1: 1n })).toThrow(
      UnknownPoolError,
    );
    expect(() => newToken(2n, 5)).toThrow(UnknownTokenIdError);
    expect(world.pools.get(pool.constants.pool)?.stopped).toBeUndefined();
    expect([...world.manager.nfts.keys()]).toEqual([1n]);
  });

  it("throw for a pool that was never added", () => {
    const { swap } = scene();
    expect(() => applyFact(createWorld({ manager }), swap)).toThrow(UnknownPoolError);
  });
});

describe("rows", () => {
  it("hold each entity once, and restore the world they came from", () => {
    const { world, pool, swap } = scene();
    applyFact(world, swap);
    const rows = takeChanges(world);
    expect(rows.map((row: V3Row) => row.kind).sort()).toEqual([
      "pool",
      "position",
      "position",
      "tick",
      "tick",
      "tick",
      "tick",
    ]);
    expect(takeChanges(world)).toEqual([]);
    const restored = worldFor(pool);
    for (const row of rows) restoreRow(restored, row);
    const more = pool.swap({ zeroForOne: false, amountSpecified: 10n ** 17n, sqrtPriceLimitX96: MAX_SQRT_RATIO - 1n });
    replayed(world, more);
    replayed(restored, more);
    expect(takeChanges(restored)).toEqual(takeChanges(world));
  });

  it("of different blocks are refused when asked what a position pays", () => {
    const { world } = scene();
    const [pool] = world.pools.values();
    const position = [...pool!.positions.values()][0]!;
    expect(() => positionAmounts(pool!, { position, ticks: { lower: undefined, upper: undefined } })).toThrow(
      RangeTicksError,
    );
  });
});

describe("ticks and positions", () => {
  it("a tick at the current tick counts as below: all growth before it happened outside", () => {
    const { world, pool, swap } = scene();
    replayed(world, [swap]);
    const back = pool.swap({
      zeroForOne: false,
      amountSpecified: 10n ** 18n,
      sqrtPriceLimitX96: getSqrtRatioAtTick(120),
    });
    const state = replayed(world, [...back, pool.mint(120, 180, 7n), pool.mint(180, 240, 7n)]);
    expect(state.tick).toBe(120);
    expect(state.feeGrowthGlobal0X128).toBeGreaterThan(0n);
    const outsideOf = (at: number) => {
      const tick = state.ticks.find((candidate) => candidate.tick === at);
      return [tick?.feeGrowthOutside0X128, tick?.feeGrowthOutside1X128];
    };
    expect(outsideOf(120)).toEqual([state.feeGrowthGlobal0X128, state.feeGrowthGlobal1X128]);
    expect(outsideOf(180)).toEqual([0n, 0n]);
  });

  const growth = { feeGrowthInside0LastX128: 0n, feeGrowthInside1LastX128: 0n };
  const range = { tickLower: -60, tickUpper: 60, ...growth };
  const outside = { feeGrowthOutside0X128: 0n, feeGrowthOutside1X128: 0n };
  const ticks = { lower: { tick: -60, ...outside }, upper: { tick: 60, ...outside } };
  /** Fees of 5 and 6 per unit of liquidity since the beginning. */
  const pool = { tick: 0, sqrtPriceX96: 1n << 96n, feeGrowthGlobal0X128: 5n << 128n, feeGrowthGlobal1X128: 6n << 128n };

  it("a token id is paid no more than the pool owes for its range, and the pool is not poked for an empty one", () => {
    const empty = { ...range, liquidity: 0n, tokensOwed0: 10n, tokensOwed1: 10n };
    const managerPosition = { ...range, liquidity: 3n, tokensOwed0: 9n, tokensOwed1: 20n };
    const paid = { principal0: 0n, principal1: 0n, fees0: 9n, fees1: 10n };
    expect(nftAmounts(pool, { nft: empty, managerPosition, ticks })).toEqual(paid);
    const alive = { ...empty, liquidity: 1n };
    expect(nftAmounts(pool, { nft: alive, managerPosition, ticks })).toEqual({ ...paid, fees0: 15n, fees1: 16n });
  });

  it("a position's principal and fees are apart", () => {
    const position = { ...range, liquidity: 10n ** 6n, tokensOwed0: 1n, tokensOwed1: 2n };
    expect(positionAmounts(pool, { position, ticks })).toEqual({
      principal0: 2995n,
      principal1: 2995n,
      fees0: 5_000_001n,
      fees1: 6_000_002n,
    });
    expect(countedAmounts(pool, { position, ticks })).toEqual(positionAmounts(pool, { position, ticks }));
  });

  it("a contract that counts by itself reports all of a position that a pool pays in 128 bits", () => {
    const position = { ...range, liquidity: 1n << 127n, tokensOwed0: 1n, tokensOwed1: 2n };
    const paid = positionAmounts(pool, { position, ticks });
    expect([paid.principal0 + paid.fees0 < 1n << 128n, paid.principal1 + paid.fees1 < 1n << 128n]).toEqual([
      true,
      true,
    ]);
    const { principal0, principal1, fees0, fees1 } = countedAmounts(pool, { position, ticks });
    expect([fees0, fees1]).toEqual([5n * (1n << 127n) + 1n, 6n * (1n << 127n) + 2n]);
    expect(BigInt.asUintN(128, principal0 + fees0)).toBe(paid.principal0 + paid.fees0);
    expect(BigInt.asUintN(128, principal1 + fees1)).toBe(paid.principal1 + paid.fees1);
  });
});
