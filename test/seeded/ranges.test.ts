// Answers about ranges against the contracts: balanceOf at every single block of them, added up.
import { type Address, createPublicClient, erc20Abi, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededDevnet, openSeededGateway, seeded } from "./seeded-index.ts";

/** How many ranges, each of one token; contracts are read at every block of each. */
const PAIRS = 24;
const LONGEST = 60;

// Many small calls: in batches, or they would take minutes.
const client = createPublicClient({
  transport: http(seeded.rpcUrl, { timeout: 60_000, batch: { batchSize: 200, wait: 2 } }),
});
const { head, finalized } = seeded;

interface Pair {
  name: string;
  token: Address;
  from: number;
  to: number;
}

let gateway: TestGateway;
let pairs: Pair[];

beforeAll(async () => {
  gateway = openSeededGateway();
  const { tokens } = (await openSeededDevnet()).at;
  const { wbera, weth, honey, usdc, wbtc, feeOnTransfer } = tokens;
  const named = Object.entries({ wbera, weth, honey, usdc, wbtc, feeOnTransfer });
  const random = seedRandom("ranges");
  pairs = Array.from({ length: PAIRS }, (_, i) => {
    const [name, token] = named[i % named.length] ?? ["", "0x"];
    // A quarter each: across the last final block, above it, single blocks, anywhere below.
    const length = i % 4 === 2 ? 1 : random.between(2, LONGEST);
    const last = [
      Math.min(finalized + random.between(1, length), head),
      head,
      finalized,
      random.between(900, finalized),
    ];
    const to = last[i % 4] ?? head;
    return { name, token: token.toLowerCase() as Address, from: Math.max(to - length + 1, 900), to };
  });
});
afterAll(() => gateway.close());

const get = async (path: string) => {
  const { status, body } = await gateway.get(path);
  expect([status, body.error]).toEqual([200, undefined]);
  return body as Record<string, unknown>;
};

/** balanceOf at the end of every block of the range. */
const held = ({ token, from, to }: Pair, account: Address): Promise<bigint[]> =>
  Promise.all(
    Array.from({ length: to - from + 1 }, (_, i) =>
      client.readContract({
        address: token,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [account],
        blockNumber: BigInt(from + i),
      }),
    ),
  );

interface Weighted {
  account: Address;
  numerator: string;
  denominator: number;
}
interface Change {
  account: Address;
  before: string;
  after: string;
}
interface Step {
  block: number;
  timestamp: number;
  amount: string;
}

/** The largest, one in the middle and the last of the list: pools, traders, and holders of dust. */
const someOf = <T>(list: readonly T[]): T[] => [
  ...new Set([0, 1, Math.floor(list.length / 2), list.length - 1].flatMap((i) => list[i] ?? [])),
];

describe("ranges of the seeded devnet", () => {
  test("are 24, of which some lie across the last final block and some above it", () => {
    expect(pairs).toHaveLength(PAIRS);
    expect(pairs.filter(({ from, to }) => from <= finalized && to > finalized).length).toBeGreaterThanOrEqual(4);
    expect(pairs.every(({ from, to }) => from <= to && to <= head)).toBe(true);
  });

  test("time-weighted balances are what balanceOf adds up to over every block", async () => {
    for (const pair of pairs) {
      const { results } = await get(
        `/balances/${pair.token}/time-weighted?lookThrough=false&fromBlock=${pair.from}&toBlock=${pair.to}`,
      );
      const rows = results as Weighted[];
      expect(rows.length, pair.name).toBeGreaterThan(3);
      for (const { account, numerator, denominator } of someOf(rows)) {
        const sum = (await held(pair, account)).reduce((total, amount) => total + amount, 0n);
        expect({ account, numerator, denominator }, `${pair.name} ${pair.from}-${pair.to}`).toEqual({
          account,
          numerator: String(sum),
          denominator: pair.to - pair.from + 1,
        });
      }
    }
  });

  test("changes and histories are what balanceOf says, with nothing left out", async () => {
    let steps = 0;
    for (const pair of pairs) {
      const range = `fromBlock=${pair.from}&toBlock=${pair.to}`;
      const changes = (await get(`/balances/${pair.token}/changes?${range}`)).results as Change[];
      for (const { account, before, after } of someOf(changes)) {
        const amounts = await held(pair, account);
        expect([before, after]).toEqual([String(amounts[0]), String(amounts.at(-1))]);
        const history = await get(`/balances/${pair.token}/history?account=${account}&${range}`);
        const expected = amounts.flatMap((amount, i) =>
          i > 0 && amount !== amounts[i - 1] ? [{ block: pair.from + i, amount: String(amount) }] : [],
        );
        const shown = history.results as Step[];
        expect(shown.map(({ block, amount }) => ({ block, amount }))).toEqual(expected);
        expect([history.opening, history.closing]).toEqual([before, after]);
        const [first] = shown;
        if (first) {
          const { timestamp } = await client.getBlock({ blockNumber: BigInt(first.block) });
          expect(first.timestamp).toBe(Number(timestamp));
        }
        steps += shown.length;
      }
    }
    expect(steps).toBeGreaterThan(50);
  });

  test("sums of everybody are the supply's, the zero address aside", async () => {
    for (const { token, from, to } of pairs.slice(0, 6)) {
      const { results } = await get(
        `/balances/${token}/time-weighted?lookThrough=false&fromBlock=${from}&toBlock=${to}`,
      );
      const everybody = (results as Weighted[]).reduce((sum, { numerator }) => sum + BigInt(numerator), 0n);
      let supply = 0n;
      for (let block = from; block <= to; block++) {
        const blockNumber = BigInt(block);
        const of = { address: token, abi: erc20Abi, blockNumber } as const;
        const total = await client.readContract({ ...of, functionName: "totalSupply" });
        const zero = `0x${"0".repeat(40)}` as const;
        supply += total - (await client.readContract({ ...of, functionName: "balanceOf", args: [zero] }));
      }
      expect(everybody).toBe(supply);
    }
  });
});
