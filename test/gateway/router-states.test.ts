// The router's state of a block is made once, from that of a block before it where one is stored.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildFactIndexes } from "../../fold/upkeep/fact-indexes.ts";
import { RequestScope } from "../../gateway/context.ts";
import { routerStates } from "../../gateway/instruments.ts";
import type { RouterState } from "../../gateway/router/router-state.ts";
import { routerPlaceAt } from "../../verify/quotes/block-quotes.ts";
import { setCheckpoint } from "../support/folded-index.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, insertBlocks } from "../support/index-fixture.ts";
import { BLOCKS, PAIR_AB, POOL_AD, POOL_BC, POOL_WA, routerChain, tellRouterWorld } from "../support/router-world.ts";
import { buildScripted, followScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const index = { ponderSchema: "facts_states", foldSchema: "fold_states", finalized: 1, chain: routerChain };

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellRouterWorld(), index);
  gateway = openGateway(database.url, routerChain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});
beforeEach(() => {
  gateway.service.cache.clear();
  routerStates.reset();
});

async function stateAt(block: number): Promise<RouterState> {
  const scope = new RequestScope(gateway.service);
  try {
    return (await scope.run(routerPlaceAt, block)).state;
  } finally {
    await scope.close();
  }
}

/** How states were made, in the order of the names. */
const made = async () =>
  Object.fromEntries((await routerStates.get()).values.map(({ labels, value }) => [labels.from, value]));

const poolsOf = ({ pools }: RouterState) => [...pools].sort(([a], [b]) => (a < b ? -1 : 1));

describe("the router's state of a block", () => {
  it("is made once, however many want it", async () => {
    const [one, same] = await Promise.all([stateAt(BLOCKS.taxedPair), stateAt(BLOCKS.taxedPair)]);
    expect(same).toBe(one);
    expect(await stateAt(BLOCKS.taxedPair)).toBe(one);
    expect(await made()).toEqual({ database: 1 });
  });

  it("takes the pools of an earlier block's state except those that moved since, and equals a state read whole", async () => {
    const before = await stateAt(BLOCKS.bc);
    const after = await stateAt(BLOCKS.waMoves);
    expect(await made()).toEqual({ database: 1, near: 1 });
    const isShared = (pool: string) => after.pools.get(pool as never) === before.pools.get(pool as never);
    expect([POOL_WA, PAIR_AB, POOL_AD].map(isShared)).toEqual([false, true, true]);
    gateway.service.cache.clear();
    expect(poolsOf(await stateAt(BLOCKS.waMoves))).toEqual(poolsOf(after));
    expect(await made()).toEqual({ database: 2, near: 1 });
  });

  it("is without a pool from the block on at which it stops", async () => {
    const before = await stateAt(BLOCKS.bcStops - 1);
    const after = await stateAt(BLOCKS.bcStops);
    expect(await made()).toEqual({ database: 1, near: 1 });
    expect([before, after].map(({ pools }) => pools.has(POOL_BC as never))).toEqual([true, false]);
  });

  it("is never made from that of a later block, nor of one that the chain has replaced", async () => {
    const { sql } = database;
    await stateAt(BLOCKS.waMoves);
    await stateAt(BLOCKS.ad);
    expect(await made()).toEqual({ database: 2 });
    const replaced = await stateAt(BLOCKS.head);
    const replaceHead = async (hash: string) => {
      await sql`update facts_states.block set hash = ${hash} where number = ${BLOCKS.head}`;
      await followScripted(sql, index);
    };
    await replaceHead(hashOf(BLOCKS.head, 1));
    const anew = await stateAt(BLOCKS.head);
    expect(anew).not.toBe(replaced);
    expect(anew.hash).toBe(hashOf(BLOCKS.head, 1));
    await replaceHead(hashOf(BLOCKS.head));
    // the same block may have come back with other facts: nothing of before counts
    expect(await stateAt(BLOCKS.head)).toEqual(replaced);
    expect(await made()).toEqual({ database: 4, near: 1 });
  });

  it("is made from one that is many blocks older, too, but read whole where blocks in between are final", async () => {
    const { sql } = database;
    const late = BLOCKS.head + 400;
    const before = await stateAt(BLOCKS.head);
    await insertBlocks(sql, index.ponderSchema, { from: BLOCKS.head + 1, to: late });
    await followScripted(sql, index);
    expect(poolsOf(await stateAt(late))).toEqual(poolsOf(before));
    expect(await made()).toEqual({ database: 1, near: 1 });

    gateway.service.cache.clear();
    await stateAt(BLOCKS.head);
    await setCheckpoint(sql, index.ponderSchema, late - 100);
    await followScripted(sql, index);
    expect(poolsOf(await stateAt(late))).toEqual(poolsOf(before));
    expect(await made()).toEqual({ database: 3, near: 1 });
  });

  it("has the same payouts, final ones among them, whether swaps are indexed by pool or all are read", async () => {
    const payouts = async () => {
      const found: unknown[] = [];
      for (const block of [BLOCKS.bc, BLOCKS.taxShows, BLOCKS.waMoves, BLOCKS.head]) {
        gateway.service.cache.clear();
        const ofBlock = [...(await stateAt(block)).payouts.values()];
        found.push(ofBlock.sort((a, b) => (a.pool + a.token < b.pool + b.token ? -1 : 1)));
      }
      return found;
    };
    const read = await payouts();
    expect(read.map((ofBlock) => (ofBlock as { isWhole: boolean }[]).map(({ isWhole }) => isWhole))).toEqual([
      [],
      [false, false],
      [false, true, false],
      [false, true, true, false],
    ]);
    expect(await buildFactIndexes(database.sql, index.ponderSchema)).toHaveLength(3);
    expect(await payouts()).toEqual(read);
  });
});
