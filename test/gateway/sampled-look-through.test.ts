// Time-weighted totals through contracts: the mean of what balances says at the blocks that the answer names.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampledBlocks } from "../../gateway/balances/sampled-totals.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildScripted, SCRIPT_CHAIN_ID } from "../support/scripted-index.ts";
import { ALICE, BOB, REWARD_VAULT, STAKED, stakingSections, tellStaking } from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const LAST = 11;
let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

async function totalsAt(block: number): Promise<Map<string, bigint>> {
  const { text } = await gateway.get(`/balances/${STAKED}?blockNumber=${block}&format=ndjson`);
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const { account, amount } = JSON.parse(line) as { account: string; amount: string };
      return [account, BigInt(amount)];
    }),
  );
}

async function summed(blocks: readonly number[]): Promise<[string, bigint][]> {
  const sums = new Map<string, bigint>();
  for (const block of blocks)
    for (const [account, amount] of await totalsAt(block)) sums.set(account, (sums.get(account) ?? 0n) + amount);
  return [...sums].sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1));
}

interface Weighted {
  results: { account: string; numerator: string; denominator: number }[];
  blocks: number;
  sampledBlocks: number[] | null;
}

async function weighted(query: string): Promise<Weighted & { header: string | null }> {
  const { body, headers } = await gateway.get(`/balances/${STAKED}/time-weighted?${query}`);
  return { ...(body as unknown as Weighted), header: headers.get("x-sampled-blocks") };
}

describe.each([LAST, 6])("time-weighted totals (watermark %i)", (watermark) => {
  beforeAll(async () => {
    const names = { ponderSchema: `facts_sampled_${watermark}`, foldSchema: `fold_sampled_${watermark}` };
    await buildScripted(database.sql, tellStaking(), { ...names, watermark });
  });

  it.each([
    { from: 2, to: LAST, samples: 3, blocks: [3, 7, 10] },
    { from: 2, to: LAST, samples: 25, blocks: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
    { from: 9, to: 9, samples: 1, blocks: [9] },
  ])(
    "over blocks $from to $to with $samples samples are the mean at $blocks",
    async ({ from, to, samples, blocks }) => {
      const {
        results,
        sampledBlocks: sampled,
        header,
        ...answer
      } = await weighted(`fromBlock=${from}&toBlock=${to}&lookThroughSamples=${samples}`);
      expect(sampled).toEqual(blocks);
      expect(header).toBe(blocks.join(","));
      expect(answer.blocks).toBe(blocks.length);
      const expected = await summed(blocks);
      expect(results.map(({ account, numerator }) => [account, BigInt(numerator)])).toEqual(expected);
      expect(results.every(({ denominator }) => denominator === blocks.length)).toBe(true);
      const { data, errors } = await gateway.graphql(
        `{ timeWeightedBalances(token: "${STAKED}", from: {number: ${from}}, to: {number: ${to}}, lookThrough: {samples: ${samples}}) {
          blocks sampledBlocks totalCount nodes { account numerator denominator } } }`,
      );
      expect(errors).toBeUndefined();
      expect(data).toEqual({
        timeWeightedBalances: {
          blocks: blocks.length,
          sampledBlocks: blocks,
          totalCount: expected.length,
          nodes: expected.map(([account, sum]) => ({ account, numerator: String(sum), denominator: blocks.length })),
        },
      });
    },
  );

  it("differ from wallets alone, name issuers with nothing, and page like everything else", async () => {
    const users = `${BOB},${REWARD_VAULT},${ALICE}`;
    const range = `fromBlock=8&toBlock=${LAST}`;
    const through = await weighted(`${range}&lookThroughSamples=25&users=${users}`);
    const wallets = await weighted(`${range}&users=${users}`);
    const sums = new Map(await summed([8, 9, 10, 11]));
    expect(through.results.map(({ numerator }) => numerator)).toEqual([
      String(sums.get(BOB)),
      "0",
      String(sums.get(ALICE)),
    ]);
    expect(BigInt(wallets.results[1]!.numerator)).toBeGreaterThan(0n);
    expect(BigInt(wallets.results[2]!.numerator)).toBeLessThan(BigInt(through.results[2]!.numerator));
    const pages: string[] = [];
    for (let after: string | null = null, hasMore = true; hasMore; ) {
      const { data } = await gateway.graphql(
        `query ($after: String) { timeWeightedBalances(token: "${STAKED}", from: {number: 8}, lookThrough: {samples: 2}, first: 1, after: $after) {
           nodes { account } pageInfo { hasNextPage endCursor } } }`,
        { after },
      );
      const page = (
        data as {
          timeWeightedBalances: { nodes: { account: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
        }
      ).timeWeightedBalances;
      pages.push(...page.nodes.map(({ account }) => account));
      [after, hasMore] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
    }
    expect(pages).toEqual((await summed([8, 10])).map(([account]) => account));
  });

  it("counts wallets and the people behind them apart", async () => {
    const totals = await totalsAt(LAST);
    const { body } = await gateway.get(`/balances/${STAKED}/holders-count?blockNumber=${LAST}`);
    expect(body.holders).toBe(totals.size);
    expect(Number(body.wallets)).toBeGreaterThan(totals.size);
  });
});

describe("sampledBlocks", () => {
  it("are distinct, ascending and inside the range", () => {
    for (let samples = 1; samples <= 50; samples++)
      for (const to of [10, 11, 57, 1_000, 10_000_019]) {
        const blocks = sampledBlocks({ from: 10, to }, samples);
        expect(blocks).toHaveLength(Math.min(samples, to - 9));
        expect(blocks.every((block, i) => block >= 10 && block <= to && (i === 0 || block > blocks[i - 1]!))).toBe(
          true,
        );
      }
  });
});
