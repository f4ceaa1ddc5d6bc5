// What /tokens says of every token of the seeded devnet, against its contract, and its price against one worked out from
// logs and contract reads alone. PRICE_BLOCKS=200 compares more, PRICE_SEED another choice.
import type { Sql } from "postgres";
import { type Address, type PublicClient, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import type { TokenPrice } from "../../gateway/prices/price.ts";
import { type PricesOf, pricesOf } from "../../gateway/questions/token-prices.ts";
import { readAll } from "../../verify/pool-contracts.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import {
  announcedPools,
  meansOf,
  pricesByHand,
  type ReferenceMean,
  type ReferencePool,
  type ReferencePrice,
} from "../support/reference-prices.ts";
import { type ReferenceShare, ReferenceShares } from "../support/reference-shares.ts";
import {
  openSeededDevnet,
  openSeededGateway,
  openSeededSql,
  seeded,
  seededChain,
  seededClient,
} from "./seeded-index.ts";

const BLOCKS = Number(process.env.PRICE_BLOCKS ?? 20);
const SEED = process.env.PRICE_SEED ?? "prices";
/** Nothing is priced before. */
const FIRST_BLOCK = 120;
const LIMIT_MS = 60_000 + BLOCKS * 2_000;

const abi = parseAbi([
  "function symbol() view returns (string)",
  "function name() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
]);
const { head, finalized, ponderSchema, foldSchema } = seeded;
const chain = seededChain();
let gateway: TestGateway;
let client: PublicClient;
let sql: Sql;
let times: Map<number, number>;
let pools: ReferencePool[];
let blocks: number[];

beforeAll(async () => {
  gateway = openSeededGateway();
  client = seededClient();
  sql = openSeededSql();
  const rows = await sql`select number, timestamp from ${sql(ponderSchema)}.block`;
  times = new Map(rows.map(({ number, timestamp }) => [Number(number), Number(timestamp)]));
  const sources = [...(chain.v3?.deployments ?? []), ...(chain.v2 ? [chain.v2] : [])];
  pools = await announcedPools(
    client,
    sources.map(({ factory }) => factory.address),
  );
  const random = seedRandom(SEED);
  const drawn = Array.from({ length: BLOCKS }, () => random.between(FIRST_BLOCK, head));
  blocks = [...new Set([...drawn, finalized, finalized + 1, head])].sort((a, b) => a - b);
  console.log(`PRICE_SEED=${SEED}: blocks ${blocks.join(" ")}`);
});
afterAll(async () => {
  await gateway.close();
  await sql.end({ timeout: 2 });
});

const cached = new Map<number, Promise<ReferenceMean[]>>();
function meansAt(block: number): Promise<ReferenceMean[]> {
  const means = cached.get(block) ?? meansOf(client, pools, { block, timeOf: (at) => times.get(at) ?? 0 });
  cached.set(block, means);
  return means;
}

async function servedAt(block: number, tokens: readonly Address[]): Promise<PricesOf> {
  const scope = new RequestScope(gateway.service);
  try {
    const choice = blockNumbered(block);
    return await scope.run(pricesOf, { tokens, block: choice });
  } finally {
    await scope.close();
  }
}

/** Tokens whose ledger has broken by the end of `block`. */
async function brokenBy(block: number): Promise<Set<string>> {
  const s = sql(foldSchema);
  const rows = await sql`
    select '0x' || encode(a.key, 'hex') as token from ${s}.quarantine q join ${s}.asset a on a.id = q.asset
     where q.block <= ${block}`;
  return new Set(rows.map(({ token }) => String(token)));
}

const isFar = (served: number, expected: number, by: number): boolean => !(Math.abs(served / expected - 1) < by);
const usdOf = (usd: bigint | undefined): number => Number(usd ?? 0n) / 1e36;

interface SeenToken {
  token: Address;
  first: number;
  symbol: string | undefined;
  name: string | undefined;
  decimals: number | undefined;
}

/** Every token with what its contract says of itself. Some use up all gas, so texts are asked for one by one. */
async function tokensSeen(): Promise<SeenToken[]> {
  const rows = await sql`select token, min(block) as first from ${sql(ponderSchema)}.erc20_transfer group by token`;
  const text = (address: Address, functionName: "symbol" | "name") =>
    client.readContract({ address, abi, functionName }).catch(() => undefined);
  return Promise.all(
    rows.map(async (row): Promise<SeenToken> => {
      const token = row.token as Address;
      const decimals = await client
        .readContract({ address: token, abi, functionName: "decimals" })
        .catch(() => undefined);
      return {
        token,
        first: Number(row.first),
        symbol: await text(token, "symbol"),
        name: await text(token, "name"),
        decimals,
      };
    }),
  );
}

/** Metadata that is cleaned or cut has its own test. */
const isPlain = (text: string | undefined): boolean => text !== undefined && /^[ -~]{1,64}$/.test(text);

/** The record that the contract's own words make, as far as they decide it. */
function expectedOf(token: SeenToken, at: { block: number; supply: unknown; isSound: boolean }): object {
  if (token.first > at.block)
    return { known: false, symbol: "", name: "", decimals: 0, price: 0, priceStrategy: "none", totalSupply: 0 };
  const { symbol, name, decimals = 255 } = token;
  const unit = decimals > 77 ? undefined : decimals;
  return {
    known: true,
    lastIndexed: new Date((times.get(head) ?? 0) * 1_000).toISOString(),
    ...(isPlain(symbol) ? { symbol } : {}),
    ...(isPlain(name) ? { name } : {}),
    decimals: unit ?? 0,
    ...(unit !== undefined && at.isSound ? { totalSupply: Number(`${at.supply}e-${unit}`) } : {}),
  };
}

describe("prices of the seeded devnet", () => {
  test(
    "every token is what its contract says, at every block asked",
    async () => {
      const seen = await tokensSeen();
      const { at } = await openSeededDevnet();
      const drifting = new Set([at.tokens.rebasing, at.tokens.silentSkim].map((token) => token.toLowerCase()));
      const broken = await brokenBy(head);
      const isSound = (token: string) => !drifting.has(token) && !broken.has(token);
      let supplies = 0;
      for (const block of blocks) {
        const list = seen.map(({ token }) => token);
        const { status, text } = await gateway.get(`/tokens?blockNumber=${block}&addresses=${list.join(",")}`);
        expect(status, text.slice(0, 400)).toBe(200);
        const answers = await readAll(
          client,
          list.map((address) => ({ address, abi, functionName: "totalSupply", args: [] })),
          block,
        );
        const expected = seen.map((token, i) =>
          expectedOf(token, { block, supply: answers[i]?.[0], isSound: isSound(token.token) }),
        );
        expect(JSON.parse(text)).toMatchObject(expected.map((record, i) => ({ id: list[i], ...record })));
        supplies += expected.filter((record) => "totalSupply" in record && "known" in record && record.known).length;
      }
      console.log(`${seen.length} tokens, ${supplies} supplies at ${blocks.length} blocks`);
      expect(supplies).toBeGreaterThan(blocks.length * 20);
    },
    LIMIT_MS,
  );

  test(
    "through pools they are what logs and slots give, along the same pools",
    async () => {
      const tokens = [...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))];
      const units = await readAll(
        client,
        tokens.map((address) => ({ address, abi, functionName: "decimals", args: [] })),
        head,
      );
      const decimals = new Map(tokens.map((token, i) => [token, Number(units[i]?.[0])]));
      const wrong: string[] = [];
      const hops = new Map<number, number>();
      for (const block of blocks) {
        const broken = await brokenBy(block);
        const means = (await meansAt(block)).filter(({ token0, token1 }) => !broken.has(token0) && !broken.has(token1));
        const fixed = new Map(chain.stables.map(({ address, priceUsd }) => [address, Number(priceUsd)]));
        const byHand = pricesByHand({ fixed, means, decimals, minimum: chain.minimumPricingDepthUsd });
        const served = await servedAt(block, tokens);
        const { prices, unpriced } = served;
        const isPooled = (token: Address) =>
          !unpriced.has(token) && !["vault", "curve"].includes(prices.get(token)?.strategy ?? "none");
        for (const token of tokens.filter(isPooled)) {
          const expected = byHand.get(token);
          const length = expected?.path.length ?? -1;
          hops.set(length, (hops.get(length) ?? 0) + 1);
          const problem = differenceOf(prices.get(token), expected);
          if (problem) wrong.push(`${token} at ${block}: ${problem}`);
        }
      }
      console.log(`by number of pools (-1: unpriced): ${JSON.stringify([...hops].sort())}`);
      expect(wrong).toEqual([]);
      for (const length of [-1, 0, 1, 2])
        expect(hops.get(length) ?? 0, `${length} pools`).toBeGreaterThan(blocks.length / 2);
    },
    LIMIT_MS,
  );

  test(
    "shares are worth what their contracts say is behind them at the pool's mean price, curves what they ask",
    async () => {
      const reference = new ReferenceShares({ client, sql, ponderSchema, chain });
      const compared = { pair: 0, island: 0, vault: 0, curve: 0 };
      const wrong: string[] = [];
      let lacking = 0;
      for (const block of blocks) {
        const shares = await reference.at(block, { pools, means: await meansAt(block) });
        const tokens = shares.flatMap(({ token, parts }) => [token, ...parts.map((part) => part.token)]);
        const served = await servedAt(block, tokens);
        for (const share of shares) {
          const problem = problemOf(share, served);
          if (problem) wrong.push(`${share.kind} ${share.token} at ${block}: ${problem}`);
          if (served.prices.has(share.token)) compared[share.kind] += 1;
          else lacking += 1;
        }
      }
      console.log(`compared ${JSON.stringify(compared)}; ${lacking} without a price`);
      expect(wrong).toEqual([]);
      for (const [kind, count] of Object.entries(compared)) expect(count, kind).toBeGreaterThan(blocks.length / 4);
    },
    LIMIT_MS,
  );
});

function differenceOf(price: TokenPrice | undefined, expected: ReferencePrice | undefined): string | undefined {
  const isSame = price?.path.join() === expected?.path.join();
  const isNear = expected ? !isFar(usdOf(price?.usd), expected.usd, 1e-9) : price === undefined;
  return isSame && isNear
    ? undefined
    : `${usdOf(price?.usd)} by ${price?.path}, not ${expected?.usd} by ${expected?.path}`;
}

/** What is wrong with the served price of a share, given the served prices of what is behind it. */
function problemOf({ kind, token, supply, parts }: ReferenceShare, { prices, unpriced }: PricesOf): string | undefined {
  const price = prices.get(token);
  const missing = parts.filter((part) => part.amount > 0 && !prices.has(part.token));
  if (missing.length > 0 || supply === 0) {
    const isNamed = kind === "curve" || supply === 0 || (unpriced.get(token) ?? []).length > 0;
    return price || !isNamed ? `${usdOf(price?.usd)} although ${missing.length} tokens have no price` : undefined;
  }
  const worth = parts.reduce((sum, part) => sum + usdOf(prices.get(part.token)?.usd) * part.amount, 0);
  if (price?.strategy !== (kind === "curve" ? "curve" : "vault")) return `is priced by ${price?.strategy}`;
  return isFar(usdOf(price.usd), worth / supply, 1e-6) ? `${usdOf(price.usd)}, not ${worth / supply}` : undefined;
}
