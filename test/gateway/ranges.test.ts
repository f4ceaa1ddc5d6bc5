// Answers about ranges against a brute force: `balances` asked at every block, below, across and above the last final block.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toExactDecimal } from "../../gateway/numbers.ts";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import {
  buildIndex,
  hashOf,
  type Index,
  insertBlocks,
  insertFacts,
  switchGateways,
  timestampOf,
} from "../support/index-fixture.ts";
import { randomFacts } from "../support/random-ledger.ts";
import { accountOf, type Fact, isChange, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const CHAIN_ID = 31337;
const FIRST = 5;
const TOKENS = [tokenOf(1), tokenOf(2)];
const DECIMALS: Record<string, number> = { [tokenOf(1)]: 18, [tokenOf(2)]: 6 };
const ACCOUNTS = Array.from({ length: 12 }, (_, i) => accountOf(i + 1));

/** The same facts on every run: enough of them, over few enough blocks to ask for each one. */
const facts: Fact[] =
  fc
    .sample(randomFacts(TOKENS, FIRST), { numRuns: 400, seed: 20 })
    .filter((some) => (some.at(-1)?.block ?? 0) < 90)
    .filter((some) => TOKENS.every((token) => some.some((fact) => fact.token === token && isChange(fact))))
    .sort((a, b) => b.length - a.length)[0] ?? [];
const lastFact = facts.at(-1)?.block ?? 0;
const HEAD = lastFact + 4;

type Amounts = ReadonlyMap<string, bigint>;

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: CHAIN_ID, startBlock: FIRST }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface Line {
  account: string;
  amount: string;
}

const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

async function balancesAt(token: string, block: number): Promise<Amounts> {
  const { status, text } = await gateway.get(`/balances/${token}?blockNumber=${block}&format=ndjson`);
  expect(status).toBe(200);
  return new Map(linesOf(text).map(({ account, amount }) => [account, BigInt(amount)]));
}

/** By token: what everybody had at each block of the index. */
async function everyBlock(head = HEAD): Promise<Map<string, Map<number, Amounts>>> {
  const found = new Map<string, Map<number, Amounts>>();
  for (const token of TOKENS) {
    const blocks = new Map<number, Amounts>();
    for (let block = FIRST; block <= head; block++) blocks.set(block, await balancesAt(token, block));
    found.set(token, blocks);
  }
  return found;
}

const byAmount = ([a, x]: [string, bigint], [b, y]: [string, bigint]): number =>
  x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1;

function summed(blocks: ReadonlyMap<number, Amounts>, from: number, to: number): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (let block = from; block <= to; block++)
    for (const [account, amount] of blocks.get(block) ?? []) sums.set(account, (sums.get(account) ?? 0n) + amount);
  return sums;
}

interface Case {
  token: string;
  from: number;
  to: number;
}

const RANGES = 20;

/** The ends, the last final block's neighbours, single blocks, and ranges drawn from a fixed seed. */
function rangesAround(finalized: number): Case[] {
  const near = [...new Set([FIRST, finalized, finalized + 1, HEAD])].filter((block) => block >= FIRST && block <= HEAD);
  const block = fc.integer({ min: FIRST, max: HEAD });
  const edges = near.flatMap((from) => near.filter((to) => to >= from).map((to) => [from, to] as const));
  const drawn = fc
    .sample(fc.tuple(block, block), { numRuns: RANGES - edges.length, seed: 7 })
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return [...edges, ...drawn].map(([from, to], i) => ({ token: TOKENS[i % 2]!, from, to }));
}

const get = async (path: string) => {
  const { status, body, headers } = await gateway.get(path);
  expect(body.error).toBeUndefined();
  expect(status).toBe(200);
  return { body, headers };
};

interface Shape {
  selection: string;
  /** Further arguments, after a comma. */
  more?: string;
}

/** All pages of a GraphQL field over a range, joined. */
async function allPages(field: string, { token, from, to }: Case, shape: Shape): Promise<unknown[]> {
  const { selection, more = "" } = shape;
  const nodes: unknown[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors } = await gateway.graphql(
      `query ($token: Address!, $from: Int!, $to: Int!, $after: String) {
        ${field}(token: $token, from: {number: $from}, to: {number: $to}, first: 4, after: $after ${more}) {
          nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`,
      { token, from, to, after },
    );
    expect(errors).toBeUndefined();
    const page = (data as Record<string, { nodes: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } }>)[
      field
    ]!;
    nodes.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return nodes;
    after = page.pageInfo.endCursor;
  }
}

const range = ({ from, to }: Case) => `fromBlock=${from}&toBlock=${to}`;

async function checkTimeWeighted(blocks: ReadonlyMap<number, Amounts>, input: Case): Promise<void> {
  const { token, from, to } = input;
  const count = BigInt(to - from + 1);
  const sums = summed(blocks, from, to);
  const entry = (account: string, sum: bigint) => ({
    account,
    numerator: String(sum),
    denominator: Number(count),
    averageRoundedDown: String(sum / count),
    averageRoundedDownDecimal: toExactDecimal(sum / count, DECIMALS[token]!),
  });
  const expected = [...sums].sort(byAmount).map(([account, sum]) => entry(account, sum));
  const path = `/balances/${token}/time-weighted?${range(input)}`;
  const heading = { token, fromBlock: from, toBlock: to, weight: "blocks", weightTotal: Number(count) };
  const { body, headers } = await get(`${path}&lookThrough=false`);
  expect(body).toEqual({ results: expected, ...heading });
  expect(headers.get("x-block-number")).toBe(String(to));
  const selection = "account numerator denominator averageRoundedDown averageRoundedDownDecimal";
  const alone = ", lookThrough: false";
  expect(await allPages("timeWeightedBalances", input, { selection, more: alone })).toEqual(expected);

  const users = [ACCOUNTS[8]!, ZERO, accountOf(99), ...ACCOUNTS.slice(0, 4)];
  const named = users.map((user) => entry(user, sums.get(user) ?? 0n));
  const some = await get(`${path}&lookThrough=false&users=${users.join(",")}`);
  expect(some.body.results).toEqual(named);
  const more = `, users: ${JSON.stringify(users)}`;
  expect(await allPages("timeWeightedBalances", input, { selection, more: alone + more })).toEqual(named);

  // nothing is behind these tokens: wherever it sat it sat in wallets
  const decimals = DECIMALS[token]!;
  const sourced = (account: string, sum: bigint) => {
    const average = {
      averageRoundedDown: String(sum / count),
      averageRoundedDownDecimal: toExactDecimal(sum / count, decimals),
    };
    const [amount, amountDecimal] = [average.averageRoundedDown, average.averageRoundedDownDecimal];
    return { account, ...average, sources: sum < count ? [] : [{ source: "balance", amount, amountDecimal }] };
  };
  const everywhere = [...sums]
    .filter(([, sum]) => sum >= count)
    .sort(([a, x], [b, y]) => byAmount([a, x / count], [b, y / count]))
    .map(([account, sum]) => sourced(account, sum));
  const whole = (await get(path)).body;
  expect(whole.results).toEqual(everywhere);
  expect(whole).toMatchObject(heading);
  const found = await get(`${path}&users=${users.join(",")}`);
  expect(found.body.results).toEqual(users.map((user) => sourced(user, sums.get(user) ?? 0n)));
  const [first = []] = [await allPages("timeWeightedBalances", input, { selection: "account averageRoundedDown" })];
  expect(first).toEqual(everywhere.map(({ account, averageRoundedDown }) => ({ account, averageRoundedDown })));
}

async function checkChanges(blocks: ReadonlyMap<number, Amounts>, input: Case): Promise<void> {
  const { token, from, to } = input;
  const [before, after] = [blocks.get(from)!, blocks.get(to)!];
  const decimal = (amount: bigint) => toExactDecimal(amount, DECIMALS[token]!);
  const expected = [...new Set([...before.keys(), ...after.keys()])]
    .map((account): [string, bigint] => [account, (after.get(account) ?? 0n) - (before.get(account) ?? 0n)])
    .filter(([, delta]) => delta !== 0n)
    .sort(byAmount)
    .map(([account, delta]) => ({
      account,
      before: String(before.get(account) ?? 0n),
      beforeDecimal: decimal(before.get(account) ?? 0n),
      after: String(after.get(account) ?? 0n),
      afterDecimal: decimal(after.get(account) ?? 0n),
      delta: String(delta),
      deltaDecimal: decimal(delta),
    }));
  const { body } = await get(`/balances/${token}/changes?${range(input)}`);
  expect(body).toEqual({ results: expected, token, fromBlock: from, toBlock: to });
  const selection = "account before beforeDecimal after afterDecimal delta deltaDecimal";
  expect(await allPages("balanceChanges", input, { selection })).toEqual(expected);
}

async function checkHistories(blocks: ReadonlyMap<number, Amounts>, input: Case): Promise<void> {
  const { token, from, to } = input;
  const decimal = (amount: bigint) => toExactDecimal(amount, DECIMALS[token]!);
  for (const account of [ACCOUNTS[0]!, ACCOUNTS[2]!, ACCOUNTS[6]!, ZERO]) {
    const amountAt = (block: number) => blocks.get(block)?.get(account) ?? 0n;
    const expected = [];
    for (let block = from + 1; block <= to; block++) {
      const delta = amountAt(block) - amountAt(block - 1);
      if (delta === 0n) continue;
      expected.push({
        block,
        timestamp: timestampOf(block),
        amount: String(amountAt(block)),
        amountDecimal: decimal(amountAt(block)),
        delta: String(delta),
        deltaDecimal: decimal(delta),
      });
    }
    const { body } = await get(`/balances/${token}/history?account=${account}&${range(input)}`);
    expect(body).toEqual({
      results: expected,
      token,
      fromBlock: from,
      toBlock: to,
      account,
      opening: String(amountAt(from)),
      openingDecimal: decimal(amountAt(from)),
      closing: String(amountAt(to)),
      closingDecimal: decimal(amountAt(to)),
    });
    const selection = "block timestamp amount amountDecimal delta deltaDecimal";
    expect(await allPages("balanceHistory", input, { selection, more: `, account: "${account}"` })).toEqual(expected);
  }
}

async function checkCounts(blocks: ReadonlyMap<number, Amounts>, { token, to }: Case): Promise<void> {
  const holders = blocks.get(to)!.size;
  const { body } = await get(`/balances/${token}/holders-count?blockNumber=${to}`);
  expect(body).toEqual({ token, blockNumber: to, wallets: holders, holders });
  const { data } = await gateway.graphql(
    `{ holdersCount(token: "${token}", block: {number: ${to}}) { token { address } block { number } wallets holders } }`,
  );
  expect(data).toEqual({
    holdersCount: { token: { address: token }, block: { number: to }, wallets: holders, holders },
  });
}

const middle = Math.floor((FIRST + HEAD) / 2);

describe.each([HEAD, middle, FIRST - 1])("ranges (final up to %i)", (finalized) => {
  const cases = rangesAround(finalized);
  let blocks: Map<string, Map<number, Amounts>>;

  beforeAll(async () => {
    const names = { ponderSchema: `facts_range_${finalized}`, foldSchema: `fold_range_${finalized}` };
    const place = { chainId: CHAIN_ID, firstBlock: FIRST, head: HEAD, finalized };
    const index: Index = { ...place, ...names, facts, decimals: DECIMALS };
    await buildIndex(database.sql, index);
    blocks = await everyBlock();
  });

  it("are 20, of tokens with something to show", () => {
    expect(cases).toHaveLength(RANGES);
    expect([...blocks.values()].every((ofToken) => [...ofToken.values()].some((held) => held.size > 2))).toBe(true);
  });

  it.each([
    ["time-weighted balances", checkTimeWeighted],
    ["changes", checkChanges],
    ["histories", checkHistories],
    ["counts", checkCounts],
  ] as const)("%s equal what balances says at every block", async (_, check) => {
    for (const one of cases) await check(blocks.get(one.token)!, one);
  });

  it("blocks may be given by time", async () => {
    const [token, from, to] = [TOKENS[0]!, middle - 3, middle + 4];
    const byNumber = await get(`/balances/${token}/changes?fromBlock=${from}&toBlock=${to}`);
    const byTime = await get(
      `/balances/${token}/changes?fromTimestamp=${timestampOf(from) + 1}&toTimestamp=${timestampOf(to)}`,
    );
    expect(byTime.body).toEqual(byNumber.body);
    const balances = await get(`/balances/${token}?timestamp=${timestampOf(to) + 1}`);
    expect(balances.headers.get("x-block-number")).toBe(String(to));
    expect(balances.body).toEqual((await get(`/balances/${token}?blockNumber=${to}`)).body);
    const count = await get(`/balances/${token}/holders-count?timestamp=${timestampOf(from)}`);
    expect(count.body.blockNumber).toBe(from);
    const now = await get(`/balances/${token}/changes?fromBlock=${from}&toBlock=99999999999`);
    expect(now.body.toBlock).toBe(HEAD);
  });
});

describe("after a reorganisation above the last final block", () => {
  it("answers are those of the new blocks, and a page walk of the old ones is refused", async () => {
    const [token, schema] = [TOKENS[0]!, `facts_range_${middle}`];
    const foldSchema = `fold_range_${middle}`;
    await switchGateways(database.sql, { chainId: CHAIN_ID, ponderSchema: schema, foldSchema });
    const first = await gateway.graphql(
      `{ timeWeightedBalances(token: "${token}", from: {number: ${FIRST}}, first: 1) { to { number hash } pageInfo { endCursor } } }`,
    );
    const { to, pageInfo } = (first.data as { timeWeightedBalances: { to: object; pageInfo: { endCursor: string } } })
      .timeWeightedBalances;
    expect(to).toEqual({ number: HEAD, hash: hashOf(HEAD) });
    const fork = middle + 2;
    const old = await get(`/balances/${token}/time-weighted?fromBlock=${FIRST}&toBlock=${HEAD}`);

    for (const table of ["erc20_transfer", "weth9_deposit", "weth9_withdrawal"])
      await database.sql`delete from ${database.sql(schema)}.${database.sql(table)} where block >= ${fork}`;
    await database.sql`delete from ${database.sql(schema)}.block where number >= ${fork}`;
    await insertBlocks(database.sql, schema, { from: fork, to: HEAD, fork: 1 });
    const mint = (block: number, to: string, amount: bigint): Fact => ({
      kind: "transfer",
      block,
      logIndex: 0,
      token,
      from: ZERO,
      to,
      amount,
    });
    await insertFacts(database.sql, schema, [
      mint(fork, ACCOUNTS[0]!, 10n ** 30n),
      { ...mint(fork + 1, ACCOUNTS[1]!, 4n * 10n ** 29n), from: ACCOUNTS[0]! },
      { ...mint(HEAD, ACCOUNTS[2]!, 10n ** 29n), from: ACCOUNTS[1]! },
    ]);

    await followFacts(database.sql, { ponderSchema: schema, foldSchema: `fold_range_${middle}` });
    const blocks = (await everyBlock()).get(token)!;
    for (const [from, last] of [
      [FIRST, HEAD],
      [middle, fork],
      [fork - 1, fork + 1],
      [fork, HEAD],
    ] as const) {
      await checkTimeWeighted(blocks, { token, from, to: last });
      await checkChanges(blocks, { token, from, to: last });
      await checkHistories(blocks, { token, from, to: last });
    }
    const now = await get(`/balances/${token}/time-weighted?fromBlock=${FIRST}&toBlock=${HEAD}`);
    expect(now.body).not.toEqual(old.body);
    expect(now.headers.get("etag")).not.toBe(old.headers.get("etag"));
    const { errors } = await gateway.graphql(
      `{ timeWeightedBalances(token: "${token}", from: {number: ${FIRST}}, first: 1, after: "${pageInfo.endCursor}") { totalCount } }`,
    );
    expect(errors?.[0]?.extensions?.code).toBe("BLOCK_REPLACED");
  });
});
