// What an island's events say about its manager's balance, fee and range, one transaction at a time.
import { describe, expect, it } from "vitest";
import type { IslandFact } from "../../core/island/facts.ts";
import {
  applyIslandFact,
  createIslandWorld,
  endIslandBlock,
  restoreIsland,
  UnknownIslandError,
} from "../../core/island/reducer.ts";
import type { FoldedIsland } from "../../core/island/state.ts";
import { islandSides } from "../../core/island/underlying.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";

const address = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;
const ISLAND = address(1);
const POOL = address(2);
const MANAGER = address(3);
const TREASURY = address(4);
const USER = address(5);

type StoryFact = IslandFact extends infer F
  ? F extends IslandFact
    ? Omit<F, "block" | "logIndex" | "txIndex" | "island">
    : never
  : never;

/** Gives the reducer facts of one island; each list is one transaction, `endBlock` gives what the block changed. */
function story(from: { managerFeeBps?: number; treasury?: string; manager?: string } = {}) {
  const world = createIslandWorld();
  let [block, logIndex, txIndex] = [1, 0, 0];
  const stops: string[] = [];
  const teller = {
    stops,
    transaction(...facts: StoryFact[]) {
      for (const fact of facts) {
        const stop = applyIslandFact(world, { ...fact, block, logIndex, txIndex, island: ISLAND } as IslandFact);
        if (stop) stops.push(`${stop.block}:${stop.logIndex} ${stop.field} ${stop.expected} ${stop.replayed}`);
        logIndex += 1;
      }
      txIndex += 1;
      return teller;
    },
    endBlock(): FoldedIsland | undefined {
      const ended = endIslandBlock(world);
      for (const stop of ended.stops)
        stops.push(`${stop.block}:${stop.logIndex} ${stop.field} ${stop.expected} ${stop.replayed}`);
      [block, logIndex, txIndex] = [block + 1, 0, 0];
      expect(ended.rows.length).toBeLessThanOrEqual(1);
      return ended.rows[0];
    },
  };
  const { managerFeeBps = 1_000, treasury = TREASURY, manager = MANAGER } = from;
  const settings = { tickLower: -600, tickUpper: 600, managerFeeBps, treasury };
  teller.transaction({ kind: "created", pool: POOL, token0: address(10), token1: address(11), manager, settings });
  return teller;
}

/** A collection with `principal` of each token in it; `net` as the island reports it. */
const collect = (principal: bigint, fees: [bigint, bigint], net: [bigint, bigint]): StoryFact[] => [
  { kind: "poolBurn", amount0: principal, amount1: principal },
  { kind: "poolCollect", amount0: principal + fees[0], amount1: principal + fees[1] },
  { kind: "fees", amount0: net[0], amount1: net[1] },
];
const pay = (side: 0 | 1, amount: bigint, to: string): StoryFact => ({ kind: "transferOut", side, to, amount });
const balances = (row: FoldedIsland | undefined) => [row?.managerBalance0, row?.managerBalance1];

describe("an island's reducer", () => {
  it("begins with what was read, and says it once", () => {
    const scene = story({ managerFeeBps: 250 });
    expect(scene.endBlock()).toEqual({
      island: ISLAND,
      tickLower: -600,
      tickUpper: 600,
      manager: MANAGER,
      managerFeeBps: 250,
      treasury: TREASURY,
      managerBalance0: 0n,
      managerBalance1: 0n,
    });
    expect(scene.endBlock()).toBeUndefined();
  });

  it.each([
    [0, [0n, 0n]],
    [500, [50n, 0n]],
    [1_000, [100n, 1n]],
    [10_000, [1_009n, 19n]],
  ] as const)("books the manager's part of fees at %i, rounded down", (managerFeeBps, managers) => {
    const scene = story({ managerFeeBps });
    scene.transaction(...collect(70n, [1_009n, 19n], [1_009n - managers[0], 19n - managers[1]]));
    expect(balances(scene.endBlock())).toEqual(managers);
    expect(scene.stops).toEqual([]);
  });

  it("books each collection at the fee of its moment", () => {
    const scene = story();
    scene.transaction(...collect(0n, [1_000n, 0n], [900n, 0n]));
    scene.transaction({ kind: "params", managerFeeBps: 5_000, treasury: USER });
    scene.transaction(...collect(5n, [1_000n, 3n], [500n, 2n]));
    expect(scene.endBlock()).toMatchObject({
      managerBalance0: 600n,
      managerBalance1: 1n,
      managerFeeBps: 5_000,
      treasury: USER,
    });
    expect(scene.stops).toEqual([]);
  });

  it("sees the manager paid by transfers to the treasury alone, of one token or both", () => {
    const scene = story();
    scene.transaction(...collect(0n, [1_000n, 2_000n], [900n, 1_800n]));
    scene.transaction(pay(0, 100n, TREASURY), pay(1, 200n, TREASURY));
    expect(balances(scene.endBlock())).toEqual([0n, 0n]);
    scene.transaction(...collect(0n, [0n, 2_000n], [0n, 1_800n]));
    expect(balances(scene.endBlock())).toEqual([0n, 200n]);
    scene.transaction(pay(1, 200n, TREASURY));
    expect(balances(scene.endBlock())).toEqual([0n, 0n]);
    expect(scene.stops).toEqual([]);
  });

  it("does not take a burn that pays the treasury for a payout, not even of the very amount", () => {
    const scene = story();
    scene.transaction(...collect(0n, [1_000n, 2_000n], [900n, 1_800n]));
    scene.endBlock();
    scene.transaction(...collect(50n, [10n, 10n], [9n, 9n]), pay(0, 101n, TREASURY), pay(1, 7n, TREASURY), {
      kind: "burned",
      receiver: TREASURY,
    });
    expect(balances(scene.endBlock())).toEqual([101n, 201n]);
    expect(scene.stops).toEqual([]);
  });

  it("distinguishes a payout from a burn to the treasury within one transaction", () => {
    const scene = story();
    scene.transaction(...collect(0n, [1_000n, 2_000n], [900n, 1_800n]));
    scene.endBlock();
    scene.transaction(
      pay(0, 100n, TREASURY),
      pay(1, 200n, TREASURY),
      ...collect(50n, [20n, 10n], [18n, 9n]),
      pay(0, 55n, TREASURY),
      { kind: "burned", receiver: TREASURY },
      pay(0, 2n, TREASURY),
      pay(1, 1n, TREASURY),
    );
    expect(balances(scene.endBlock())).toEqual([0n, 0n]);
    expect(scene.stops).toEqual([]);
  });

  it("lets tokens go to others and into the pool, even where the pool is the treasury", () => {
    const scene = story({ treasury: POOL });
    scene.transaction(...collect(0n, [1_000n, 2_000n], [900n, 1_800n]));
    scene.transaction(pay(0, 77n, POOL), pay(1, 88n, POOL));
    scene.transaction(pay(0, 100n, USER), { kind: "burned", receiver: USER });
    expect(balances(scene.endBlock())).toEqual([100n, 200n]);
    scene.transaction(pay(0, 100n, POOL), pay(1, 200n, POOL));
    expect(balances(scene.endBlock())).toEqual([0n, 0n]);
    expect(scene.stops).toEqual([]);
  });

  it("makes what a renouncing manager leaves the holders', with the factory's fee and treasury", () => {
    const scene = story();
    scene.transaction(...collect(0n, [1_000n, 2_000n], [900n, 1_800n]));
    scene.endBlock();
    const settings = { tickLower: -600, tickUpper: 600, managerFeeBps: 700, treasury: USER };
    scene.transaction({ kind: "renounced", settings });
    expect(scene.endBlock()).toMatchObject({
      manager: ZERO_ADDRESS,
      managerFeeBps: 700,
      treasury: USER,
      managerBalance0: 0n,
      managerBalance1: 0n,
    });
  });

  it("follows new ranges and managers; compounding changes no range", () => {
    const scene = story();
    scene.endBlock();
    scene.transaction(...collect(9n, [0n, 0n], [0n, 0n]), { kind: "rebalance", tickLower: -600, tickUpper: 600 });
    scene.transaction({ kind: "rebalance", tickLower: -60, tickUpper: 120 });
    scene.transaction({ kind: "newManager", manager: USER });
    expect(scene.endBlock()).toMatchObject({ tickLower: -60, tickUpper: 120, manager: USER, managerBalance0: 0n });
  });

  it("stops where the fee does not give what was earned, and takes no more", () => {
    const scene = story();
    scene.endBlock();
    scene.transaction(...collect(0n, [1_000n, 0n], [899n, 0n]));
    expect(scene.stops).toEqual(["2:2 feesEarned0 899 900"]);
    scene.endBlock();
    scene.transaction({ kind: "params", managerFeeBps: 1, treasury: USER });
    expect(scene.endBlock()).toBeUndefined();
  });

  it("stops at a payment to the treasury that nothing explains", () => {
    const scene = story();
    scene.endBlock();
    scene.transaction(...collect(0n, [1_000n, 0n], [900n, 0n]));
    scene.transaction(pay(0, 99n, TREASURY));
    scene.endBlock();
    expect(scene.stops).toEqual(["2:3 managerBalance0 99 100"]);
  });

  it("goes on where the swap of a rebalance pays a router that is the treasury, and takes what it withdraws then for a payout", () => {
    const scene = story();
    scene.transaction(...collect(0n, [1_000n, 500n], [900n, 450n]));
    scene.endBlock();
    scene.transaction(...collect(700n, [0n, 0n], [0n, 0n]), pay(0, 333n, TREASURY), pay(0, 100n, TREASURY), {
      kind: "rebalance",
      tickLower: -1_200,
      tickUpper: 0,
    });
    expect(scene.endBlock()).toMatchObject({ tickLower: -1_200, managerBalance0: 0n, managerBalance1: 50n });
    expect(scene.stops).toEqual([]);
  });

  it("takes the manager's part as the events of its first block have it, whatever the fee is at the block's end", () => {
    const scene = story({ managerFeeBps: 250, treasury: USER });
    scene.transaction(...collect(0n, [10_000n, 0n], [9_000n, 0n]));
    scene.transaction(pay(0, 1_000n, TREASURY));
    scene.transaction(...collect(5n, [0n, 20_000n], [0n, 18_000n]));
    scene.transaction({ kind: "params", managerFeeBps: 250, treasury: USER });
    scene.transaction(...collect(0n, [4_000n, 0n], [3_900n, 0n]));
    expect(scene.endBlock()).toMatchObject({
      ...{ managerFeeBps: 250, treasury: USER, managerBalance0: 100n, managerBalance1: 2_000n },
    });
    expect(scene.stops).toEqual([]);
  });

  it("gives what was paid out before new settings to the treasury before them, in one transaction too", () => {
    const scene = story({ managerFeeBps: 250, treasury: USER });
    scene.transaction(...collect(0n, [10_000n, 0n], [9_000n, 0n]));
    scene.transaction(pay(0, 1_000n, TREASURY), { kind: "params", managerFeeBps: 250, treasury: USER });
    expect(scene.endBlock()).toMatchObject({ treasury: USER, managerBalance0: 0n });
    expect(scene.stops).toEqual([]);
  });

  it("takes fees of the block in which its manager renounces by what the events say", () => {
    const scene = story();
    scene.endBlock();
    const settings = { tickLower: -600, tickUpper: 600, managerFeeBps: 700, treasury: USER };
    scene.transaction({ kind: "renounced", settings });
    scene.transaction(...collect(7n, [1_000n, 0n], [950n, 0n]));
    scene.transaction({ kind: "rebalance", tickLower: -60, tickUpper: 60 });
    expect(scene.endBlock()).toMatchObject({ managerFeeBps: 700, managerBalance0: 50n, tickLower: -60 });
    expect(scene.stops).toEqual([]);
  });

  it("stops where more is earned than was collected, though nobody knows the fee", () => {
    const scene = story();
    scene.transaction(...collect(0n, [1_000n, 0n], [1_001n, 0n]));
    expect(scene.stops).toEqual(["1:3 feesEarned0 1001 1000"]);
    expect(scene.endBlock()).toMatchObject({ managerFeeBps: 1_000, tickLower: -600 });
  });

  it("goes on from a stored row like the one that never stopped", () => {
    const row = { tickLower: 0, tickUpper: 60, manager: MANAGER, managerFeeBps: 500, treasury: TREASURY };
    const world = createIslandWorld();
    const constants = { island: ISLAND, pool: POOL, token0: address(10), token1: address(11) };
    restoreIsland(world, constants, { island: ISLAND, ...row, managerBalance0: 12n, managerBalance1: 0n });
    const at = { block: 9, logIndex: 3, txIndex: 0, island: ISLAND };
    expect(applyIslandFact(world, { kind: "transferOut", ...at, side: 0, to: TREASURY, amount: 12n })).toBeUndefined();
    expect(endIslandBlock(world)).toEqual({
      rows: [{ island: ISLAND, ...row, managerBalance0: 0n, managerBalance1: 0n }],
      stops: [],
      waits: [],
    });
    expect(() => applyIslandFact(world, { kind: "burned", ...at, island: USER, receiver: USER })).toThrow(
      UnknownIslandError,
    );
  });
});

describe("an island whose settings are not read", () => {
  const constants = { island: ISLAND, pool: POOL, token0: address(10), token1: address(11) };
  const row = { tickLower: 0, tickUpper: 60, manager: MANAGER, managerFeeBps: 500, treasury: TREASURY };
  const at = (block: number, logIndex: number) => ({ block, logIndex, txIndex: 0, island: ISLAND });
  const params = { kind: "params", managerFeeBps: 7, treasury: USER } as const;

  it("waits from its creation on, without a row, and takes no more facts", () => {
    const world = createIslandWorld();
    applyIslandFact(world, { kind: "created", ...at(5, 1), ...constants, manager: MANAGER, settings: undefined });
    applyIslandFact(world, { ...params, ...at(5, 2) });
    expect(endIslandBlock(world)).toEqual({ rows: [], stops: [], waits: [{ island: ISLAND, block: 5 }] });
    expect(applyIslandFact(world, { kind: "renounced", ...at(6, 1), settings: undefined })).toBeUndefined();
    expect(endIslandBlock(world)).toEqual({ rows: [], stops: [], waits: [] });
  });

  it("waits from the block on in which its manager renounces: not even what came before in that block is reported", () => {
    const world = createIslandWorld();
    restoreIsland(world, constants, { island: ISLAND, ...row, managerBalance0: 12n, managerBalance1: 0n });
    applyIslandFact(world, { ...params, ...at(9, 0) });
    applyIslandFact(world, { kind: "renounced", ...at(9, 1), settings: undefined });
    applyIslandFact(world, { kind: "newManager", ...at(9, 2), manager: USER });
    expect(endIslandBlock(world)).toEqual({ rows: [], stops: [], waits: [{ island: ISLAND, block: 9 }] });
  });

  it("does not wait once it is stopped", () => {
    const world = createIslandWorld();
    restoreIsland(world, constants, { island: ISLAND, ...row, managerBalance0: 12n, managerBalance1: 0n });
    const stop = applyIslandFact(world, { kind: "fees", ...at(9, 0), amount0: 1n, amount1: 0n });
    expect(stop?.field).toBe("feesEarned0");
    applyIslandFact(world, { kind: "renounced", ...at(9, 1), settings: undefined });
    expect(endIslandBlock(world).waits).toEqual([]);
  });
});

describe("what stands behind an island's shares", () => {
  it("is its position and what lies idle, without the manager's part of either", () => {
    const [side0, side1] = islandSides(
      { managerFeeBps: 1_000, managerBalance0: 30n, managerBalance1: 0n },
      { position: { principal0: 500n, fees0: 99n, principal1: 0n, fees1: 10n }, held0: 100n, held1: 7n },
    );
    expect(side0).toEqual({
      principal: 500n,
      fees: 99n,
      managerPart: 9n,
      idle: 70n,
      managerBalance: 30n,
      underlying: 660n,
    });
    expect(side1).toEqual({ principal: 0n, fees: 10n, managerPart: 1n, idle: 7n, managerBalance: 0n, underlying: 16n });
  });
});
