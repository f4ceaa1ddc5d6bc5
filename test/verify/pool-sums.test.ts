// Whether `--pools` notices a position or token id that is not served, by what the pool itself counts.
import type { Address } from "viem";
import { expect, it } from "vitest";
import type { NftRow, PositionRow, TickRow } from "../../core/concentrated/rows.ts";
import type { V3Pool } from "../../gateway/concentrated/pool.ts";
import { positionKey } from "../../gateway/concentrated/state-at.ts";
import { comparePool, type PoolReport } from "../../verify/compare-pool.ts";
import type { Contracts } from "../../verify/contract-answers.ts";
import { type Read, storageKey } from "../../verify/pool-contracts.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";

const [POOL, MANAGER, ANNA, BEN] = [1, 2, 3, 4].map(accountOf) as [Address, Address, Address, Address];
const [LOWER, UPPER, BLOCK] = [-60, 60, 7];
const range = { tickLower: LOWER, tickUpper: UPPER };
const known = { feeGrowthInside0LastX128: 0n, feeGrowthInside1LastX128: 0n, tokensOwed0: 0n, tokensOwed1: 0n };
const pool = {
  ...{ address: POOL, manager: MANAGER, token0: tokenOf(1), token1: tokenOf(2), fee: 3_000, tickSpacing: 60 },
  createdBlock: 1,
} as unknown as V3Pool;

const position = (owner: Address, liquidity: bigint): PositionRow => ({
  ...range,
  ...known,
  ...{ pool: POOL, owner, liquidity },
  kind: "position",
});
const nft = (tokenId: bigint, liquidity: bigint): NftRow => ({
  ...range,
  ...known,
  ...{ pool: POOL, tokenId, owner: ANNA, liquidity },
  kind: "nft",
});
const tick = (at: number, ownerless: bigint): TickRow => {
  const liquidityGross = 12n + ownerless;
  const liquidityNet = at < 0 ? liquidityGross : -liquidityGross;
  const outside = { feeGrowthOutside0X128: 0n, feeGrowthOutside1X128: 0n };
  return { kind: "tick", pool: POOL, tick: at, liquidityGross, liquidityNet, ...outside };
};

/** Of 12 units in the range 5 are Anna's own and 7 the manager's: its token ids have 3 and 4. */
const whole = {
  positions: [position(ANNA, 5n), position(MANAGER, 7n)],
  nfts: [nft(1n, 3n), nft(2n, 4n)],
};

/** The contracts of that pool. `ownerless`: what Ben minted for the manager's account. */
function contractsWith(ownerless = 0n): Contracts {
  const held = new Map([
    [storageKey(ANNA, LOWER, UPPER), 5n],
    [storageKey(MANAGER, LOWER, UPPER), 7n + ownerless],
  ]);
  const answer = ({ address, functionName, args }: Read): unknown => {
    const [first] = args;
    if (functionName === "ticks") {
      const { liquidityGross, liquidityNet } = tick(Number(first), ownerless);
      return [liquidityGross, liquidityNet, 0n, 0n, 0n, 0n, 0, true];
    }
    if (functionName === "ownerOf") return ANNA;
    if (address === POOL) return [held.get(first as `0x${string}`) ?? 0n, 0n, 0n, 0n, 0n];
    return [0n, MANAGER, pool.token0, pool.token1, 3_000, LOWER, UPPER, first === 1n ? 3n : 4n, 0n, 0n, 0n, 0n];
  };
  const client = {
    multicall: async ({ contracts }: { contracts: Read[] }) =>
      contracts.map((read) => ({ status: "success", result: answer(read) })),
    getLogs: async () =>
      [
        { sender: MANAGER, amount: 7n },
        { sender: BEN, amount: ownerless },
      ].map((args) => ({ address: POOL, blockNumber: 2n, args })),
  };
  return { client } as unknown as Contracts;
}

async function noted(served: Partial<typeof whole>, ownerless = 0n): Promise<string[]> {
  const { positions, nfts } = { ...whole, ...served };
  const ticks = new Map([LOWER, UPPER].map((at) => [at, tick(at, ownerless)]));
  const byKey = new Map(positions.map((one) => [positionKey(one), one]));
  const state = { pool, slot: undefined, ticks, nfts, positions: byKey };
  const report: PoolReport = {
    pool: POOL,
    compared: new Map(),
    differences: 0,
    noted: [],
    stopped: undefined,
  };
  await comparePool(contractsWith(ownerless), { state, block: BLOCK, isEveryTick: false }, report);
  return report.noted.map((line) => line.replace(`${POOL} at block ${BLOCK}: `, ""));
}

const atTicks = (here: bigint, there: bigint) =>
  [LOWER, UPPER].map((at) => `all positions at tick ${at} have ${here} of liquidity, the tick ${there}`);
const inRange = (here: bigint, there: bigint) =>
  `all token ids in ${LOWER}…${UPPER} have ${here} of liquidity, the manager's account ${there}`;

it("a pool with all its positions and token ids has no difference", async () => {
  expect(await noted({})).toEqual([]);
});

it("a position that is missing is missed at both of its ticks", async () => {
  expect(await noted({ positions: [position(MANAGER, 7n)] })).toEqual(atTicks(7n, 12n));
  expect(await noted({ positions: [position(ANNA, 5n)], nfts: [] })).toEqual(atTicks(5n, 12n));
});

it("a token id that is missing is missed in its range", async () => {
  expect(await noted({ nfts: [nft(2n, 4n)] })).toEqual([inRange(4n, 7n)]);
  expect(await noted({ nfts: [] })).toEqual([inRange(0n, 7n)]);
});

it("liquidity that others minted for the manager is no token id's, and hides none that is missing", async () => {
  const positions = [position(ANNA, 5n), position(MANAGER, 16n)];
  expect(await noted({ positions }, 9n)).toEqual([]);
  expect(await noted({ positions, nfts: [nft(2n, 4n)] }, 9n)).toEqual([inRange(4n, 16n)]);
});
