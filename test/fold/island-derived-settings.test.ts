// A node without the state of old blocks: what it cannot say of an island is derived from what it says of newer ones and from
// events; what neither shows is not determined for those blocks alone, and is whole again with a node that has the state.
import { createPublicClient, custom, type PublicClient, TimeoutError } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AnsweredSettings,
  CREATED,
  ISLAND,
  islandSettings,
  OTHER,
  RENOUNCED,
  TREASURY,
} from "../support/island-script.ts";
import { type Answers, eventually, HEAD, IslandGround, nodeOf, SCHEMAS } from "./island-ground.ts";

let ground: IslandGround;

beforeAll(async () => {
  ground = await IslandGround.start();
});
afterAll(() => ground?.database.stop());
beforeEach(() => ground.begin());

/** Where the script's first island moves its range. */
const REBALANCED = 14;

function stateOf(island: string, block: number): AnsweredSettings {
  const settings = islandSettings.filter((one) => one.island === island && one.block <= block).at(-1);
  if (!settings) throw new Error("execution reverted");
  const hasMoved = island === ISLAND && block >= REBALANCED;
  return hasMoved ? { ...settings, tickLower: -1_200, tickUpper: 1_200 } : settings;
}

/** It has the state of blocks from `oldest` on. */
const pruned =
  (oldest: () => number): Answers =>
  (island, block) => {
    if (block < oldest()) throw new Error("missing trie node");
    return stateOf(island, block);
  };

/** The same, which is too slow to answer about contracts while `isSilent` says so. */
function silentWhile(client: PublicClient, isSilent: () => boolean): PublicClient {
  const request = async (sent: { method: string; params?: unknown }): Promise<unknown> => {
    if (isSilent() && sent.method === "eth_call") throw new TimeoutError({ body: {}, url: "http://node" });
    return client.request(sent as never);
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 }) as PublicClient;
}

async function untilSettled(check: () => Promise<void>): Promise<void> {
  await eventually(async () => {
    await ground.wake();
    await check();
  });
}

/** What the fold has for the first island, block by block. */
async function feesOfIsland(): Promise<number[][]> {
  const s = SCHEMAS.fold;
  const rows = await ground.database.sql.unsafe(`
    select v.block, v.manager_fee_bps as fee from ${s}.island i cross join lateral (
      select from_block as block, manager_fee_bps from ${s}.island_interval where island = i.id
      union all select since, manager_fee_bps from ${s}.island_current where island = i.id
      union all select block, manager_fee_bps from ${s}.island_recent where island = i.id) v
     where i.address = decode('${ISLAND.slice(2)}', 'hex') order by v.block`);
  return rows.map(({ block, fee }) => [block, fee]);
}

/** After this no event shows the fee before the manager renounces. */
async function removeFees(): Promise<void> {
  const { sql } = ground.database;
  await sql.unsafe(`
    delete from ${SCHEMAS.ponder}.island_flow where kind = 'fees' and block <= ${RENOUNCED};
    delete from ${SCHEMAS.ponder}.erc20_transfer where "from" = '${ISLAND}' and "to" = '${TREASURY}'`);
}

describe("a node without the state of old blocks", () => {
  it("suffices where events and the newest state determine everything: the tables are those of a fold that read it all", async () => {
    const { client, requested } = nodeOf(pruned(() => HEAD - 2));
    const fold = ground.startFold(client);
    await untilSettled(async () => {
      expect(await ground.standing()).toEqual([
        [ISLAND, null, null],
        [OTHER, null, null],
      ]);
      expect(await ground.meta()).toMatchObject({ head: HEAD });
    });
    await fold.stop();
    expect(requested.length).toBeGreaterThan(0);
    await ground.expectUndisturbed();
  });

  it("leaves what nothing determines open for those blocks alone, until a node has them", async () => {
    await removeFees();
    let oldest = HEAD - 2;
    const { client } = nodeOf(pruned(() => oldest));
    const fold = ground.startFold(client);
    await untilSettled(async () => {
      expect(await ground.standing()).toEqual([
        [ISLAND, null, CREATED],
        [OTHER, null, null],
      ]);
      expect(await ground.meta()).toMatchObject({ head: HEAD });
    });
    const fees = await feesOfIsland();
    expect(fees.filter(([block]) => block! < RENOUNCED).every(([, fee]) => fee === -1)).toBe(true);
    expect(fees.filter(([block]) => block! >= RENOUNCED).every(([, fee]) => fee === 500)).toBe(true);
    const { revision } = await ground.meta();

    oldest = 0;
    await untilSettled(async () => expect((await ground.standing())[0]).toEqual([ISLAND, null, null]));
    await untilSettled(async () => expect(await ground.retries()).toEqual([]));
    await fold.stop();
    expect((await ground.meta()).revision).toBeGreaterThan(revision);
    await ground.expectUndisturbed();
  });

  it("is not one that is too slow to answer, however often: what nothing determines is not left open, but waits", async () => {
    await removeFees();
    let isSilent = true;
    const { client } = nodeOf(stateOf);
    const fold = ground.startFold(silentWhile(client, () => isSilent));
    await untilSettled(async () => {
      expect(await ground.meta()).toMatchObject({ head: HEAD });
      const attempts = (await ground.retries()).map((one) => Number(one.attempts));
      expect(Math.min(...attempts)).toBeGreaterThan(5);
    });
    expect((await ground.standing())[0]).toEqual([ISLAND, CREATED, null]);

    isSilent = false;
    await untilSettled(async () => expect((await ground.standing())[0]).toEqual([ISLAND, null, null]));
    await untilSettled(async () => expect(await ground.retries()).toEqual([]));
    await fold.stop();
    await ground.expectUndisturbed();
  });
});
