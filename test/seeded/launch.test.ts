// The launch catalogue against the contracts at random blocks, around every launch and graduation, and its volumes and
// holders against raw logs. LAUNCH_BLOCKS=200 compares more, LAUNCH_SEED=x others.
import type { Sql } from "postgres";
import { type Abi, type Address, type Hex, type PublicClient, parseEventLogs, toEventHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchFactoryAbi, launchTokenAbi, uniswapV2PairAbi } from "../../devnet/artifacts/abis.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { type Read, readAll } from "../../verify/pool-contracts.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, openSeededSql, seeded, seededChain, seededClient } from "./seeded-index.ts";

const RANDOM_BLOCKS = Number(process.env.LAUNCH_BLOCKS ?? 14);
const SEED = process.env.LAUNCH_SEED ?? "launch";
const ZERO = `0x${"0".repeat(40)}`;
const { head, ponderSchema } = seeded;

interface Launch {
  token: { address: Address; name: string; symbol: string; decimals: number; totalSupply: string };
  pool: Address;
  isOwnPool: boolean;
  baseToken: { address: Address; decimals: number };
  deployer: Address;
  createdBlock: number;
  graduated: boolean;
  graduatedBlock: number | null;
  graduatedAt: number | null;
  dexPair: Address | null;
  price: string;
  curve: Record<"sqrtPa" | "sqrtPb" | "sqrtPrice" | "tokensInPool" | "tokenReserve" | "baseReserve", string>;
  raised: string;
  totalRaise: string;
  volume: string;
  volumeUSD: string | null;
  unpricedVolume: string;
  holdersCount: number;
  swapsCount: number;
}

const FIELDS = `token { address name symbol decimals totalSupply } pool isOwnPool baseToken { address decimals } deployer
  createdBlock graduated graduatedBlock graduatedAt dexPair price raised totalRaise volume volumeUSD unpricedVolume
  holdersCount swapsCount curve { sqrtPa sqrtPb sqrtPrice tokensInPool tokenReserve baseReserve }`;

let gateway: TestGateway;
let client: PublicClient;
let sql: Sql;
let atHead: Launch[];
beforeAll(async () => {
  gateway = openSeededGateway();
  client = seededClient();
  sql = openSeededSql();
  atHead = await launchesAt(head);
});
afterAll(async () => {
  await gateway.close();
  await sql.end({ timeout: 2 });
});

/** Once every trade has been valued: one request does only so much of that. */
async function launchesAt(block: number): Promise<Launch[]> {
  for (let i = 0; i < 20; i++) {
    const { data, errors } = await gateway.graphql(`{ launches(block: {number: ${block}}) { nodes { ${FIELDS} } } }`);
    expect(errors).toBeUndefined();
    const { nodes } = (data as { launches: { nodes: Launch[] } }).launches;
    if (nodes.every(({ volumeUSD, volume }) => volumeUSD !== null || volume === "0")) return nodes;
  }
  throw new Error(`after 20 requests some launches have no volume at block ${block}`);
}

/** Around what changes catalogues, and anywhere else. */
function blocksToCompare(): number[] {
  const random = seedRandom(SEED);
  const events = atHead.flatMap(({ createdBlock, graduatedBlock }) => [
    createdBlock,
    ...(graduatedBlock === null ? [] : [graduatedBlock - 1, graduatedBlock, graduatedBlock + 1]),
  ]);
  const first = Math.min(...events);
  const anywhere = Array.from({ length: RANDOM_BLOCKS }, () => random.between(first, head));
  console.log(
    `launches: seed ${SEED}, blocks ${[...new Set([...events, ...anywhere])].sort((a, b) => a - b).join(" ")}`,
  );
  return [...new Set([...events, ...anywhere, head])];
}

const lower = (value: unknown) => String(value).toLowerCase();

async function read(address: Address, names: readonly string[], block: number): Promise<Record<string, unknown>> {
  const reads = names.map((functionName): Read => ({ address, abi: launchTokenAbi as Abi, functionName, args: [] }));
  const answers = await readAll(client, reads, block);
  return Object.fromEntries(names.map((name, i) => [name, answers[i]?.[0]]));
}

const POOL_VIEWS = [
  ...[
    "pandaToken",
    "baseToken",
    "deployer",
    "sqrtPa",
    "sqrtPb",
    "sqrtP",
    "tokensInPool",
    "pandaReserve",
    "baseReserve",
  ],
  ...["totalRaise", "graduated", "graduationTime", "dexPair", "getCurrentPrice", "graduationFee"],
];

/** Whole base tokens per whole token, rounded down to 36 digits, as text without trailing zeros. */
function priceText(numerator: bigint, denominator: bigint): string {
  const digits = String((numerator * 10n ** 36n) / denominator).padStart(37, "0");
  return `${digits.slice(0, -36)}.${digits.slice(-36)}`.replace(/\.?0+$/, "");
}

async function compare(launch: Launch, block: number): Promise<void> {
  const said = await read(launch.pool, POOL_VIEWS, block);
  const token = await read(launch.token.address, ["name", "symbol", "decimals", "totalSupply"], block);
  const { curve } = launch;
  expect(token).toEqual({
    ...{ name: launch.token.name, symbol: launch.token.symbol, decimals: launch.token.decimals },
    totalSupply: BigInt(launch.token.totalSupply),
  });
  expect([lower(said.pandaToken), lower(said.baseToken), lower(said.deployer)]).toEqual([
    launch.token.address,
    launch.baseToken.address,
    launch.deployer,
  ]);
  expect([launch.graduated, launch.isOwnPool]).toEqual([said.graduated, launch.pool === launch.token.address]);
  expect([said.sqrtPa, said.sqrtPb, said.sqrtP, said.tokensInPool].map(String)).toEqual([
    curve.sqrtPa,
    curve.sqrtPb,
    curve.sqrtPrice,
    curve.tokensInPool,
  ]);
  expect(launch.totalRaise).toBe(String(said.totalRaise));
  expect([launch.token.decimals, launch.baseToken.decimals]).toEqual([18, 18]);
  if (launch.graduated) return compareGraduated(launch, said, block);
  expect([launch.dexPair, launch.graduatedAt]).toEqual([null, null]);
  expect([curve.tokenReserve, curve.baseReserve]).toEqual([String(said.pandaReserve), String(said.baseReserve)]);
  expect(launch.raised).toBe(String(said.baseReserve));
  expect(launch.price).toBe(priceText(said.getCurrentPrice as bigint, 10n ** 36n));
}

async function compareGraduated(launch: Launch, said: Record<string, unknown>, block: number): Promise<void> {
  const pair = launch.dexPair ?? "0x";
  expect([pair, launch.graduatedAt]).toEqual([lower(said.dexPair), Number(said.graduationTime)]);
  const abi = uniswapV2PairAbi as Abi;
  const [token0, reserves] = await readAll(
    client,
    ["token0", "getReserves"].map((functionName) => ({ address: pair, abi, functionName, args: [] })),
    block,
  );
  const [reserve0, reserve1] = (reserves ?? []) as [bigint, bigint];
  const [base, tokens] = lower(token0?.[0]) === launch.baseToken.address ? [reserve0, reserve1] : [reserve1, reserve0];
  expect(launch.price).toBe(priceText(base, tokens));
  // The contract forgets what was raised: what it moved on and its fee are what is left of it.
  const logs = await client.getLogs({ address: launch.pool, blockHash: await hashOf(launch.graduatedBlock ?? 0) });
  const [moved] = parseEventLogs({ abi: launchTokenAbi, eventName: "LiquidityMoved", logs });
  const raised = BigInt(launch.raised);
  expect(moved?.args.amountBase).toBe(raised - (raised * BigInt(String(said.graduationFee))) / 10_000n);
}

const hashOf = async (block: number): Promise<Hex> => (await client.getBlock({ blockNumber: BigInt(block) })).hash;

describe("the launch catalogue", () => {
  test("has every pool of the factory, newest first, of both kinds", async () => {
    const factory = seededChain().launch?.factory.address ?? "0x";
    const abi = launchFactoryAbi as Abi;
    const [count] = await readAll(client, [{ address: factory, abi, functionName: "allPoolsLength", args: [] }], head);
    const pools = Array.from({ length: Number(count?.[0]) }, (_, i) => i);
    const answers = await readAll(
      client,
      pools.map((i) => ({ address: factory, abi, functionName: "allPools", args: [BigInt(i)] })),
      head,
    );
    expect(atHead.map(({ pool }) => pool)).toEqual(answers.map((answer) => lower(answer?.[0])).reverse());
    expect(new Set(atHead.map(({ isOwnPool }) => isOwnPool))).toEqual(new Set([true, false]));
    expect(atHead.filter(({ graduated }) => graduated).length).toBeGreaterThanOrEqual(2);
  });

  test("says what the contracts say, at every block asked", async () => {
    const blocks = blocksToCompare();
    expect(blocks.length).toBeGreaterThanOrEqual(20);
    for (const block of blocks) {
      const launches = await launchesAt(block);
      expect(launches.map(({ pool }) => pool)).toEqual(
        atHead.filter(({ createdBlock }) => createdBlock <= block).map(({ pool }) => pool),
      );
      for (const launch of launches) await compare(launch, block);
    }
  });

  test("has pools whose own first log comes before the factory's, from that block on", async () => {
    const factory = seededChain().launch?.factory.address ?? "0x";
    for (const { pool, createdBlock, token } of atHead) {
      const blockHash = await hashOf(createdBlock);
      const [own, announced] = await Promise.all([
        client.getLogs({ address: pool, blockHash }),
        client.getLogs({ address: factory, blockHash }),
      ]);
      const about = announced.filter(({ topics, data }) => lower([topics, data]).includes(pool.slice(2)));
      expect(Math.min(...own.map(({ logIndex }) => logIndex)), pool).toBeLessThan(about[0]?.logIndex ?? -1);
      expect((await launchesAt(createdBlock)).map((one) => one.token.address)).toContain(token.address);
    }
    console.log(`${atHead.length} pools log before their factory`);
  });

  test("graduates in the block of the last purchase", async () => {
    for (const { pool, graduatedBlock } of atHead.filter(({ graduated }) => graduated)) {
      const logs = await client.getLogs({ address: pool, blockHash: await hashOf(graduatedBlock ?? 0) });
      const names = parseEventLogs({ abi: launchTokenAbi, logs }).map(({ eventName }) => eventName);
      expect(names).toEqual(expect.arrayContaining(["Swap", "LiquidityMoved"]));
      expect(names.lastIndexOf("Swap")).toBeLessThan(names.indexOf("LiquidityMoved"));
    }
  });
});

interface Trade {
  pool: Address;
  block: number;
  base: bigint;
}

async function rawTrades(): Promise<Trade[]> {
  const swap = launchTokenAbi.find((item) => item.type === "event" && item.name === "Swap");
  if (swap?.type !== "event") throw new Error("no Swap");
  const address = atHead.map(({ pool }) => pool);
  const filter = { address, topics: [toEventHash(swap)], fromBlock: "0x0", toBlock: "latest" };
  const logs = (await client.request({ method: "eth_getLogs", params: [filter] } as never)) as never[];
  return parseEventLogs({ abi: launchTokenAbi, eventName: "Swap", logs }).map(
    ({ address: pool, blockNumber, args }) => ({
      pool: lower(pool) as Address,
      block: Number(blockNumber),
      base: args.amount1In + args.amount1Out,
    }),
  );
}

test("volumes are what was traded, at the prices of the time", async () => {
  const trades = await rawTrades();
  const bases = [...new Set(atHead.map(({ baseToken }) => baseToken.address))];
  const prices = new Map<string, string | undefined>();
  const blocks = [...new Set(trades.map(({ block }) => block))];
  for (let i = 0; i < blocks.length; i += 10) {
    const wanted = blocks
      .slice(i, i + 10)
      .map(
        (block) =>
          `b${block}: tokenPrices(addresses: ${JSON.stringify(bases)}, block: {number: ${block}}) { address price { usd } }`,
      );
    const { data } = await gateway.graphql(`{ ${wanted.join(" ")} }`);
    for (const [name, tokens] of Object.entries(
      data as Record<string, { address: string; price: { usd: string } | null }[]>,
    ))
      for (const { address, price } of tokens) prices.set(`${address} ${name.slice(1)}`, price?.usd);
  }
  for (const { pool, baseToken, volume, volumeUSD, unpricedVolume, swapsCount } of atHead) {
    const own = trades.filter((trade) => trade.pool === pool);
    const usdOf = ({ block, base }: Trade) =>
      Number(prices.get(`${baseToken.address} ${block}`) ?? 0) * Number(base) * 1e-18;
    const unpriced = own.filter(({ block }) => prices.get(`${baseToken.address} ${block}`) === undefined);
    expect([swapsCount, volume]).toEqual([own.length, String(own.reduce((sum, { base }) => sum + base, 0n))]);
    expect(unpricedVolume).toBe(String(unpriced.reduce((sum, { base }) => sum + base, 0n)));
    const usd = own.reduce((sum, trade) => sum + usdOf(trade), 0);
    expect(usd).toBeGreaterThan(0);
    expect(Number(volumeUSD) / usd).toBeCloseTo(1, 9);
  }
});

test("holders are all accounts that have some in the wallet, pools aside", async () => {
  for (const block of [seeded.finalized - 200, seeded.finalized, head]) {
    const rows = await sql`
      select token, count(*)::int as holders from (
        select token, account, sum(amount) as amount from (
          select token, "to" as account, amount from ${sql(ponderSchema)}.erc20_transfer where block <= ${block}
          union all
          select token, "from", -amount from ${sql(ponderSchema)}.erc20_transfer where block <= ${block}) moves
         group by token, account) held
       where amount > 0 and account <> ${ZERO} and account not in ${sql(atHead.map(({ pool }) => pool))}
       group by token`;
    const counted = new Map(rows.map(({ token, holders }) => [token, holders]));
    for (const { token, holdersCount } of await launchesAt(block))
      expect(holdersCount, `${token.symbol} at ${block}`).toBe(counted.get(token.address) ?? 0);
  }
});
