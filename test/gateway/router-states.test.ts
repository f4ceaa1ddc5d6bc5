// The router's state of a block is made once, from that of a block before it where one is stored.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RequestScope } from "../../gateway/context.ts";
import { routerStates } from "../../gateway/metrics/instruments.ts";
import type { RouterState } from "../../gateway/router/router-state.ts";
import { routerPlaceAt } from "../../verify/quotes/block-quotes.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { BLOCKS, PAIR_AB, POOL_AD, POOL_WA, routerChain, tellRouterWorld } from "../support/router-world.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  const place = { ponderSchema: "facts_states", foldSchema: "fold_states", watermark: 1 };
  await buildScripted(database.sql, tellRouterWorld(), place);
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
  it("is made once, whoever wants it", async () => {
    const [one, same] = await Promise.all([stateAt(BLOCKS.taxedPair), stateAt(BLOCKS.taxedPair)]);
    expect(same).toBe(one);
    expect(await stateAt(BLOCKS.taxedPair)).toBe(one);
    expect(await made()).toEqual({ database: 1 });
  });

  it("has the pools of an earlier one but for those that moved since, and is what a whole reading gives", async () => {
    const before = await stateAt(BLOCKS.bc);
    const after = await stateAt(BLOCKS.waMoves);
    expect(await made()).toEqual({ database: 1, near: 1 });
    const isShared = (pool: string) => after.pools.get(pool as never) === before.pools.get(pool as never);
    expect([POOL_WA, PAIR_AB, POOL_AD].map(isShared)).toEqual([false, true, true]);
    gateway.service.cache.clear();
    expect(poolsOf(await stateAt(BLOCKS.waMoves))).toEqual(poolsOf(after));
    expect(await made()).toEqual({ database: 2, near: 1 });
  });

  it("is never made from that of a later block, nor of one that the chain has replaced", async () => {
    const { sql } = database;
    await stateAt(BLOCKS.waMoves);
    await stateAt(BLOCKS.ad);
    expect(await made()).toEqual({ database: 2 });
    const replaced = await stateAt(BLOCKS.head);
    await sql`update facts_states.block set hash = ${hashOf(BLOCKS.head, 1)} where number = ${BLOCKS.head}`;
    try {
      const anew = await stateAt(BLOCKS.head);
      expect(anew).not.toBe(replaced);
      expect(anew.hash).toBe(hashOf(BLOCKS.head, 1));
    } finally {
      await sql`update facts_states.block set hash = ${hashOf(BLOCKS.head)} where number = ${BLOCKS.head}`;
    }
    expect(await stateAt(BLOCKS.head)).toBe(replaced);
    expect(await made()).toEqual({ database: 2, near: 2 });
  });

  it("is made from one that is many blocks older, too", async () => {
    const { sql } = database;
    const late = BLOCKS.head + 400;
    const before = await stateAt(BLOCKS.head);
    await sql`insert into facts_states.block values (${late}, ${hashOf(late)}, ${timestampOf(late)}, null)`;
    try {
      expect(poolsOf(await stateAt(late))).toEqual(poolsOf(before));
    } finally {
      await sql`delete from facts_states.block where number = ${late}`;
    }
    expect(await made()).toEqual({ database: 1, near: 1 });
  });
});
