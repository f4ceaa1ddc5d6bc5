// Router states are kept by block and hash, the least recently used forgotten first.
import { beforeEach, describe, expect, it } from "vitest";
import { forgetStates, keepState, keptBetween, keptState } from "../../gateway/router/kept-states.ts";
import type { RouterState } from "../../gateway/router/router-state.ts";

const INDEX = "31337 fold 1";

const stateOf = (block: number, hash = `0x${block}`): RouterState => ({
  ...{ block, hash, pools: new Map(), pending: new Set(), payouts: new Map(), taxed: new Set() },
  ...{ networks: [], tokens: new Map() },
});

const keep = (state: RouterState) => keepState(INDEX, state, undefined);
const blocksKept = () => keptBetween(INDEX, { first: 0, last: 1_000 }).map(({ block }) => block);

beforeEach(forgetStates);

describe("kept states", () => {
  it("are found by block and hash in their own index", () => {
    const [one, replaced] = [stateOf(7, "0xa"), stateOf(7, "0xb")];
    keep(one);
    keep(replaced);
    expect(keptState(INDEX, { block: 7, hash: "0xa" })).toBe(one);
    expect(keptState(INDEX, { block: 7, hash: "0xb" })).toBe(replaced);
    expect(keptState(INDEX, { block: 8, hash: "0xa" })).toBeUndefined();
    expect(keptState("1 fold 1", { block: 7, hash: "0xa" })).toBeUndefined();
  });

  it("are listed from the highest block down, within bounds", () => {
    for (const block of [3, 9, 5, 12]) keep(stateOf(block));
    expect(keptBetween(INDEX, { first: 4, last: 9 }).map(({ block }) => block)).toEqual([9, 5]);
    expect(keptBetween("1 fold 1", { first: 4, last: 9 })).toEqual([]);
  });

  it("are at most 64; what was asked for again stays", () => {
    for (let block = 1; block <= 64; block++) keep(stateOf(block));
    keptState(INDEX, { block: 1, hash: "0x1" });
    keep(stateOf(65));
    expect(blocksKept()).toHaveLength(64);
    expect([blocksKept().includes(1), blocksKept().includes(2), blocksKept().includes(65)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("forget by weight too, but never the last one", () => {
    const pool = { kind: "v3", ticks: Array.from({ length: 1_100_000 }) };
    const heavy = (block: number) =>
      ({ ...stateOf(block), pools: new Map([["0x1", { pool, factory: "0x2" }]]) }) as unknown as RouterState;
    keep(heavy(1));
    expect(blocksKept()).toEqual([1]);
    keep(heavy(2));
    expect(blocksKept()).toEqual([2]);
  });
});
