// Hours and days of markets, tokens and islands against the chain itself: logs added up here, and contracts asked at the
// last block of a step.
import {
  type Address,
  createPublicClient,
  erc20Abi,
  formatLog,
  http,
  type Log,
  parseAbi,
  parseEventLogs,
  type RpcLog,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { erc20Abi as transferAbi } from "../../abis/erc20.ts";
import { islandAbi } from "../../abis/island.ts";
import { launchPoolAbi } from "../../abis/launch.ts";
import { v2PairAbi } from "../../abis/v2.ts";
import { v3PoolAbi } from "../../abis/v3.ts";
import { postOne } from "../../devnet/json-rpc.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway, seeded } from "./seeded-index.ts";

const client = createPublicClient({
  transport: http(seeded.rpcUrl, { timeout: 60_000, batch: { batchSize: 200, wait: 2 } }),
});
const islandViews = parseAbi(["function getUnderlyingBalances() view returns (uint256, uint256)"]);
const HOUR = 3_600;
const DAY = 86_400;
const { head } = seeded;

let gateway: TestGateway;
/** By block number. */
let timestamps: number[];
let logs: ReturnType<typeof formatLog>[];

beforeAll(async () => {
  gateway = openSeededGateway();
  const blocks = await Promise.all(
    Array.from({ length: head + 1 }, (_, number) => client.getBlock({ blockNumber: BigInt(number) })),
  );
  timestamps = blocks.map(({ timestamp }) => Number(timestamp));
  const range = [{ fromBlock: "0x0", toBlock: `0x${head.toString(16)}` }];
  logs = (await postOne<RpcLog[]>(seeded.rpcUrl, "eth_getLogs", range)).map((log) => formatLog(log));
});
afterAll(() => gateway.close());

const timeOf = ({ blockNumber }: { blockNumber: bigint | null }): number => timestamps[Number(blockNumber)] ?? 0;
const of = (address: string) => logs.filter((log) => log.address === address);

interface Step {
  start: number;
  end: number;
  block: number | null;
}

/** The logs of a step. */
const within = <Log extends { blockNumber: bigint | null }>(list: readonly Log[], { start, end }: Step): Log[] =>
  list.filter((log) => timeOf(log) >= start && timeOf(log) < end);

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

/** Steps follow one another without a gap, and each names the last block before its end. */
function expectSteps(steps: readonly Step[], { width, from, to }: { width: number; from: number; to: number }): void {
  const first = Math.floor(from / width) * width;
  const last = Math.floor(to / width) * width;
  expect(steps.map(({ start }) => start)).toEqual(
    Array.from({ length: (last - first) / width + 1 }, (_, i) => first + i * width),
  );
  for (const { start, end, block } of steps) {
    const before = timestamps.filter((timestamp) => timestamp < end).length - 1;
    expect([end - start, block]).toEqual([width, before < 0 ? null : before]);
  }
}

interface Market {
  address: Address;
  protocol: "v2" | "v3" | "curve";
  token0: Address;
  token1: Address;
  fee: number | null;
  token0Detail: { decimals: number };
  token1Detail: { decimals: number };
}

interface MarketStep extends Step {
  trades: number;
  volume0: string;
  volume1: string;
  fees0: string | null;
  fees1: string | null;
  close: number | null;
  price0USD: string | null;
  price1USD: string | null;
  tvlUSD: string | null;
  volumeUSD: string | null;
}

/** What moved of both tokens in each trade of a market, from its logs: what came in, and what moved altogether. */
function tradesOf({ address, protocol }: Market) {
  if (protocol === "v3")
    return parseEventLogs({ abi: v3PoolAbi, eventName: "Swap", logs: of(address) }).map(({ args, blockNumber }) => ({
      blockNumber,
      came: [positive(args.amount0), positive(args.amount1)],
      moved: [size(args.amount0), size(args.amount1)],
    }));
  if (protocol === "v2")
    return parseEventLogs({ abi: v2PairAbi, eventName: "Swap", logs: of(address) }).map(({ args, blockNumber }) => ({
      blockNumber,
      came: [args.amount0In, args.amount1In],
      moved: [args.amount0In + args.amount0Out, args.amount1In + args.amount1Out],
    }));
  return parseEventLogs({ abi: launchPoolAbi, eventName: "Swap", logs: of(address) }).map(({ args, blockNumber }) => ({
    blockNumber,
    came: [args.amount0In, args.amount1In],
    moved: [args.amount0In + args.amount0Out, args.amount1In + args.amount1Out],
  }));
}

const marketFields = "address protocol token0 token1 fee token0Detail { decimals } token1Detail { decimals }";

async function busiestMarkets(): Promise<Market[]> {
  const { facts } = await gateway.data<{ facts: { markets: { nodes: Market[] } } }>(
    `{ facts { markets(first: 200) { nodes { ${marketFields} } } } }`,
  );
  return (["v2", "v3", "curve"] as const).flatMap((protocol) =>
    facts.markets.nodes
      .filter((market) => market.protocol === protocol)
      .map((market) => ({ market, trades: tradesOf(market).length }))
      .sort((a, b) => b.trades - a.trades)
      .slice(0, 2)
      .map(({ market }) => market),
  );
}

/** Digits before and behind the point as one number of 10^-36 USD. */
const usd = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(36, "0"));
};

describe("markets", () => {
  test("days and hours are their logs added up", async () => {
    const markets = await busiestMarkets();
    expect(markets.map(({ protocol }) => protocol)).toEqual(["v2", "v2", "v3", "v3", "curve", "curve"]);
    const to = timestamps[head] ?? 0;
    for (const [interval, width, from] of [
      ["day", DAY, timestamps[0] ?? 0],
      ["hour", HOUR, to - 300 * HOUR],
    ] as const) {
      const { facts } = await gateway.data<{
        facts: { markets: { nodes: { address: string; series: MarketStep[] }[] } };
      }>(
        `{ facts { markets(where: {address: ${JSON.stringify(markets.map(({ address }) => address))}}) { nodes { address
           series(interval: ${interval}, from: ${from}, to: ${to}) { start end block trades volume0 volume1 fees0 fees1 } } } } }`,
      );
      expect(facts.markets.nodes).toHaveLength(markets.length);
      let seen = 0;
      for (const { address, series } of facts.markets.nodes) {
        const market = markets.find((one) => one.address === address)!;
        expectSteps(series, { width, from, to });
        const trades = tradesOf(market);
        for (const step of series) {
          const inStep = within(trades, step);
          const side = (key: "came" | "moved", i: number) => sum(inStep.map((trade) => trade[key][i] ?? 0n));
          const fee = (i: number) =>
            market.fee === null ? null : String((side("came", i) * BigInt(market.fee)) / 1_000_000n);
          expect(step).toEqual({
            ...{ start: step.start, end: step.end, block: step.block },
            trades: inStep.length,
            ...{ volume0: String(side("moved", 0)), volume1: String(side("moved", 1)) },
            ...{ fees0: fee(0), fees1: fee(1) },
          });
          seen += inStep.length;
        }
      }
      expect(seen).toBeGreaterThan(20);
    }
  });

  test("closes of pairs are the reserves that their last swap left, whatever was put in or taken out after it", async () => {
    const [from, to] = [timestamps[1] ?? 0, timestamps[head] ?? 0];
    const { facts } = await gateway.data<{ facts: { markets: { nodes: (Market & { series: MarketStep[] })[] } } }>(
      `{ facts { markets(where: {protocol: [v2]}) { nodes { ${marketFields}
         series(interval: day, from: ${from}, to: ${to}) { start end trades close } } } } }`,
    );
    const steps = facts.markets.nodes.flatMap(({ series, ...market }) => {
      const said = parseEventLogs({ abi: v2PairAbi, logs: of(market.address) });
      return series.map((step) => ({ market, step, said: within(said, step) }));
    });
    let movedLater = 0;
    for (const { market, step, said } of steps) {
      const untilLastSwap = said.slice(0, said.findLastIndex(({ eventName }) => eventName === "Swap") + 1);
      if (untilLastSwap.length === 0) {
        expect(step.close).toBeNull();
        continue;
      }
      const [unit0, unit1] = unitsOf(market);
      expect(step.close! / (priceOfSync(untilLastSwap) * (Number(unit0) / Number(unit1)))).toBeCloseTo(1, 12);
      if (priceOfSync(said) !== priceOfSync(untilLastSwap)) movedLater++;
    }
    expect(movedLater).toBeGreaterThan(3);
  });

  test("closes of pools and curves, prices and values are those of the contracts at the step's last block", async () => {
    const markets = (await busiestMarkets()).filter((_, place) => place % 2 === 0);
    const to = timestamps[head] ?? 0;
    const { facts } = await gateway.data<{
      facts: { markets: { nodes: { address: string; series: MarketStep[] }[] } };
    }>(
      `{ facts { markets(where: {address: ${JSON.stringify(markets.map(({ address }) => address))}}) { nodes { address
         series(interval: day, from: ${to - 7 * DAY}) {
           start end block trades volume0 volume1 close price0USD price1USD tvlUSD volumeUSD } } } } }`,
    );
    const steps = facts.markets.nodes.flatMap(({ address, series }) =>
      series.map((step) => ({ market: markets.find((one) => one.address === address)!, step })),
    );
    for (const { market, step } of steps) {
      await expectClose(market, step);
      await expectWorth(market, step);
    }
    expect(steps.filter(({ step }) => step.tvlUSD !== null).length).toBeGreaterThan(8);
    expect(steps.filter(({ step }) => step.close !== null).length).toBeGreaterThan(3);
  });

  test("refuse too many steps, or an end before the beginning", async () => {
    const document = (fields: string, from: number) =>
      gateway.graphql(
        `{ facts { markets(first: 1) { nodes { series(interval: hour, from: ${from}) { ${fields} } } } } }`,
      );
    const to = timestamps[head] ?? 0;
    for (const [fields, from] of [
      ["trades", to - 1_001 * HOUR],
      ["tvlUSD", to - 101 * HOUR],
      ["trades", to + 2 * HOUR],
    ] as const) {
      const { errors } = await document(fields, from);
      expect(errors?.[0]?.extensions).toMatchObject({ code: "INVALID_INPUT", details: { parameter: "from" } });
    }
  });
});

/** Raw token1 per raw token0 by the last `Sync` among logs of a pair. */
function priceOfSync(said: readonly Log[]): number {
  const [last] = parseEventLogs({ abi: v2PairAbi, eventName: "Sync", logs: [...said] }).slice(-1);
  return Number(last?.args.reserve1) / Number(last?.args.reserve0);
}

const unitsOf = ({ token0Detail, token1Detail }: Market) =>
  [token0Detail, token1Detail].map(({ decimals }) => 10n ** BigInt(decimals)) as [bigint, bigint];

async function expectClose(market: Market, { block, close, trades }: MarketStep): Promise<void> {
  if (close === null) return expect(trades).toBe(0);
  // what is put into a pair, taken out or given to it moves its reserves, too
  if (market.protocol === "v2") return;
  const [unit0, unit1] = unitsOf(market);
  const raw = await rawPriceOf(market, BigInt(block ?? 0));
  expect(close / ((raw * Number(unit0)) / Number(unit1))).toBeCloseTo(1, 10);
}

async function expectWorth(market: Market, step: MarketStep): Promise<void> {
  const [unit0, unit1] = unitsOf(market);
  const at = { abi: erc20Abi, functionName: "balanceOf", blockNumber: BigInt(step.block ?? 0) } as const;
  const held = (token: Address) => client.readContract({ ...at, address: token, args: [market.address] });
  const worth = (price: string | null, amount: bigint, unit: bigint) =>
    price === null ? undefined : (usd(price) * amount) / unit;
  const value0 = worth(step.price0USD, await held(market.token0), unit0);
  const value1 = worth(step.price1USD, await held(market.token1), unit1);
  // what a curve has not sold is nobody's
  const counted = market.protocol === "curve" ? [value1] : [value0, value1];
  const present = counted.filter((value) => value !== undefined);
  const total = present.length === counted.length ? sum(present) : null;
  expect(step.tvlUSD === null ? null : usd(step.tvlUSD)).toBe(total);
  const sides = [
    worth(step.price0USD, BigInt(step.volume0), unit0),
    worth(step.price1USD, BigInt(step.volume1), unit1),
  ].filter((value) => value !== undefined);
  const traded = sides.length === 0 ? null : sum(sides) / BigInt(sides.length);
  const volume = step.trades === 0 ? 0n : traded;
  expect(step.volumeUSD === null ? null : usd(step.volumeUSD)).toBe(volume);
}

/** Raw token1 per raw token0, asked of the contract. */
async function rawPriceOf({ address, protocol }: Market, blockNumber: bigint): Promise<number> {
  const read = <Abi extends ReturnType<typeof parseAbi>>(abi: Abi, functionName: string) =>
    client.readContract({ address, abi, functionName, blockNumber } as never) as Promise<unknown>;
  if (protocol === "v3") {
    const abi = parseAbi(["function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32, bool)"]);
    const [root] = (await read(abi, "slot0")) as [bigint];
    return (Number(root) / 2 ** 96) ** 2;
  }
  if (protocol === "curve") {
    const root = (await read(parseAbi(["function sqrtP() view returns (uint256)"]), "sqrtP")) as bigint;
    return (Number(root) / 1e18) ** 2;
  }
  const abi = parseAbi(["function getReserves() view returns (uint112, uint112, uint32)"]);
  const [reserve0, reserve1] = (await read(abi, "getReserves")) as [bigint, bigint];
  return Number(reserve1) / Number(reserve0);
}

describe("tokens and islands", () => {
  test("a token's transfers and trades are their logs, its holders those that balances lists", async () => {
    const [market] = (await busiestMarkets()).filter(({ protocol }) => protocol === "v3");
    const token = market!.token0;
    const to = timestamps[head] ?? 0;
    const from = to - 3 * DAY;
    const { tokenSeries } = await gateway.data<{
      tokenSeries: (Step & {
        transfers: number;
        transferred: string;
        trades: number;
        volume: string;
        holders: number;
        wallets: number;
      })[];
    }>(`{ tokenSeries(token: "${token}", interval: day, from: ${from}) {
          start end block transfers transferred trades volume holders wallets } }`);
    expectSteps(tokenSeries, { width: DAY, from, to });
    const { facts } = await gateway.data<{ facts: { markets: { nodes: Market[] } } }>(
      `{ facts { markets(where: {token: ["${token}"]}) { nodes { ${marketFields} } } } }`,
    );
    const moves = parseEventLogs({ abi: transferAbi, eventName: "Transfer", logs: of(token) }).filter(
      ({ topics }) => (topics as unknown[]).length === 3,
    );
    const trades = facts.markets.nodes.flatMap((one) =>
      tradesOf(one).map(({ blockNumber, moved }) => ({
        blockNumber,
        moved: moved[one.token0 === token ? 0 : 1] ?? 0n,
      })),
    );
    for (const step of tokenSeries) {
      const [ownMoves, ownTrades] = [within(moves, step), within(trades, step)];
      expect(step).toMatchObject({
        transfers: ownMoves.length,
        transferred: String(sum(ownMoves.map(({ args }) => (args as { amount: bigint }).amount))),
        trades: ownTrades.length,
        volume: String(sum(ownTrades.map(({ moved }) => moved))),
      });
      const { balances, holdersCount } = await gateway.data<{
        balances: { totalCount: number };
        holdersCount: { wallets: number };
      }>(
        `{ balances(token: "${token}", block: {number: ${step.block}}, first: 1) { totalCount }
           holdersCount(token: "${token}", block: {number: ${step.block}}) { wallets } }`,
      );
      expect([step.holders, step.wallets]).toEqual([balances.totalCount, holdersCount.wallets]);
    }
    expect(sum(tokenSeries.map(({ volume }) => BigInt(volume)))).toBeGreaterThan(0n);
  });

  test("an island's flows are its logs, its worth what its contract has at the tokens' prices", async () => {
    const earned = parseEventLogs({ abi: islandAbi, eventName: ["FeesEarned", "Minted", "Burned"], logs });
    const { facts } = await gateway.data<{ facts: { islands: { nodes: { island: Address }[] } } }>(
      "{ facts { islands(first: 100) { nodes { island } } } }",
    );
    const [island] = facts.islands.nodes
      .map(({ island: address }) => ({ address, n: earned.filter((log) => log.address === address).length }))
      .sort((a, b) => b.n - a.n);
    const own = earned.filter((log) => log.address === island!.address);
    const to = timestamps[head] ?? 0;
    const from = to - 40 * DAY;
    const flows = "mints burns minted0 minted1 burned0 burned1 fees0 fees1";
    const { islandSeries } = await gateway.data<{ islandSeries: (Step & Record<string, unknown>)[] }>(
      `{ islandSeries(island: "${island!.address}", interval: day, from: ${from}) { start end block ${flows} } }`,
    );
    expectSteps(islandSeries, { width: DAY, from, to });
    for (const step of islandSeries) {
      const inStep = within(own, step);
      const minted = inStep.flatMap((log) => (log.eventName === "Minted" ? [log.args] : []));
      const burned = inStep.flatMap((log) => (log.eventName === "Burned" ? [log.args] : []));
      const fees = inStep.flatMap((log) => (log.eventName === "FeesEarned" ? [log.args] : []));
      expect(step).toMatchObject({
        ...{ mints: minted.length, burns: burned.length },
        minted0: String(sum(minted.map(({ amount0In }) => amount0In))),
        minted1: String(sum(minted.map(({ amount1In }) => amount1In))),
        burned0: String(sum(burned.map(({ amount0Out }) => amount0Out))),
        burned1: String(sum(burned.map(({ amount1Out }) => amount1Out))),
        fees0: String(sum(fees.map(({ feesEarned0 }) => feesEarned0))),
        fees1: String(sum(fees.map(({ feesEarned1 }) => feesEarned1))),
      });
    }
    const { late } = await gateway.data<{ late: (Step & { priceUSD: string | null; tvlUSD: string | null })[] }>(
      `{ late: islandSeries(island: "${island!.address}", interval: day, from: ${to - 2 * DAY}) { start end block priceUSD tvlUSD } }`,
    );
    for (const { block, priceUSD, tvlUSD } of late) {
      const at = { address: island!.address, blockNumber: BigInt(block ?? 0) };
      const amounts = await client.readContract({ ...at, abi: islandViews, functionName: "getUnderlyingBalances" });
      const { vault } = await gateway.data<{ vault: Record<string, { decimals: number; priceUSD: string }> }>(
        `{ vault(id: "${at.address}", block: { number: ${block} }) { token0 { decimals priceUSD } token1 { decimals priceUSD } } }`,
      );
      const worth = Object.values(vault).map(
        (t, i) => (usd(t.priceUSD) * (amounts[i] ?? 0n)) / 10n ** BigInt(t.decimals),
      );
      expect([priceUSD === null, usd(tvlUSD ?? "")]).toEqual([false, sum(worth)]);
    }
  });
});
