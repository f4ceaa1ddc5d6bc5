// Liquidity minted straight to a position manager, into a range that token ids use as well.
import { expect, test } from "vitest";
import { positionAmounts } from "../../core/concentrated/position-amounts.ts";
import type { NftRow, PoolRow, PositionRow } from "../../core/concentrated/rows.ts";
import { ownerlessSpans } from "../../gateway/averages/ownerless-over.ts";
import type { V3Pool } from "../../gateway/concentrated/pool.ts";
import { poolWorth } from "../../gateway/concentrated/position-worth.ts";
import { positionKey } from "../../gateway/concentrated/state-at.ts";
import type { Address } from "../../gateway/parameters.ts";

const manager = "0xfe00000000000000000000000000000000000001" as Address;
const pool = { address: "0xbb00000000000000000000000000000000000001", manager } as unknown as V3Pool;
const range = { pool: pool.address, tickLower: -600, tickUpper: 600 };

/** Growth of this many raw units for each unit of liquidity, since all of it was minted; it wraps between the first two. */
const grown = (units: bigint): bigint => BigInt.asUintN(256, (units - 1n) << 128n);
const account = (liquidity: bigint, learnt: bigint, owed: bigint) => ({
  ...range,
  ...{ liquidity, feeGrowthInside0LastX128: grown(learnt), feeGrowthInside1LastX128: grown(learnt) },
  ...{ tokensOwed0: owed, tokensOwed1: owed },
});

// 1,000 and 500 units of liquidity belong to token ids, 3,000 to nobody. The range was touched after 2 units of growth by the
// first token id, after 7 by the second. A token id learns of growth only when it is touched itself.
const first = account(1_000n, 2n, 2_000n);
const second = { before: account(500n, 0n, 0n), after: account(500n, 7n, 3_500n) };
const all = { before: account(4_500n, 2n, 9_000n), after: account(4_500n, 7n, 31_500n) };

test("liquidity without an owner is worth to nobody what it would be worth to an owner, with all fees since it was minted", () => {
  const growth = { feeGrowthGlobal0X128: grown(10n), feeGrowthGlobal1X128: grown(10n) };
  const slot = { ...growth, kind: "pool", pool: pool.address, tick: 0, sqrtPriceX96: 2n ** 96n } as unknown as PoolRow;
  const none = { feeGrowthOutside0X128: 0n, feeGrowthOutside1X128: 0n, liquidityGross: 1n, liquidityNet: 0n };
  const tick = (at: number) => ({ kind: "tick", pool: pool.address, tick: at, ...none }) as const;
  const ticks = new Map([-600, 600].map((at) => [at, tick(at)]));
  const row: PositionRow = { kind: "position", owner: manager, ...all.after };
  const nft = (tokenId: bigint, own: typeof first): NftRow => ({ kind: "nft", tokenId, owner: "0xaa", ...own });
  const nfts = [nft(1n, first), nft(2n, second.after)];
  const worth = poolWorth({ pool, slot, ticks, nfts, positions: new Map([[positionKey(row), row]]) });

  const owned = positionAmounts(slot, {
    position: account(3_000n, 0n, 0n),
    ticks: { lower: tick(-600), upper: tick(600) },
  });
  expect(owned.fees0).toBe(30_000n);
  expect(worth.ownerless0).toBe(owned.principal0 + owned.fees0);
  expect(worth.ownerless1).toBe(owned.principal1 + owned.fees1);
});

test("liquidity without an owner has the same fees over a range of blocks, whenever token ids were credited with theirs", () => {
  const span = (tokenId: bigint | undefined, own: typeof first, [from, until]: [number, number]) => ({
    ...{ ...own, tokenId, from, until, owner: tokenId === undefined ? manager : ("0xaa" as Address) },
  });
  const managers = [span(undefined, all.before, [10, 20]), span(undefined, all.after, [20, 30])];
  const nfts = [
    span(1n, first, [10, 30]),
    span(2n, second.before, [10, 20]),
    span(2n, second.after, [20, 25]),
    span(2n, second.after, [25, 30]),
  ];
  const spans = ownerlessSpans(managers, [...managers, ...nfts]);
  expect(spans).toMatchObject([
    { from: 10, until: 20, liquidity: 3_000n, tokensOwed0: 6_000n, tokensOwed1: 6_000n },
    { from: 20, until: 30, liquidity: 3_000n, tokensOwed0: 21_000n, tokensOwed1: 21_000n },
  ]);
  expect(ownerlessSpans([span(undefined, account(1_500n, 7n, 9n), [20, 30])], nfts)).toEqual([]);
});
