// Lists without a filter, walked by pages: all that the reducer holds, in one order, whatever happens between two pages.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertV3Facts, insertV3Pools } from "../fold/v3-fact-tables.ts";
import { setCheckpoint } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { dropIndex, insertBlocks, insertFacts } from "../support/index-fixture.ts";
import { v3At } from "../support/reference-v3.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import {
  buildV3Index,
  followV3Index,
  randomV3World,
  V3_CHAIN_ID,
  V3_TOKENS,
  type V3World,
  v3Deployments,
} from "../support/v3-index.ts";
import { walkInAllSizes, walkPages } from "../support/walked-pages.ts";

const world = randomV3World("gateway/lists", { blocks: 120, pools: 9 });
const blocks = [...new Set(world.facts.map(({ fact }) => fact.block))];
const blockAt = (part: number): number => blocks[Math.floor((blocks.length - 1) * part)] as number;
const chain = chainFixture({ chainId: V3_CHAIN_ID, startBlock: 0, v3: { deployments: v3Deployments } });

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface ShownPosition {
  id: string;
  manager: string | null;
  pool: string;
  owner: string;
  direct: boolean;
  tickLower: number;
  tickUpper: number;
}

const POSITION = "id manager pool owner direct tickLower tickUpper";
const at = (block: number): string => `block: {number: ${block}}`;
const positions = (more: string) => ({ field: "positions", with: more, node: POSITION });
const nameOf = ({ id, manager, pool }: { id: unknown; manager?: string | null | undefined; pool: string }): string =>
  `${manager ?? pool} ${id}`;

/** The order that is promised: pools as created, token ids by number, direct positions by owner and range. */
function inPromisedOrder(shown: readonly ShownPosition[]): ShownPosition[] {
  const rank = new Map(world.pools.map(({ constants }, i) => [constants.pool, i]));
  const keyOf = ({ pool, direct, id, owner, tickLower, tickUpper }: ShownPosition): string =>
    [
      ...[String(rank.get(pool)).padStart(5, "0"), direct ? "1" : "0"],
      ...(direct ? [owner, tickLower + 2e7, tickUpper + 2e7] : [id.padStart(78, "0")]),
    ].join(" ");
  return [...shown].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

describe.each([1, 0.6, 0])("lists of everything (with final blocks up to %f of the history)", (part) => {
  const finalized = Math.max(blockAt(part), 10);
  beforeAll(async () => {
    const schemas = { ponderSchema: `facts_lists_${part * 10}`, foldSchema: `fold_lists_${part * 10}` };
    await buildV3Index(database.sql, world, { ...schemas, finalized });
  });

  const atBlocks = [0.15, 0.5, 0.85, 1].map(blockAt);

  it("have every pool, oldest first, and of a token those that trade it", async () => {
    for (const block of atBlocks) {
      const created = world.pools.filter((pool) => pool.created.block <= block).map((pool) => pool.created);
      const shown = await walkInAllSizes(gateway, { field: "pools", with: at(block), node: "address" });
      expect(shown).toEqual(created.map(({ pool }) => ({ address: pool })));
      const [token] = V3_TOKENS as [string];
      expect(
        await walkInAllSizes(gateway, { field: "pools", with: `token: "${token}", ${at(block)}`, node: "address" }),
      ).toEqual(
        created.flatMap(({ pool, token0, token1 }) => ([token0, token1].includes(token) ? { address: pool } : [])),
      );
    }
  });

  it("have every position that is worth anything, in the order that is promised", async () => {
    let compared = 0;
    for (const block of atBlocks) {
      const shown = await walkInAllSizes<ShownPosition>(gateway, positions(at(block)));
      expect(shown).toEqual(inPromisedOrder(shown));
      const { positions: held } = v3At(world, block);
      const worthy = held.filter(({ principal, fees }) => [...principal, ...fees].some((amount) => amount > 0n));
      const owners = new Map(held.map((one) => [nameOf(one), one.owner]));
      for (const one of shown) expect([nameOf(one), owners.get(nameOf(one))]).toEqual([nameOf(one), one.owner]);
      const named = new Set(shown.map(nameOf));
      expect(worthy.filter((one) => !named.has(nameOf(one)))).toEqual([]);
      compared += shown.length;
    }
    expect(compared).toBeGreaterThan(60);
  });

  it("are what their filters give, put together", async () => {
    const block = blockAt(0.85);
    const all = await walkInAllSizes<ShownPosition>(gateway, positions(at(block)));
    const byPool: ShownPosition[] = [];
    for (const { created } of world.pools.filter((pool) => pool.created.block <= block))
      byPool.push(
        ...(await walkInAllSizes<ShownPosition>(gateway, positions(`pool: "${created.pool}", ${at(block)}`))),
      );
    expect(byPool).toEqual(all);
    const owners = [...new Set(all.map(({ owner }) => owner))];
    expect(owners.length).toBeGreaterThan(2);
    for (const owner of owners) {
      const own = await walkInAllSizes<ShownPosition>(gateway, positions(`owner: "${owner}", ${at(block)}`));
      const expected = all.filter((one) => one.owner === owner);
      expect(new Map(own.map((one) => [nameOf(one), one]))).toEqual(new Map(expected.map((one) => [nameOf(one), one])));
    }
  });

  it("refuse a cursor of another list", async () => {
    const codeOf = async (query: string) => (await gateway.graphql(query)).errors?.[0]?.extensions?.code;
    const cursorOf = async (list: string, argument: string): Promise<string> => {
      const { data } = await gateway.graphql(`{ ${list}(${argument}, first: 1) { pageInfo { endCursor } } }`);
      return (data as Record<string, { pageInfo: { endCursor: string } }>)[list]?.pageInfo.endCursor as string;
    };
    const block = at(blockAt(0.85));
    const cursor = await cursorOf("positions", block);
    const ofPools = await cursorOf("pools", block);
    const others = world.pools.map(({ created }) => created.pool).slice(1, 3);
    // as a list of vaults gives them
    const place = JSON.parse(Buffer.from(ofPools, "base64url").toString("utf8")).with(2, [V3_TOKENS[0]]);
    const ofVaults = Buffer.from(JSON.stringify(place)).toString("base64url");
    for (const query of [
      `{ pools(after: "${ofVaults}") { totalCount } }`,
      `{ pools(after: "${cursor}") { totalCount } }`,
      `{ tokens(after: "${cursor}") { totalCount } }`,
      `{ positions(after: "${ofPools}") { totalCount } }`,
      `{ positions(owner: "${others[0]}", after: "${cursor}") { totalCount } }`,
      `{ positions(pool: "${others[1]}", after: "${cursor}") { totalCount } }`,
      `{ positions(${at(blockAt(0.15))}, after: "${cursor}") { totalCount } }`,
    ])
      expect([query, await codeOf(query)]).toEqual([query, "INVALID_INPUT"]);
  });
});

describe("what comes between two pages", () => {
  const schemas = { ponderSchema: "facts_lists_moving", foldSchema: "fold_lists_moving" };
  const [before, later] = [blockAt(0.7), world.head];
  const upTo = (from: number, to: number): V3World => ({
    ...world,
    head: to,
    pools: world.pools.filter(({ created }) => created.block > from && created.block <= to),
    facts: world.facts.filter(({ fact }) => fact.block > from && fact.block <= to),
    transfers: world.transfers.filter(({ block }) => block > from && block <= to),
  });
  const lists = [positions(""), { field: "pools", node: "address tick" }, { field: "tokens", node: "address" }];

  /** All blocks after `from`, with what happened in them, and almost all of the chain final. */
  async function addBlocks(from: number): Promise<void> {
    const { sql } = database;
    const added = upTo(from, later);
    await insertBlocks(sql, schemas.ponderSchema, { from: from + 1, to: later });
    await insertFacts(sql, schemas.ponderSchema, added.transfers);
    await insertV3Pools(
      sql,
      schemas.ponderSchema,
      added.pools.map(({ created }) => created),
    );
    await insertV3Facts(sql, schemas.ponderSchema, added.facts);
    const index = { ...schemas, finalized: later };
    await followV3Index(sql, world, index);
    await setCheckpoint(sql, schemas.ponderSchema, later);
    await followV3Index(sql, world, index);
    const [meta] = await sql`select finalized, head from ${sql(schemas.foldSchema)}.meta`;
    expect(meta).toEqual({ finalized: later - 1, head: later });
  }

  it.each(lists)("changes nothing of $field: blocks that come, and blocks that become final", async (list) => {
    const { sql } = database;
    await dropIndex(sql, schemas);
    await buildV3Index(sql, upTo(-1, before), { ...schemas, finalized: blockAt(0.4) });
    const still = await walkPages(gateway, { ...list, pageSize: 2 });
    expect(still.pages).toBeGreaterThan(1);
    const moved = await walkPages(gateway, { ...list, pageSize: 2, between: () => addBlocks(before) });
    expect(moved).toEqual(still);
    const { data } = await gateway.graphql(`{ ${list.field}(first: 1) { block { number } } }`);
    expect(data).toEqual({ [list.field]: { block: { number: later } } });
  });

  it("is an error when blocks were taken back meanwhile, as the block may have come back with other facts", async () => {
    const page = (more: string) => `{ tokens(first: 1${more}) { pageInfo { endCursor } } }`;
    const { data } = await gateway.graphql(page(""));
    const { endCursor } = (data as { tokens: { pageInfo: { endCursor: string } } }).tokens.pageInfo;
    await database.sql.unsafe(`update ${schemas.foldSchema}.meta set rewinds = rewinds + 1`);
    const { errors } = await gateway.graphql(page(`, after: "${endCursor}"`));
    expect(errors?.[0]?.extensions?.code).toBe("BLOCK_REPLACED");
    await database.sql.unsafe(`update ${schemas.foldSchema}.meta set rewinds = rewinds - 1`);
  });

  it("is an error when the block was replaced", async () => {
    const { sql } = database;
    const cursors = new Map<string, string>();
    const page = (field: string, more: string) => `{ ${field}(first: 1${more}) { pageInfo { endCursor } } }`;
    for (const { field } of lists) {
      const { data } = await gateway.graphql(page(field, ""));
      cursors.set(
        field,
        (data as Record<string, { pageInfo: { endCursor: string } }>)[field]?.pageInfo.endCursor as string,
      );
    }
    await sql.unsafe(
      `update ${schemas.ponderSchema}.block set hash = overlay(hash placing 'f' from 3) where number = ${later}`,
    );
    await followV3Index(sql, world, { ...schemas, finalized: later });
    for (const [field, cursor] of cursors) {
      const { errors } = await gateway.graphql(page(field, `, after: "${cursor}"`));
      expect([field, errors?.[0]?.extensions?.code]).toEqual([field, "BLOCK_REPLACED"]);
    }
  });
});
