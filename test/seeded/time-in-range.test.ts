// Time in range against the pools' own oracles, and what pools and shares were over a range against the contracts.
import { type Address, createPublicClient, http, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { type Plan, parsePlan } from "../../verify/arguments.ts";
import { comparePools } from "../../verify/compare-pools.ts";
import { openServed } from "../../verify/served-answers.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { sized } from "../support/sized.ts";
import { seededExamples } from "./examples.ts";
import { openSeededGateway, openSeededSql, seeded, seededChain } from "./seeded-index.ts";

const RANGES = Number(process.env.TIME_IN_RANGES ?? sized({ some: 400, whole: 1_000 }));
const TOGETHER = 10;

const client = createPublicClient({
  transport: http(seeded.rpcUrl, { timeout: 60_000, batch: { batchSize: 200, wait: 2 } }),
});
const abi = parseAbi([
  "function snapshotCumulativesInside(int24, int24) view returns (int56, uint160, uint32)",
  "function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)",
  "function observe(uint32[]) view returns (int56[], uint160[])",
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32, bool)",
  "function liquidity() view returns (uint128)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function getUnderlyingBalances() view returns (uint256, uint256)",
]);

/** A position with the same liquidity from the end of one block to that of another. */
interface Held {
  pool: Address;
  flavour: "uniswap" | "kodiak";
  /** Undefined for what an account, or a manager, has in the pool itself. */
  tokenId: string | undefined;
  owner: Address;
  tickLower: number;
  tickUpper: number;
  liquidity: string;
  from: number;
  until: number;
}

let gateway: TestGateway;
let held: Held[];

beforeAll(async () => {
  gateway = openSeededGateway();
  const sql = openSeededSql();
  const fold = `"${seeded.foldSchema}"`;
  const columns = "pool, owner, tick_lower, tick_upper, liquidity";
  const rows = (table: string, id: string, key: string) => `
    select ${id} as token_id, ${columns}, from_block, to_block from ${fold}.${table}_interval
    union all
    select ${id}, ${columns}, since, coalesce((select min(r.block) from ${fold}.${table}_recent r where (${key}) = (${qualified(key)})),
           ${seeded.finalized + 1}) from ${fold}.${table}_current c`;
  const positions = rows("v3_position", "null", "pool, owner, tick_lower, tick_upper");
  const tokenIds = rows("v3_nft", "token_id::text", "manager, token_id");
  held = await sql.unsafe<Held[]>(`
    select '0x' || encode(p.address, 'hex') as pool, p.flavour, r.token_id as "tokenId", '0x' || encode(r.owner, 'hex') as owner,
           r.tick_lower as "tickLower", r.tick_upper as "tickUpper", r.liquidity::text as liquidity,
           r.from_block as from, r.to_block as until
      from (${positions} union all ${tokenIds}) r
      join ${fold}.v3_pool p on p.id = r.pool
     where r.liquidity > 0 and r.to_block > r.from_block + 1
     order by 1, 2, 3, 4, 5, 7`);
  await sql.end();
});
afterAll(() => gateway.close());

const qualified = (columns: string): string =>
  columns
    .split(", ")
    .map((column) => `c.${column}`)
    .join(", ");

async function ask<T>(fields: string): Promise<T> {
  const { data, errors } = await gateway.graphql(`{ ${fields} }`);
  expect(errors).toBeUndefined();
  return data as T;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read here as a client reads them, without their types
const get = async (path: string): Promise<{ status: number; body: any }> => gateway.get(path);

interface Answer {
  seconds: number;
  secondsInside: number;
  secondsPerLiquidityInsideX128: string;
  position: { liquiditySeconds: string; secondsInsideX128: string };
}

interface Sample {
  position: Held;
  from: number;
  to: number;
}

const fieldOf = ({ position, from, to }: Sample, place: number): string => {
  const { pool, tokenId, owner, tickLower, tickUpper } = position;
  const which = tokenId
    ? `tokenId: "${tokenId}"`
    : `tickLower: ${tickLower}, tickUpper: ${tickUpper}, owner: "${owner}"`;
  return `a${place}: timeInRange(pool: "${pool}", from: {number: ${from}}, to: {number: ${to}}, ${which}) {
    seconds secondsInside secondsPerLiquidityInsideX128 position { liquiditySeconds secondsInsideX128 } }`;
};

/** (secondsPerLiquidityInsideX128, secondsInside) at the end of a block. */
async function snapshotAt({ position }: Sample, block: number): Promise<[bigint, number]> {
  const { pool, flavour, tickLower, tickUpper } = position;
  const at = { address: pool, abi, blockNumber: BigInt(block) } as const;
  if (flavour === "kodiak") return composedAt(position, at);
  const args = [tickLower, tickUpper] as const;
  const [, perLiquidity, seconds] = await client.readContract({
    ...at,
    functionName: "snapshotCumulativesInside",
    args,
  });
  return [perLiquidity, seconds];
}

/** The devnet's own pools of this flavour count all of it and have no such view: put together as UniswapV3Pool.sol does. */
async function composedAt(
  { tickLower, tickUpper }: Held,
  at: { address: Address; abi: typeof abi; blockNumber: bigint },
): Promise<[bigint, number]> {
  const [lower, upper, [, tick], [, [now]], { timestamp }] = await Promise.all([
    client.readContract({ ...at, functionName: "ticks", args: [tickLower] }),
    client.readContract({ ...at, functionName: "ticks", args: [tickUpper] }),
    client.readContract({ ...at, functionName: "slot0" }),
    client.readContract({ ...at, functionName: "observe", args: [[0]] }),
    client.getBlock({ blockNumber: at.blockNumber }),
  ]);
  const inside = (whole: bigint, low: bigint, high: bigint): bigint =>
    tick < tickLower ? low - high : tick < tickUpper ? whole - low - high : high - low;
  const seconds = BigInt.asUintN(32, inside(timestamp, BigInt(lower[6]), BigInt(upper[6])));
  return [BigInt.asUintN(160, inside(now!, lower[5], upper[5])), Number(seconds)];
}

describe("time in range", () => {
  test.each([
    ["snapshotCumulativesInside", "uniswap", RANGES],
    ["ticks and observations", "kodiak", RANGES / 4],
  ] as const)(
    "is what the pools' %s of the %s flavour grew by, for %i positions and ranges of blocks",
    async (_, flavour, ranges) => {
      const random = seedRandom(`time-in-range/${flavour}`);
      const own = held.filter((position) => position.flavour === flavour);
      const count = { samples: 0, inside: 0, outside: 0, across: 0, tokenIds: 0 };
      for (let done = 0; done < ranges; done += TOGETHER) {
        const samples = Array.from({ length: TOGETHER }, (_unused, place): Sample => {
          // few short ranges hold both a block inside and one outside: every second one is the position's whole life
          const position = random.pick(own);
          if (place % 2 === 0) return { position, from: position.from, to: position.until - 1 };
          const from = random.between(position.from, position.until - 1);
          return { position, from, to: random.between(from, position.until - 1) };
        });
        const answers = await ask<Record<string, Answer>>(samples.map(fieldOf).join("\n"));
        const snapshots = await Promise.all(
          samples.map((sample) => Promise.all([snapshotAt(sample, sample.from), snapshotAt(sample, sample.to)])),
        );
        samples.forEach((sample, place) => {
          const answer = answers[`a${place}`]!;
          const [[perLiquidityBefore, secondsBefore], [perLiquidityAfter, secondsAfter]] = snapshots[place]!;
          const inside = Number(BigInt.asUintN(32, BigInt(secondsAfter - secondsBefore)));
          const perLiquidity = BigInt.asUintN(160, perLiquidityAfter - perLiquidityBefore);
          const liquidity = BigInt(sample.position.liquidity);
          expect({ ...answer, sample }).toEqual({
            sample,
            seconds: answer.seconds,
            secondsInside: inside,
            secondsPerLiquidityInsideX128: String(perLiquidity),
            position: {
              liquiditySeconds: String(liquidity * BigInt(inside)),
              secondsInsideX128: String(liquidity * perLiquidity),
            },
          });
          count.samples++;
          if (inside === 0) count.outside++;
          else if (inside === answer.seconds) count.inside++;
          else count.across++;
          if (sample.position.tokenId) count.tokenIds++;
        });
      }
      console.log("time in range, 0 differences:", flavour, count);
      expect(count.samples).toBe(ranges);
      for (const kind of [count.inside, count.across, count.tokenIds]) expect(kind).toBeGreaterThan(ranges / 50);
    },
    RANGES * 200 + 60_000,
  );

  test("of a position whose liquidity changed is the sum over its parts, and none of the time before the pool was there", async () => {
    const { pool } = await seededExamples();
    const own = held.filter((one) => one.pool === pool && one.tokenId !== undefined);
    const byId = new Map(own.map(({ tokenId }) => [tokenId, own.filter((one) => one.tokenId === tokenId)]));
    const parts = [...byId.values()].find((rows) => new Set(rows.map(({ liquidity }) => liquidity)).size > 1)!;
    const [from, to] = [1, seeded.finalized];
    const [whole, ...each] = Object.values(
      await ask<Record<string, Answer>>(
        [{ position: parts[0]!, from, to }, ...parts.slice(0, 9).map((position) => sampleOf(position, to))]
          .map(fieldOf)
          .join("\n"),
      ),
    );
    expect(parts.length).toBeLessThan(10);
    const sum = each.reduce((total, { position }) => total + BigInt(position.liquiditySeconds), 0n);
    expect(sum).toBeGreaterThan(0n);
    expect(whole!.position.liquiditySeconds).toBe(String(sum));
  });

  test("is refused by the parameter that is wrong", async () => {
    const { pool } = await seededExamples();
    const range = "fromBlock=1000&toBlock=1100";
    const cases: [string, string][] = [
      [`${range}&tickLower=0`, "tickUpper"],
      [`${range}&tickLower=60&tickUpper=0`, "tickUpper"],
      [`${range}&tickLower=-900000&tickUpper=0`, "tickLower"],
      [`${range}&tokenId=1&tickLower=0`, "tickLower"],
      [`${range}&tokenId=-1`, "tokenId"],
      ["fromBlock=1100&toBlock=1000&tickLower=0&tickUpper=60", "fromBlock"],
    ];
    for (const [query, parameter] of cases) {
      const { status, body } = await get(`/pools/${pool}/time-in-range?${query}`);
      expect([query, status, body.error?.details?.parameter]).toEqual([query, 400, parameter]);
    }
    const missing = await get(`/pools/${pool}/time-in-range?${range}&tokenId=99999999`);
    expect([missing.status, missing.body.error.code]).toEqual([404, "POSITION_NOT_FOUND"]);
  });
});

/** From the beginning of the part until its end, which the next part's beginning is. */
const sampleOf = (position: Held, last: number): Sample => ({
  position,
  from: position.from,
  to: Math.min(position.until, last),
});

describe("verify --pools", () => {
  test("compares time in range with the contracts, and says how many numbers that were", async () => {
    const said: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((line) => said.push(String(line)));
    const served = openServed(seeded.databaseUrl, seededChain());
    const environment = { ...seeded, gatewayUrl: "", chain: seededChain() };
    const code = await comparePools(
      served,
      environment,
      parsePlan(["--pools", "--samples", "4", "--seed", "time"]) as Plan,
    );
    await served.close();
    log.mockRestore();
    expect(code, said.join("\n")).toBe(0);
    const numbers = said.map((line) => Number(/time in range (\d+)/.exec(line)?.[1] ?? 0));
    console.log("numbers of time in range compared by verify:", numbers.join(" "));
    expect(numbers.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(20);
  });
});

describe("histories", () => {
  test("of a pool are its slot0 and liquidity at every block that changed them", async () => {
    const { pool } = await seededExamples();
    const { poolHistory } = await ask<{ poolHistory: { nodes: Record<string, string | number>[] } }>(
      `poolHistory(pool: "${pool}", from: {number: 900}, to: {number: ${seeded.finalized}}) {
        nodes { block sqrtPriceX96 tick liquidity } }`,
    );
    const { nodes } = poolHistory;
    expect(nodes.length).toBeGreaterThan(20);
    for (const node of [...nodes.slice(0, 30), ...nodes.slice(-30)]) {
      for (const block of [Number(node.block), Number(node.block) - 1]) {
        const blockNumber = BigInt(block);
        const [slot, liquidity] = await Promise.all([
          client.readContract({ address: pool as Address, abi, functionName: "slot0", blockNumber }),
          client.readContract({ address: pool as Address, abi, functionName: "liquidity", blockNumber }),
        ]);
        const shown = { sqrtPriceX96: String(slot[0]), tick: slot[1], liquidity: String(liquidity) };
        const { block: at, ...state } = nodes.findLast((one) => Number(one.block) <= block) ?? {};
        if (at !== undefined) expect(state).toEqual(shown);
      }
    }
    const { body } = await get(`/pools/${pool}/history?fromBlock=900&toBlock=${seeded.finalized}&points=7`);
    expect(body.results).toHaveLength(7);
    for (const moment of body.results) {
      const { block: _, ...state } = nodes.findLast((one) => Number(one.block) <= moment.block)!;
      expect(moment).toMatchObject(state);
    }
  });

  test("of shares are what the contracts say is behind all of them, and one whole share's part of that", async () => {
    const { island, pair } = await seededExamples();
    const sql = openSeededSql();
    const [bault] = await sql.unsafe(
      `select vault, asset from "${seeded.foldSchema}".vault_created where kind = 'bault' and asset is not null
        order by block limit 1`,
    );
    await sql.end();
    type Behind = (parts: readonly { token: Address }[], blockNumber: bigint) => Promise<readonly bigint[]>;
    const read = (address: string, functionName: "getUnderlyingBalances" | "totalAssets", blockNumber: bigint) =>
      client.readContract({ address: address as Address, abi, functionName, blockNumber });
    const shares: [string, Behind][] = [
      [island, async (_, block) => (await read(island, "getUnderlyingBalances", block)) as [bigint, bigint]],
      [bault?.vault, async (_, block) => [(await read(bault?.vault, "totalAssets", block)) as bigint]],
      [
        pair,
        (parts, blockNumber) =>
          Promise.all(
            parts.map(({ token }) =>
              client.readContract({
                ...{ address: token, abi, functionName: "balanceOf", args: [pair as Address], blockNumber },
              }),
            ),
          ),
      ],
    ];
    for (const [share, behind] of shares) {
      const { body } = await get(`/shares/${share}/history?fromBlock=1000&toBlock=${seeded.finalized}&points=25`);
      let compared = 0;
      for (const { block, supply, parts } of body.results) {
        if (parts.length === 0 || supply === "0") continue;
        const blockNumber = BigInt(block);
        const amounts = await behind(parts, blockNumber);
        const address = share as Address;
        const total = await client.readContract({ address, abi, functionName: "totalSupply", blockNumber });
        expect([share, block, supply]).toEqual([share, block, String(total)]);
        expect(parts.map(({ amount }: { amount: string }) => amount)).toEqual(amounts.map(String));
        for (const [i, { perShareRoundedDown }] of parts.entries())
          expect(perShareRoundedDown).toBe(String((amounts[i]! * 10n ** 18n) / total));
        compared++;
      }
      expect([share, compared > 10]).toEqual([share, true]);
    }
  });

  test("of what is no share are refused", async () => {
    const { token } = await seededExamples();
    const { status, body } = await get(`/shares/${token}/history?fromBlock=1000&toBlock=1100`);
    expect([status, body.error.details.parameter]).toEqual([400, "share"]);
  });
});
