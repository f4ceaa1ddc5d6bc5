// Answers against a brute-force ledger: any block, below and above the last final block, all holders and lists, both skins.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toExactDecimal } from "../../gateway/numbers.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, dropIndex, hashOf, type Index, timestampOf } from "../support/index-fixture.ts";
import { randomFacts } from "../support/random-ledger.ts";
import {
  accountOf,
  type Fact,
  holdersInOrder,
  isChange,
  ledgerAt,
  tokenOf,
  ZERO,
} from "../support/reference-ledger.ts";
import { sized } from "../support/sized.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const CHAIN_ID = 31337;
const FIRST = 5;
const TOKENS = [tokenOf(1), tokenOf(2)];
const DECIMALS: Record<string, number> = { [tokenOf(1)]: 18, [tokenOf(2)]: 6 };

let database: TestDatabase;
let gateway: TestGateway;
let serial = 0;

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: CHAIN_ID, startBlock: FIRST }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const number = (amount: bigint, token: string) => Number(`${amount}e-${DECIMALS[token]}`);
const entry = ([account, amount]: [string, bigint], token: string) => {
  if (amount === 0n) return { account, total: 0, sources: [], expanded: "" };
  const value = number(amount, token);
  return { account, total: value, sources: [{ source: "balance", value }], expanded: `balance: ${value}` };
};

const QUERY = `query ($token: Address!, $block: Int!, $first: Int!, $after: String) {
  balances(token: $token, block: {number: $block}, first: $first, after: $after) {
    totalCount block { number timestamp hash } lastSyncedBlock pageInfo { hasNextPage endCursor }
    token { totalSupply }
    nodes { account total totalDecimal totalDouble sources { source value } } } }`;

interface Page {
  balances: {
    totalCount: number;
    block: { number: number; timestamp: number; hash: string };
    token: { totalSupply: string };
    pageInfo: { hasNextPage: boolean; endCursor: string };
    nodes: { account: string; total: string; totalDecimal: string; totalDouble: number }[];
  };
}

async function compareWhole(facts: readonly Fact[], token: string, block: number): Promise<void> {
  const ledger = ledgerAt(facts, token, block);
  const expected = holdersInOrder(ledger);
  const { status, body, headers } = await gateway.get(`/balances/${token}?blockNumber=${block}`);
  expect(status).toBe(200);
  expect(headers.get("x-block-number")).toBe(String(block));
  expect(body.results).toEqual(expected.map((held) => entry(held, token)));

  const seen: Page["balances"]["nodes"] = [];
  for (let after: string | null = null, hasMore = true; hasMore; ) {
    const { data, errors } = await gateway.graphql(QUERY, { token, block, first: 5, after });
    expect(errors).toBeUndefined();
    const { balances } = data as Page;
    expect(balances.totalCount).toBe(expected.length);
    expect(balances.block).toEqual({ number: block, timestamp: timestampOf(block), hash: hashOf(block) });
    expect(balances.token.totalSupply).toBe(String(ledger.supply));
    seen.push(...balances.nodes);
    [after, hasMore] = [balances.pageInfo.endCursor, balances.pageInfo.hasNextPage];
  }
  expect(
    seen.map(({ account, total, totalDecimal, totalDouble }) => ({ account, total, totalDecimal, totalDouble })),
  ).toEqual(
    expected.map(([account, amount]) => ({
      account,
      total: String(amount),
      totalDecimal: toExactDecimal(amount, DECIMALS[token]!),
      totalDouble: number(amount, token),
    })),
  );
}

async function compareLists(facts: readonly Fact[], token: string, block: number): Promise<void> {
  const { balances } = ledgerAt(facts, token, block);
  const users = [
    accountOf(9),
    accountOf(77),
    ZERO,
    accountOf(3),
    accountOf(1).toUpperCase().replace("0X", "0x"),
    accountOf(9),
    accountOf(5),
  ];
  const distinct = [...new Set(users.map((user) => user.toLowerCase()))];
  const expected = distinct.map((user) => entry([user, user === ZERO ? 0n : (balances.get(user) ?? 0n)], token));
  const { status, body } = await gateway.get(`/balances/${token}?blockNumber=${block}&users=${users.join(",")}`);
  expect(status).toBe(200);
  expect(body.results).toEqual(expected);
}

async function compareAccount(facts: readonly Fact[], account: string, block: number): Promise<void> {
  const expected = TOKENS.map((token) => ({
    token: { address: token },
    total: String(ledgerAt(facts, token, block).balances.get(account) ?? 0n),
  }));
  const { data, errors } = await gateway.graphql(
    `query ($account: Address!, $block: Int!) { account(address: $account, block: {number: $block}) {
       balances { totalCount nodes { token { address } total } } } }`,
    { account, block },
  );
  expect(errors).toBeUndefined();
  const held = expected.filter(({ total }) => total !== "0");
  expect(data).toEqual({ account: { balances: { totalCount: held.length, nodes: held } } });
}

const hitsOf = (name: string): number =>
  gateway.service.cache.stats().questions.find(({ question }) => question === name)?.hits ?? 0;

describe("balances", () => {
  it("equal a brute-force ledger at every kind of block", async () => {
    await fc.assert(
      fc.asyncProperty(
        randomFacts(TOKENS, FIRST),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (facts, folded) => {
          const last = facts.at(-1)?.block ?? FIRST;
          const head = last + 3;
          const finalized = FIRST - 1 + Math.floor(folded * (head - FIRST + 1));
          serial += 1;
          const names = { ponderSchema: `facts_${serial}`, foldSchema: `fold_${serial}` };
          const index: Index = {
            chainId: CHAIN_ID,
            ...names,
            firstBlock: FIRST,
            head,
            finalized,
            facts,
            decimals: DECIMALS,
          };
          await buildIndex(database.sql, index);
          const tracked = TOKENS.filter((token) => facts.some((fact) => fact.token === token && isChange(fact)));
          const blocks = new Set([
            FIRST,
            finalized,
            finalized + 1,
            last,
            head,
            Math.floor((FIRST + finalized) / 2),
            Math.floor((finalized + head) / 2),
          ]);
          for (const block of [...blocks].filter((candidate) => candidate >= FIRST && candidate <= head)) {
            for (const token of tracked) {
              await compareLists(facts, token, block);
              await compareWhole(facts, token, block);
              // now from what was read for the whole
              await compareLists(facts, token, block);
            }
            await compareAccount(facts, accountOf(3), block);
          }
          await dropIndex(database.sql, index);
        },
      ),
      { numRuns: sized({ some: 5, whole: 10 }) },
    );
    expect(hitsOf("token-holders")).toBeGreaterThan(0);
  });
});
