// Averages of the seeded devnet against every block of the range looked at by itself, in exact fractions.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Random, seedRandom } from "../../devnet/scenario/random.ts";
import { type AverageOfAll, averagesOf, averagesOfAll } from "../../gateway/averages/average-holdings.ts";
import type { Weight } from "../../gateway/averages/clock.ts";
import type { OperationContext } from "../../gateway/context.ts";
import type { Address } from "../../gateway/parameters.ts";
import { ExactSums } from "../support/exact-attribution.ts";
import { exactBlock } from "../support/exact-holdings.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { pointAt, withinRequest } from "../support/issued-each-block.ts";
import { sized } from "../support/sized.ts";
import { openSeededDevnet, openSeededGateway, openSeededSql, seeded } from "./seeded-index.ts";

const RANGES = sized({ some: 16, whole: 40 });
const LONGEST = 30;
const { head, finalized } = seeded;

interface Range {
  name: string;
  token: Address;
  from: number;
  to: number;
  weight: Weight;
}

let gateway: TestGateway;
let ranges: Range[];

beforeAll(async () => {
  gateway = openSeededGateway();
  const random = seedRandom("averages");
  const tokens = await manyTokens();
  ranges = Array.from({ length: RANGES }, (_, i) => {
    const [name, token] = tokens[i % tokens.length] as [string, Address];
    return { name, token, weight: i % 3 === 2 ? ("seconds" as const) : ("blocks" as const), ...drawn(random, i) };
  });
});
afterAll(() => gateway.close());

/** A quarter each: across the last final block, ending at the head, single blocks, anywhere. Single blocks weigh no second. */
function drawn(random: Random, i: number): { from: number; to: number } {
  if (i % 4 === 0)
    return {
      from: finalized - random.between(1, LONGEST / 2),
      to: Math.min(head, finalized + random.between(1, LONGEST / 2)),
    };
  if (i % 4 === 1) return { from: head - random.between(1, LONGEST), to: head };
  const to = random.between(300, head);
  if (i % 4 === 2 && i % 3 !== 2) return { from: to, to };
  return { from: Math.max(to - random.between(1, LONGEST), 1), to };
}

/** The scenario's tokens, and those that most contracts hold some of. */
async function manyTokens(): Promise<[string, Address][]> {
  const { tokens } = (await openSeededDevnet()).at;
  const sql = openSeededSql();
  const held = await sql.unsafe<{ token: Address }[]>(`
    select '0x' || encode(a.key, 'hex') as token from "${seeded.foldSchema}".asset a
      join "${seeded.foldSchema}".holder h on h.asset = a.id
     where a.kind = 'erc20' group by a.key order by count(*) desc, a.key limit 16`);
  await sql.end({ timeout: 2 });
  const { wbera, weth, honey, usdc, wbtc, feeOnTransfer } = tokens;
  const named = Object.entries({ wbera, weth, honey, usdc, wbtc, feeOnTransfer }) as [string, Address][];
  const all = [
    ...named.map(([name, token]) => [name, token.toLowerCase()] as const),
    ...held.map(({ token }) => [token, token] as const),
  ];
  return [...new Map(all.map(([name, token]) => [token, [name, token] as [string, Address]])).values()];
}

const within = <T>(ask: (context: OperationContext) => Promise<T>) => withinRequest(gateway.service, ask);

const inputOf = async (context: OperationContext, { token, from, to, weight }: Range) => ({
  ...{ token, weight, from: await pointAt(context, from), to: await pointAt(context, to) },
});

async function exactly(range: Range) {
  const sums = new ExactSums(`erc20:${range.token}`);
  await within(async (context) => {
    for (let block = range.from; block <= range.to; block++) {
      const weight = range.weight === "blocks" ? 1n : await secondsOf(context, block, range.to);
      sums.add(await exactBlock(context, range.token, block), weight);
    }
  });
  return sums.averages();
}

async function secondsOf(context: OperationContext, block: number, last: number): Promise<bigint> {
  if (block === last) return 0n;
  const [now, next] = [await pointAt(context, block), await pointAt(context, block + 1)];
  return BigInt((next.timestamp ?? 0) - (now.timestamp ?? 0));
}

const shown = ({ parts, unattributed }: Pick<AverageOfAll, "parts" | "unattributed">) => ({
  parts: [...parts]
    .flatMap(([account, own]) =>
      own.map(({ path, amount }): [string, bigint] => [`${account} ${path.join(">")}`, amount]),
    )
    .sort(),
  unattributed: unattributed
    .map(({ contract, reason, path, amount }): [string, bigint] => [`${contract} ${reason} ${path.join(">")}`, amount])
    .sort(),
});

const sumOf = (amounts: Iterable<{ amount: bigint }>): bigint =>
  [...amounts].reduce((sum, { amount }) => sum + amount, 0n);

describe("averages of the seeded devnet", () => {
  test("are the mean of every block's exact fractions, for everybody and all that is unattributed", {
    timeout: 600_000,
  }, async () => {
    let [accounts, nested, unattributed] = [0, 0, 0];
    for (const range of ranges) {
      const found = await within(async (context) => averagesOfAll(context, await inputOf(context, range)));
      expect(shown(found), `${range.name} ${range.from}-${range.to} ${range.weight}`).toEqual(await exactly(range));
      accounts += found.parts.size;
      nested += [...found.parts.values()].flat().filter(({ path }) => path.length > 2).length;
      unattributed += found.unattributed.length;
    }
    expect(accounts).toBeGreaterThanOrEqual(5 * RANGES);
    expect(nested).toBeGreaterThan(RANGES / 2);
    expect(unattributed).toBeGreaterThan(RANGES / 2);
  });

  test("sum up to the average supply, with what rounding left over", async () => {
    for (const range of ranges) {
      const found = await within(async (context) => averagesOfAll(context, await inputOf(context, range)));
      const parts = [...found.parts.values()].flat();
      expect(sumOf(parts) + sumOf(found.unattributed) + found.rounding).toBe(found.supply);
      expect(found.rounding).toBeGreaterThanOrEqual(0n);
      expect(found.rounding).toBeLessThanOrEqual(BigInt(parts.length + found.unattributed.length));
    }
  });

  test("are the same for accounts asked about alone", { timeout: 600_000 }, async () => {
    let compared = 0;
    const random = seedRandom("averages of few");
    for (const range of ranges) {
      const all = await within(async (context) => averagesOfAll(context, await inputOf(context, range)));
      const accounts = [...all.parts.keys()];
      const some = Array.from({ length: 6 }, () => accounts[random.between(0, Math.max(accounts.length - 1, 0))]);
      const contract = all.unattributed[0]?.contract as Address | undefined;
      const addresses = [...new Set([...some, contract])].filter((one) => one !== undefined);
      gateway.service.cache.clear();
      const few = await within(async (context) => averagesOf(context, await inputOf(context, range), addresses));
      const expected = {
        parts: new Map(
          addresses.flatMap((account) =>
            all.parts.has(account) ? [[account, all.parts.get(account) ?? []] as const] : [],
          ),
        ),
        unattributed: [],
      };
      expect(shown({ parts: few.parts, unattributed: [] }), `${range.name} ${range.from}-${range.to}`).toEqual(
        shown(expected),
      );
      compared += addresses.length;
    }
    expect(compared).toBeGreaterThanOrEqual(5 * RANGES);
  });

  test("count what contracts hold from the block on at which they are made, and their wallets before", {
    timeout: 300_000,
  }, async () => {
    const sql = openSeededSql();
    const fold = `"${seeded.foldSchema}"`;
    const made = await sql.unsafe<{ token: Address; block: number }[]>(`
      (select '0x' || encode(token0, 'hex') as token, created_block as block from ${fold}.v3_pool order by id limit 3)
      union all (select '0x' || encode(token1, 'hex'), created_block from ${fold}.island order by id limit 3)
      union all (select '0x' || encode(token0, 'hex'), created_block from ${fold}.island order by id desc limit 2)`);
    await sql.end({ timeout: 2 });
    for (const { token, block } of made) {
      const [from, to] = [Math.max(block - 6, 1), Math.min(block + 9, head)];
      const range: Range = { name: token, token, from, to, weight: "blocks" };
      const found = await within(async (context) => averagesOfAll(context, await inputOf(context, range)));
      expect(shown(found), `${token} ${from}-${to}`).toEqual(await exactly(range));
    }
    expect(made.length).toBeGreaterThanOrEqual(6);
  });

  test("differ from the mean of what /balances says at every block by less than its roundings", {
    timeout: 300_000,
  }, async () => {
    let differing = 0;
    const some = ranges.filter(({ weight, from, to }) => weight === "blocks" && to > from).slice(0, RANGES / 5);
    for (const range of some) {
      const found = await within(async (context) => averagesOfAll(context, await inputOf(context, range)));
      const blocks = BigInt(range.to - range.from + 1);
      const sums = await sumsOfBalances(range);
      for (const account of new Set([...sums.keys(), ...found.parts.keys()])) {
        const parts = found.parts.get(account) ?? [];
        const difference = sumOf(parts) * blocks - (sums.get(account) ?? 0n);
        // principal, fees, the manager's part and each share are rounded at every block, and the average once more
        const ways = BigInt(parts.reduce((sum, { path }) => sum + path.length + 3, 4));
        expect(
          difference <= ways * blocks && difference >= -ways * blocks,
          `${range.name} ${account} ${difference}`,
        ).toBe(true);
        if (difference !== 0n) differing++;
      }
    }
    expect(differing).toBeGreaterThan(0);
  });
});

/** What /balances says at the ends of all blocks, added up. */
async function sumsOfBalances({ token, from, to }: Range): Promise<Map<Address, bigint>> {
  const sums = new Map<Address, bigint>();
  for (let block = from; block <= to; block++) {
    const { text } = await gateway.get(`/balances/${token}?blockNumber=${block}&format=ndjson`);
    for (const line of text.split("\n").filter((one) => one !== "")) {
      const { account, amount } = JSON.parse(line) as { account: Address; amount: string };
      sums.set(account, (sums.get(account) ?? 0n) + BigInt(amount));
    }
  }
  return sums;
}
