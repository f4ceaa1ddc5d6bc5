// Balances through v3 pools against the reducer's own memory: any block, below and above the last final block, both skins.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import { answerAt, type ReferenceAnswer } from "../support/reference-v3.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import {
  buildV3Index,
  randomV3World,
  V3_CHAIN_ID,
  V3_DECIMALS,
  V3_LONER,
  V3_TOKENS,
  type V3World,
  v3Deployments,
} from "../support/v3-index.ts";

let database: TestDatabase;
let gateway: TestGateway;

const chain = chainFixture({ chainId: V3_CHAIN_ID, startBlock: 0, v3: { deployments: v3Deployments } });

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface Node {
  account: string;
  total: string;
  totalDouble: number;
  replacedBy: string | null;
  sources: {
    source: string;
    value: string;
    valueDouble: number;
    positionId: string | null;
    manager: string | null;
    direct: boolean | null;
    principal: string | null;
    fees: string | null;
    paths: { assets: string[]; value: string }[];
  }[];
}
interface Answer {
  totalCount: number;
  pageInfo: { hasNextPage: boolean; endCursor: string };
  token: { totalSupply: string };
  incomplete: string[];
  lastSyncedBlock: number;
  unattributed: { contract: string; reason: string; amount: string }[];
  nodes: Node[];
}

const QUERY = `query ($token: Address!, $block: Int!, $users: [Address!], $first: Int!, $after: String) {
  balances(token: $token, block: {number: $block}, users: $users, first: $first, after: $after) {
    totalCount pageInfo { hasNextPage endCursor } token { totalSupply } incomplete lastSyncedBlock
    unattributed { contract reason amount }
    nodes { account total totalDouble replacedBy sources {
      source value valueDouble positionId manager direct principal fees paths { assets value } } } } }`;

async function ask(token: string, block: number, more: { users?: string[]; first?: number; after?: string } = {}) {
  const { data, errors } = await gateway.graphql(QUERY, { token, block, first: 1000, ...more });
  expect(errors).toBeUndefined();
  return (data as { balances: Answer }).balances;
}

const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((a, b) => a + b, 0n);

function shownAccounts(nodes: readonly Node[]): ReferenceAnswer["accounts"] {
  const big = (text: string | null) => (text === null ? undefined : BigInt(text));
  return new Map(
    nodes.map(({ account, sources }) => [
      account,
      new Map(
        sources.map((one) => [
          one.source === "balance" ? "balance" : `${one.manager ?? "direct"} ${one.positionId}`,
          { value: BigInt(one.value), principal: big(one.principal) },
        ]),
      ),
    ]),
  );
}

function shownUnattributed({ unattributed }: Answer): Map<string, bigint> {
  const shown = new Map<string, bigint>();
  for (const { contract, reason, amount } of unattributed) {
    const key = `${contract} ${reason.replaceAll("_", "-")}`;
    shown.set(key, (shown.get(key) ?? 0n) + BigInt(amount));
  }
  return shown;
}

/** What REST must say, made from what GraphQL says. */
const restOf = (nodes: readonly Node[]) =>
  nodes.map(({ account, totalDouble, sources }) => ({
    account,
    total: totalDouble,
    sources: sources.map(({ source, valueDouble, positionId }) => ({
      source,
      value: valueDouble,
      ...(positionId === null ? {} : { extraData: { positionId } }),
    })),
    expanded: sources.map(({ source, valueDouble }) => `${source}: ${valueDouble}`).join(", "),
  }));

async function compare(world: V3World, token: string, block: number): Promise<number> {
  const expected = answerAt(world, token, block);
  const answer = await ask(token, block);
  expect(shownAccounts(answer.nodes)).toEqual(expected.accounts);
  expect(shownUnattributed(answer)).toEqual(expected.unattributed);
  expect(answer.token.totalSupply).toBe(String(expected.supply));
  const totals = answer.nodes.map(({ total }) => BigInt(total));
  expect(sum(totals) + sum(shownUnattributed(answer).values())).toBe(expected.supply);
  expect(answer.nodes.map(({ account, total }) => [BigInt(total), account])).toEqual(
    answer.nodes
      .map(({ account, total }): [bigint, string] => [BigInt(total), account])
      .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a > b ? -1 : 1)),
  );
  for (const { total, sources, replacedBy } of answer.nodes) {
    expect(replacedBy).toBeNull();
    expect(sum(sources.map(({ value }) => BigInt(value)))).toBe(BigInt(total));
    for (const { source, value, principal, fees, direct, manager, paths } of sources) {
      expect(sum(paths.map((path) => BigInt(path.value)))).toBe(BigInt(value));
      if (source === "balance") continue;
      expect(BigInt(principal ?? 0) + BigInt(fees ?? 0)).toBe(BigInt(value));
      expect(direct).toBe(manager === null);
    }
  }
  const { text, headers } = await gateway.get(`/balances/${token}?blockNumber=${block}`);
  expect(text).toBe(JSON.stringify({ results: restOf(answer.nodes), lastSyncedBlock: answer.lastSyncedBlock }));
  expect(headers.get("x-incomplete")).toBeNull();
  return answer.nodes.flatMap(({ sources }) => sources).length;
}

describe("balances through v3 pools", () => {
  it.each(["one", "two"])("are what the reducer's state gives, at every kind of block (%s)", async (seed) => {
    const world = randomV3World(`gateway/${seed}`, { blocks: 90, pools: 7 });
    const blocks = [...new Set(world.facts.map(({ fact }) => fact.block))];
    const finalized = blocks[Math.floor(blocks.length * 0.7)]!;
    const index = { ponderSchema: `facts_v3_${seed}`, foldSchema: `fold_v3_${seed}`, finalized };
    await buildV3Index(database.sql, world, index);
    const queries = [
      blocks[0]!,
      ...blocks.filter((_, i) => i % 9 === 1),
      finalized,
      finalized + 1,
      blocks.at(-1)!,
      world.head,
    ];
    let sources = 0;
    for (const block of queries)
      for (const token of [...V3_TOKENS, V3_LONER]) sources += await compare(world, token, block);
    expect(sources).toBeGreaterThan(300);

    // pages and lists say the same, pools and the zero address have nothing
    const whole = await ask(V3_TOKENS[0]!, world.head);
    const first = await ask(V3_TOKENS[0]!, world.head, { first: 3 });
    const second = await ask(V3_TOKENS[0]!, world.head, { first: 1000, after: first.pageInfo.endCursor });
    expect([...first.nodes, ...second.nodes]).toEqual(whole.nodes);
    const pool = world.pools[0]!.constants.pool;
    const users = [pool, whole.nodes[2]!.account, `0x${"0".repeat(40)}`, whole.nodes[0]!.account];
    const listed = await ask(V3_TOKENS[0]!, world.head, { users });
    expect(listed.nodes.slice(0, 3)).toEqual([
      { account: pool, total: "0", totalDouble: 0, replacedBy: "issuer", sources: [] },
      whole.nodes[2],
      { account: users[2], total: "0", totalDouble: 0, replacedBy: null, sources: [] },
    ]);
    expect(listed.nodes[3]).toEqual(whole.nodes[0]);
    const rest = await gateway.get(`/balances/${V3_TOKENS[0]}?blockNumber=${world.head}&users=${users.join(",")}`);
    expect(rest.body.results).toEqual(restOf(listed.nodes));
    expect(V3_DECIMALS[V3_TOKENS[0]!]).toBe(18);
    await dropIndex(database.sql, index);
  });
});
