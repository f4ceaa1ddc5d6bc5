// GraphQL's pools and positions against the reducer's own memory, at blocks below and above the last final block.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PoolState } from "../../core/v3/state.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { type ReferencePosition, v3At } from "../support/reference-v3.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { buildV3Index, randomV3World, V3_CHAIN_ID, V3_TOKENS, v3Deployments } from "../support/v3-index.ts";

const world = randomV3World("gateway/pools", { blocks: 110, pools: 6 });
const blocks = [...new Set(world.facts.map(({ fact }) => fact.block))];
const finalized = blocks[Math.floor(blocks.length * 0.6)]!;
const sampled = [...blocks.filter((_, i) => i % 12 === 5), finalized - 1, finalized, finalized + 1, world.head];

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildV3Index(database.sql, world, { ponderSchema: "facts_pools", foldSchema: "fold_pools", finalized });
  gateway = openGateway(
    database.url,
    chainFixture({ chainId: V3_CHAIN_ID, startBlock: 0, v3: { deployments: v3Deployments } }),
  );
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const codeOf = async (query: string) => (await gateway.graphql(query)).errors?.[0]?.extensions?.code;

const POOL = `address token0 token1 fee tickSpacing flavour manager createdBlock sqrtPriceX96 tick liquidity
  feeGrowthGlobal0X128 feeGrowthGlobal1X128 protocolFees0 protocolFees1 feeProtocol0 feeProtocol1 stopped { block }`;
const POSITION = `id direct manager pool owner tickLower tickUpper liquidity principal0 principal1 fees0 fees1`;

const isInitialised = ({ sqrtPriceX96 }: PoolState) => sqrtPriceX96 > 0n;

function expectedPool(state: PoolState) {
  const { created, deployment } = world.pools.find(({ constants }) => constants.pool === state.pool)!;
  const shown = (value: bigint) => (isInitialised(state) ? String(value) : null);
  const number = (value: number) => (isInitialised(state) ? value : null);
  return {
    address: state.pool,
    token0: created.token0,
    token1: created.token1,
    fee: state.fee,
    tickSpacing: state.tickSpacing,
    flavour: state.flavour,
    manager: deployment.manager,
    createdBlock: created.block,
    sqrtPriceX96: shown(state.sqrtPriceX96),
    tick: number(state.tick),
    liquidity: shown(state.liquidity),
    feeGrowthGlobal0X128: shown(state.feeGrowthGlobal0X128),
    feeGrowthGlobal1X128: shown(state.feeGrowthGlobal1X128),
    protocolFees0: shown(state.protocolFees0),
    protocolFees1: shown(state.protocolFees1),
    feeProtocol0: number(state.feeProtocol0),
    feeProtocol1: number(state.feeProtocol1),
    stopped: null,
  };
}

const worthOf = ({ principal, fees }: ReferencePosition) => ({
  principal0: String(principal[0]),
  principal1: String(principal[1]),
  fees0: String(fees[0]),
  fees1: String(fees[1]),
});
type Shown = ReturnType<typeof worthOf> & {
  id: string;
  manager: string | null;
  owner: string;
  pool: string;
  direct: boolean;
};

const isWorthAnything = ({ principal, fees }: ReferencePosition) => [...principal, ...fees].some((one) => one > 0n);
const keyOf = (one: { id: unknown; manager?: string | null | undefined; pool: string }) =>
  `${one.manager ?? one.pool} ${one.id}`;

/** Positions that would pay something; a living one whose parts all round down to nothing is left out here. */
const paying = (shown: readonly Shown[]) =>
  new Map(
    shown
      .map(
        ({ id, manager, owner, pool, principal0, principal1, fees0, fees1 }) =>
          [keyOf({ id, manager, pool }), { owner, pool, principal0, principal1, fees0, fees1 }] as const,
      )
      .filter(([, { principal0, principal1, fees0, fees1 }]) =>
        [principal0, principal1, fees0, fees1].some((one) => one !== "0"),
      ),
  );
const expectedPaying = (positions: readonly ReferencePosition[]) =>
  new Map(
    positions.filter(isWorthAnything).map((one) => [keyOf(one), { owner: one.owner, pool: one.pool, ...worthOf(one) }]),
  );

describe("v3 pools", () => {
  it("are what the reducer holds: slot, ticks, order and pages", async () => {
    let ticks = 0;
    for (const block of sampled) {
      const { pools: states } = v3At(world, block);
      const created = world.pools.filter((pool) => pool.created.block <= block);
      for (const { constants } of created) {
        const state = states.get(constants.pool)!;
        const { pool } = await gateway.data<{ pool: Record<string, unknown> }>(
          `query ($address: Address!, $block: Int!) { pool(address: $address, block: {number: $block}) {
             ${POOL} ticks { tick liquidityGross liquidityNet feeGrowthOutside0X128 feeGrowthOutside1X128 } } }`,
          { address: constants.pool, block },
        );
        const { ticks: shown, ...rest } = pool;
        expect(rest).toEqual(expectedPool(state));
        expect(shown).toEqual(
          state.ticks.map((one) => ({
            tick: one.tick,
            liquidityGross: String(one.liquidityGross),
            liquidityNet: String(one.liquidityNet),
            feeGrowthOutside0X128: String(one.feeGrowthOutside0X128),
            feeGrowthOutside1X128: String(one.feeGrowthOutside1X128),
          })),
        );
        ticks += state.ticks.length;
      }
      for (const token of V3_TOKENS) {
        const expected = created.filter(({ created: { token0, token1 } }) => [token0, token1].includes(token));
        const seen: unknown[] = [];
        for (let after: string | null = null, hasMore = true; hasMore; ) {
          const page: {
            pools: { totalCount: number; nodes: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
          } = await gateway.data(
            `query ($token: Address!, $block: Int!, $after: String) { pools(token: $token, block: {number: $block}, first: 2, after: $after) {
                 totalCount pageInfo { hasNextPage endCursor } nodes { ${POOL} } } }`,
            { token, block, after },
          );
          expect(page.pools.totalCount).toBe(expected.length);
          seen.push(...page.pools.nodes);
          [after, hasMore] = [page.pools.pageInfo.endCursor, page.pools.pageInfo.hasNextPage];
        }
        expect(seen).toEqual(expected.map(({ constants }) => expectedPool(states.get(constants.pool)!)));
      }
    }
    expect(ticks).toBeGreaterThan(200);
  });

  it("refuse what is not there", async () => {
    expect(await codeOf(`{ pool(address: "${V3_TOKENS[0]}") { tick } }`)).toBe("POOL_NOT_FOUND");
    const [first] = world.pools;
    const before = first!.created.block - 1;
    expect(await codeOf(`{ pool(address: "${first!.constants.pool}", block: {number: ${before}}) { tick } }`)).toBe(
      "POOL_NOT_FOUND",
    );
    expect(await codeOf(`{ position(id: "1") { owner } }`)).toBe("INVALID_INPUT");
    expect(await codeOf(`{ position(id: "x", manager: "${first!.deployment.manager}") { owner } }`)).toBe(
      "INVALID_INPUT",
    );
    expect(await codeOf(`{ position(id: "999", manager: "${first!.deployment.manager}") { owner } }`)).toBe(
      "POSITION_NOT_FOUND",
    );
    expect(await codeOf(`{ positions(pool: "${V3_TOKENS[0]}") { totalCount } }`)).toBe("POOL_NOT_FOUND");
  });
});

describe("v3 positions", () => {
  it("of owners and pools, and each token id, are what the reducer holds", async () => {
    const owners = [1, 2, 3, 4].map((n) => `0xaa${n.toString(16).padStart(38, "0")}`);
    let compared = 0;
    for (const block of sampled) {
      const { positions } = v3At(world, block);
      const list = async (argument: string): Promise<Shown[]> => {
        const seen: Shown[] = [];
        for (let after: string | null = null, hasMore = true; hasMore; ) {
          const page: {
            positions: {
              totalCount: number;
              incomplete: string[];
              nodes: Shown[];
              pageInfo: { hasNextPage: boolean; endCursor: string };
            };
          } = await gateway.data(
            `query ($after: String) { positions(${argument}, block: {number: ${block}}, first: 7, after: $after) {
                 totalCount incomplete pageInfo { hasNextPage endCursor } nodes { ${POSITION} } } }`,
            { after },
          );
          expect(page.positions.incomplete).toEqual([]);
          seen.push(...page.positions.nodes);
          [after, hasMore] = [page.positions.pageInfo.endCursor, page.positions.pageInfo.hasNextPage];
          if (!hasMore) expect(page.positions.totalCount).toBe(seen.length);
        }
        for (const one of seen) expect(one.direct).toBe(one.manager === null);
        return seen;
      };
      for (const owner of owners)
        expect(paying(await list(`owner: "${owner}"`))).toEqual(
          expectedPaying(positions.filter((one) => one.owner === owner)),
        );
      const pools = world.pools.filter((pool) => pool.created.block <= block).map(({ constants }) => constants.pool);
      for (const pool of pools) {
        const inPool = positions.filter((one) => one.pool === pool);
        expect(paying(await list(`pool: "${pool}"`))).toEqual(expectedPaying(inPool));
        expect(paying(await list(`pool: "${pool}", owner: "${owners[0]}"`))).toEqual(
          expectedPaying(inPool.filter((one) => one.owner === owners[0])),
        );
        compared += inPool.length;
      }
      for (const one of positions.filter((_, i) => i % 5 === 0)) {
        if (one.manager === undefined) continue;
        const { position } = await gateway.data<{ position: unknown }>(
          `{ position(id: "${one.id}", manager: "${one.manager}", block: {number: ${block}}) { id owner pool manager
             principal0 principal1 fees0 fees1 } }`,
          {},
        );
        const { owner, pool, manager } = one;
        expect(position).toEqual({ id: String(one.id), owner, pool, manager, ...worthOf(one) });
      }
    }
    expect(compared).toBeGreaterThan(200);
  });
});
