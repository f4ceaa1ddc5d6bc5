// Where a token sat against what everybody had: every sum of `distribution` is worked out again from the list of all
// accounts with their sources and paths, for every token of the seeded devnet. Its supply is held against the contracts.
import { type Address, type PublicClient, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { type BalancesPage, balancesPage } from "../../gateway/questions/balances.ts";
import { type Distribution, distribution, distributionHistory } from "../../gateway/questions/distribution.ts";
import { holdersCount } from "../../gateway/questions/holders-count.ts";
import { tokensPage } from "../../gateway/questions/tokens.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededDevnet, openSeededGateway, seeded, seededClient } from "./seeded-index.ts";

const { head, finalized } = seeded;
const BLOCKS = [Math.floor(finalized / 2), finalized, head];
const abi = parseAbi(["function totalSupply() view returns (uint256)"]);

let gateway: TestGateway;
let client: PublicClient;
let tokens: Address[];
let honey: Address;

beforeAll(async () => {
  gateway = openSeededGateway();
  client = seededClient();
  honey = (await openSeededDevnet()).at.tokens.honey.toLowerCase() as Address;
  const { entries } = await within((scope) => scope.run(tokensPage, { block: blockNumbered(head), first: 1_000 }));
  tokens = entries.filter(({ token }) => token.quarantine === undefined).map(({ token }) => token.address);
});
afterAll(() => gateway.close());

async function within<T>(use: (scope: RequestScope) => Promise<T>): Promise<T> {
  const scope = new RequestScope(gateway.service);
  try {
    return await use(scope);
  } finally {
    await scope.close();
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

/** `kind contract contracts-on-the-way` -> amount, as the list of all accounts has it. */
function waysOf({ entries }: BalancesPage): Map<string, bigint> {
  const ways = new Map<string, bigint>();
  for (const { sources } of entries)
    for (const { kind, paths } of sources)
      for (const { path, amount } of paths) {
        const contracts = path.slice(1).map((asset) => asset.split(":")[1]);
        const key = [kind, contracts.at(-1) ?? "", contracts.join(",")].join(" ");
        ways.set(key, (ways.get(key) ?? 0n) + amount);
      }
  return ways;
}

/** The same of an answer, each level held against the sum of the one below it. */
function waysAnswered({ sources }: Distribution): Map<string, bigint> {
  const ways = new Map<string, bigint>();
  for (const { kind, amount, contracts, contractsCount } of sources) {
    if (kind === "balance") {
      ways.set("balance  ", amount);
      continue;
    }
    expect(contractsCount).toBe(contracts.length);
    expect(sum(contracts.map((one) => one.amount))).toBe(amount);
    for (const { contract, ways: ofContract, amount: whole } of contracts) {
      expect(sum(ofContract.map((one) => one.amount))).toBe(whole);
      for (const way of ofContract) ways.set(`${kind} ${contract} ${way.contracts.join(",")}`, way.amount);
    }
  }
  return ways;
}

describe("where a token sat", () => {
  test.each(BLOCKS)("is what all accounts have together, for every token at block %i", async (block) => {
    let [ways, deepest] = [0, 0];
    for (const token of tokens) {
      const [answer, everybody] = await within(async (scope) => [
        await scope.run(distribution, { token, block: blockNumbered(block) }),
        await scope.run(balancesPage, { token, block: blockNumbered(block), first: 100_000, isWhole: true }),
      ]);
      const amounts = everybody.entries.map(({ amount }) => amount);
      expect(waysAnswered(answer), token).toEqual(waysOf(everybody));
      expect([answer.holders, answer.top10, answer.top100], token).toEqual([
        everybody.totalCount,
        sum(amounts.slice(0, 10)),
        sum(amounts.slice(0, 100)),
      ]);
      expect(answer.unattributed, token).toEqual(everybody.rest?.unattributed);
      const all = sum([...answer.sources, ...answer.unattributed].map(({ amount }) => amount));
      expect(all, token).toBe(answer.supply);
      ways += waysAnswered(answer).size;
      deepest = Math.max(deepest, ...[...waysAnswered(answer).keys()].map((key) => key.split(",").length));
    }
    // the devnet nests shares in shares: nothing of this would be seen with wallets alone
    expect(ways).toBeGreaterThan(tokens.length);
    expect(deepest).toBeGreaterThan(2);
  });

  test("adds up to what the contract says there is", async () => {
    for (const block of BLOCKS) {
      const { supply } = await within((scope) =>
        scope.run(distribution, { token: honey, block: blockNumbered(block) }),
      );
      const said = await client.readContract({
        address: honey,
        abi,
        functionName: "totalSupply",
        blockNumber: BigInt(block),
      });
      expect(supply).toBe(said);
    }
  });

  test("over time is the same as at each of its blocks", async () => {
    const input = { token: honey, from: blockNumbered(finalized - 40), to: blockNumbered(head), points: 5 };
    const history = await within((scope) => scope.run(distributionHistory, input));
    expect(history.map(({ located }) => located.point.block)).toEqual([
      finalized - 40,
      ...[1, 2, 3].map((i) => finalized - 40 + Math.round(((head - finalized + 40) * i) / 4)),
      head,
    ]);
    for (const { located, ...sums } of history) {
      const block = blockNumbered(located.point.block);
      const { located: _, ...alone } = await within((scope) => scope.run(distribution, { token: honey, block }));
      const { holders } = await within((scope) => scope.run(holdersCount, { token: honey, block }));
      expect(sums).toEqual(alone);
      expect(sums.holders).toBe(holders);
    }
  });

  test("has no more points than it may look through, and says so", async () => {
    const { errors } = await gateway.graphql(
      `{ distributionHistory(token: "${honey}", from: {number: 1}, points: 26) { holders } }`,
    );
    expect(errors?.[0]?.message).toContain("must be from 1 to 25");
  });
});

describe("ranks", () => {
  test("count on from page to page", async () => {
    const ranks: (number | undefined)[] = [];
    let after: string | undefined;
    let total = 0;
    do {
      const page = await within((scope) =>
        scope.run(balancesPage, { token: honey, block: blockNumbered(finalized), first: 7, after, isWhole: false }),
      );
      ranks.push(...page.entries.map(({ rank }) => rank));
      total = page.totalCount;
      after = page.hasNextPage ? page.entries.at(-1)?.cursor : undefined;
    } while (after !== undefined);
    expect(total).toBeGreaterThan(20);
    expect(ranks).toEqual(Array.from({ length: total }, (_, i) => i + 1));
  });
});
