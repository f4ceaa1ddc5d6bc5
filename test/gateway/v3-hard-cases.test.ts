// What must never take a token down: pools that stop, fees not read yet, positions of pools, liquidity without an owner.
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { V3Fact } from "../../core/v3/facts.ts";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { accountAnswer } from "../support/account-equality.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { expectNamed } from "../support/named-incomplete.ts";
import { accountOf, ledgerAt, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import {
  buildV3Index,
  followV3Index,
  randomV3World,
  V3_CHAIN_ID,
  V3_LONER,
  V3_TOKENS,
  type V3World,
  v3Deployments,
} from "../support/v3-index.ts";

const INDEX = { ponderSchema: "facts_hard", foldSchema: "fold_hard" };

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  const chain = chainFixture({ chainId: V3_CHAIN_ID, startBlock: 0, v3: { deployments: v3Deployments } });
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});
beforeEach(() => dropIndex(database.sql, INDEX));

interface Answer {
  incomplete: string[];
  token: { totalSupply: string };
  unattributed: { contract: string; reason: string; amount: string }[];
  nodes: { account: string; total: string; sources: { source: string; contract: string | null }[] }[];
}

async function balancesOf(token: string, block: number): Promise<Answer> {
  const { data, errors } =
    await gateway.graphql(`{ balances(token: "${token}", block: {number: ${block}}, first: 1000) {
    incomplete token { totalSupply } unattributed { contract reason amount }
    nodes { account total sources { source contract } } } }`);
  expect(errors).toBeUndefined();
  const answer = (data as { balances: Answer }).balances;
  const amounts = [...answer.nodes.map(({ total }) => total), ...answer.unattributed.map(({ amount }) => amount)];
  expect(amounts.reduce((sum, one) => sum + BigInt(one), 0n)).toBe(BigInt(answer.token.totalSupply));
  return answer;
}
const lostBy = ({ unattributed }: Answer, contract: string) =>
  Object.fromEntries(
    unattributed.filter((one) => one.contract === contract).map(({ reason, amount }) => [reason, BigInt(amount)]),
  );

const missingFor = async (account: string, block: number) =>
  (await accountAnswer(gateway, { account, block })).incomplete;

/** The world with one swap in its middle whose event reports another end. */
function withImpossibleSwap(world: V3World): { world: V3World; fact: V3Fact; pool: string } {
  const swaps = world.facts.filter(({ fact }) => fact.kind === "swap");
  const victim = swaps[Math.floor(swaps.length / 2)]!;
  const facts = world.facts.map((one) =>
    one === victim ? { ...one, fact: { ...one.fact, liquidity: 7n } as V3Fact } : one,
  );
  return { world: { ...world, facts }, fact: victim.fact, pool: victim.contract };
}

describe("a pool that stops", () => {
  it.each([
    ["a final block", 0],
    ["a block that may be replaced", 1],
  ])("in %s leaves the token answered, its holding unattributed", async (_, above) => {
    const { world, fact, pool } = withImpossibleSwap(randomV3World("gateway/stop", { blocks: 60, pools: 4 }));
    const finalized = above === 0 ? world.head - 3 : fact.block - 1;
    await buildV3Index(database.sql, world, { ...INDEX, finalized });
    const { token0 } = world.pools.find(({ constants }) => constants.pool === pool)!.created;

    const before = await balancesOf(token0, fact.block - 1);
    expect(before.incomplete).toEqual([]);
    const holder = before.nodes.find(({ sources }) => sources.some(({ contract }) => contract === pool))?.account ?? "";
    expect(holder).not.toBe("");

    for (const block of [fact.block, world.head]) {
      const answer = await balancesOf(token0, block);
      expect(answer.incomplete).toEqual([pool]);
      const held = ledgerAt(world.transfers, token0, block).balances.get(pool);
      expect(lostBy(answer, pool)).toEqual({ stopped: held });
      expect(answer.nodes.some(({ sources }) => sources.some(({ contract }) => contract === pool))).toBe(false);
      // other pools of the token go on
      expect(answer.nodes.some(({ sources }) => sources.some(({ source }) => source === "v3-position"))).toBe(true);
      await expectNamed(gateway, { token: token0, block, chainId: V3_CHAIN_ID, users: [holder, ZERO] }, [pool]);
      // anybody may have opened a position there since
      for (const account of [holder, accountOf(999)]) expect(await missingFor(account, block)).toEqual([pool]);
    }
    for (const account of [holder, accountOf(999)]) expect(await missingFor(account, fact.block - 1)).toEqual([]);

    // it stops within the range
    const over = `/balances/${token0}/time-weighted?fromBlock=${fact.block - 1}&toBlock=${world.head}`;
    const averages = [];
    for (const users of [`&users=${ZERO}`, `&users=${holder}`, ""]) averages.push(await gateway.get(over + users));
    expect(averages.map(({ headers }) => headers.get("x-incomplete"))).toEqual([pool, pool, pool]);
    const [, own, all] = averages.map(({ body }) => body.results as { account: string }[]);
    expect(own).toEqual(all?.filter(({ account }) => account === holder));

    const state = await gateway.graphql(`{ pool(address: "${pool}") { tick } }`);
    expect(state.errors?.[0]?.extensions).toMatchObject({
      code: "POOL_STOPPED",
      details: { pool, block: fact.block, expected: "7" },
    });
    const { data } =
      await gateway.graphql(`{ pools(token: "${token0}") { nodes { address tick ticks(first: 1) { tick } stopped { block logIndex field } } }
      positions(pool: "${pool}") { incomplete nodes { fees0 } } }`);
    const shown = data as {
      pools: { nodes: { address: string; ticks: unknown[] | null }[] };
      positions: { incomplete: string[]; nodes: unknown[] };
    };
    expect(shown.pools.nodes.find(({ address }) => address === pool)).toMatchObject({
      tick: null,
      ticks: null,
      stopped: { block: fact.block, logIndex: fact.logIndex, field: "liquidity" },
    });
    expect(shown.pools.nodes.filter(({ ticks }) => ticks?.length === 1).length).toBeGreaterThan(0);
    expect(shown.positions.incomplete).toEqual([pool]);
    expect(shown.positions.nodes.every((one) => (one as { fees0: null }).fees0 === null)).toBe(true);

    const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
    const page = await app.request(`/explore/fixture/token/${token0}`, { headers: { accept: "text/html" } });
    const rows = (await page.text()).split("<tr>").filter((row) => row.includes("/pool/0x"));
    const unknown = rows.filter((row) => row.includes("not known at this block"));
    expect(rows.length).toBeGreaterThan(1);
    expect(unknown.map((row) => row.includes(`/pool/${pool}`))).toEqual([true]);

    const { body } = await gateway.get("/status");
    const stop = {
      pool,
      block: fact.block,
      logIndex: fact.logIndex,
      field: "liquidity",
      expected: "7",
      replayed: expect.any(String),
    };
    expect(body).toMatchObject({ stoppedPoolsCount: 1, stoppedPools: [stop] });
    expect((await gateway.get("/metrics")).text).toContain('tidemark_stopped_pools{chain="fixture"} 1');
  });
});

describe("a kodiak pool whose first fee nobody has read yet", () => {
  it("holds its block back, and all blocks before it are answered", async () => {
    const world = randomV3World("gateway/pending", { blocks: 40, pools: 4 });
    const kodiak = world.pools.filter(({ deployment }) => deployment.flavour === "kodiak").at(-1)!;
    const { pool } = kodiak.constants;
    const { token0 } = kodiak.created;
    const first = world.facts.find(({ fact, contract }) => fact.kind === "initialize" && contract === pool)!.fact.block;
    const index = { ...INDEX, finalized: first - 3 };
    await buildV3Index(database.sql, world, { ...index, unread: pool });
    const newest = async () => {
      const { data } = await gateway.graphql(`{ pool(address: "${pool}") { tick block { number } } }`);
      return (data as { pool: { tick: number | null; block: { number: number } } | null }).pool;
    };
    const statusAt = async (block: number) => (await gateway.get(`/balances/${token0}?blockNumber=${block}`)).status;

    const before = await newest();
    expect([before?.tick ?? null, before?.block.number ?? first - 1]).toEqual([null, first - 1]);
    expect([await statusAt(first - 1), await statusAt(first)]).toEqual([200, 503]);
    const { body } = await gateway.get("/status");
    expect(body).toMatchObject({ lastSyncedBlock: first - 1, waiting: [{ step: "v3", block: first }] });

    await followV3Index(database.sql, world, index);
    expect((await newest())?.block.number).toBe(world.head);
    expect((await newest())?.tick).toEqual(expect.any(Number));
    expect([await statusAt(first), await statusAt(world.head)]).toEqual([200, 200]);
  });
});

describe("what nobody can take out", () => {
  const sound = randomV3World("gateway/stray", { blocks: 50, pools: 3 });
  const blocks = [...new Set(sound.facts.map(({ fact }) => fact.block))];
  const finalized = blocks[Math.floor(blocks.length / 2)]!;
  const direct = sound.facts.filter(({ fact }) => fact.kind === "mint" && fact.owner === fact.sender).at(-1)!;
  const { created, deployment, constants } = sound.pools.find((pool) => pool.constants.pool === direct.contract)!;
  const { owner } = direct.fact as { owner: string };

  /** Every direct position of `owner` belongs to `name` instead. */
  const renamed = (name: string): V3World => {
    const rename = (fact: V3Fact): V3Fact =>
      "owner" in fact && fact.owner === owner ? { ...fact, owner: name } : fact;
    return { ...sound, facts: sound.facts.map(({ fact, contract }) => ({ contract, fact: rename(fact) })) };
  };

  it("is stray where a pool owns a position", async () => {
    const other = sound.pools.find((pool) => pool.constants.pool !== constants.pool)!.constants.pool;
    await buildV3Index(database.sql, renamed(other), { ...INDEX, finalized });
    for (const token of [created.token0, created.token1])
      for (const block of [finalized, sound.head]) {
        const answer = await balancesOf(token, block);
        expect(answer.incomplete).toEqual([]);
        expect(answer.nodes.map(({ account }) => account)).not.toContain(other);
      }
    const stray = [created.token0, created.token1].map(async (token) =>
      lostBy(await balancesOf(token, sound.head), other),
    );
    expect(Math.max(...(await Promise.all(stray)).map((lost) => Number(lost.stray ?? 0n)))).toBeGreaterThan(1e6);
  });

  it("is stray where liquidity was minted to the position manager without a token id", async () => {
    await buildV3Index(database.sql, renamed(deployment.manager), { ...INDEX, finalized });
    const { data } = await gateway.graphql(`{ positions(pool: "${constants.pool}") { nodes { owner direct } } }`);
    const { nodes } = (data as { positions: { nodes: { owner: string; direct: boolean }[] } }).positions;
    expect(nodes.map((one) => one.owner)).not.toContain(deployment.manager);
    const answers = [created.token0, created.token1].map((token) => balancesOf(token, sound.head));
    const lost = (await Promise.all(answers)).map((answer) => {
      expect(answer.incomplete).toEqual([]);
      return Number(lostBy(answer, constants.pool).stray ?? 0n);
    });
    expect(Math.max(...lost)).toBeGreaterThan(1e6);
  });

  it("earns no rewards where liquidity was minted to the zero address", async () => {
    await buildV3Index(database.sql, renamed(ZERO), { ...INDEX, finalized });
    const campaign = {
      ...{ chainId: V3_CHAIN_ID, token: created.token0, reward: { token: created.token0, budget: "1000000" } },
      ...{ range: { fromBlock: blocks[0], toBlock: sound.head }, counts: { inRange: { pool: constants.pool } } },
    };
    const response = await gateway.app.request("/rewards", { method: "POST", body: JSON.stringify(campaign) });
    const { results, sum } = (await response.json()) as { results: { account: string }[]; sum: string };
    expect(sum).toBe("1000000");
    expect(results.map(({ account }) => account)).not.toContain(ZERO);
  });
});

describe("averages of accounts asked about alone", () => {
  const drawn = randomV3World("gateway/shares", { blocks: 40, pools: 3 });
  const [share = ""] = V3_TOKENS;
  const { created } = drawn.pools.at(-1)!;
  /** Owners of positions have nothing else. */
  const alone = (account: string) => account.replace("0xaa", "0xab");
  const owned = (fact: V3Fact): V3Fact => ("owner" in fact ? { ...fact, owner: alone(fact.owner) } : fact);
  const gift = { kind: "transfer", block: 10, from: accountOf(9) } as const;
  const world: V3World = {
    ...drawn,
    facts: drawn.facts.map(({ fact, contract }) => ({ contract, fact: owned(fact) })),
    transfers: [
      ...drawn.transfers,
      { ...gift, logIndex: 9_998, token: V3_LONER, to: share, amount: 10n ** 59n },
      { ...gift, logIndex: 9_999, token: created.token0, to: created.pool, amount: 10n ** 20n },
    ],
  };
  const sections = {
    v3: { deployments: v3Deployments },
    externalVaults: [{ address: share, startBlock: 0, kind: "erc4626", asset: V3_LONER }],
  };

  /** Entries of all, and what is said of those of them that `isMeant` when they are asked about together, and nobody else is. */
  async function entriesOf(token: string, from: number, isMeant: (account: string) => boolean) {
    await buildV3Index(database.sql, world, { ...INDEX, finalized: world.head - 5 });
    const vaults = openGateway(database.url, chainFixture({ chainId: V3_CHAIN_ID, startBlock: 0, ...sections }));
    const path = `/balances/${token}/time-weighted?fromBlock=${from}&toBlock=${world.head}`;
    const entries = async (more: string) => (await vaults.get(path + more)).body.results as { account: string }[];
    const all = (await entries("")).filter(({ account }) => isMeant(account));
    vaults.service.cache.clear();
    const few = await entries(`&users=${all.map(({ account }) => account)}`);
    await vaults.close();
    return { all, few };
  }

  it("have what stands behind the shares in a pool where they have a position", async () => {
    const { all, few } = await entriesOf(V3_LONER, world.head - 15, (account) => account.startsWith("0xab"));
    expect(all.length).toBeGreaterThan(0);
    expect(few).toEqual(all);
  });

  it("have what lay at a pool's address before the pool was made", async () => {
    const isMeant = (account: string) => account.startsWith("0xab") || account === created.pool;
    const { all, few } = await entriesOf(created.token0, 10, isMeant);
    expect(created.block).toBeGreaterThan(10);
    expect(all.map(({ account }) => account)).toContain(created.pool);
    expect(few).toEqual(all);
  });
});
