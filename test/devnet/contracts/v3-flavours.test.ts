// The kodiak flavour is Uniswap v3 but for its protocol fee: the same acts on both give the same state, wei for wei.
import { type Address, parseEventLogs, type TransactionReceipt } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  kodiakV3FactoryAbi,
  kodiakV3PoolAbi,
  nonfungiblePositionManagerAbi,
  poolCallerAbi,
  quoterV2Abi,
  swapRouter02Abi,
  uniswapV2FactoryAbi,
  uniswapV2Router02Abi,
} from "../../../devnet/artifacts/abis.ts";
import { MAX_UINT128, PRICE_ONE, startTestChain, type TestChain, topicsOf } from "./test-chain.ts";

let t: TestChain;
let tokens: [Address, Address];
const pools: Record<"uniswap" | "kodiak", Address> = { uniswap: "0x", kodiak: "0x" };
const flavours = ["uniswap", "kodiak"] as const;

beforeAll(async () => {
  t = await startTestChain();
  const { honey, kdk } = t.at.tokens;
  tokens = honey < kdk ? [honey, kdk] : [kdk, honey];
  for (const flavour of flavours) pools[flavour] = await t.openPool(flavour, tokens, 10n ** 22n);
});
afterAll(() => t?.stop());

const read = <T>(pool: Address, call: string, args: readonly unknown[] = []): Promise<T> =>
  t.read<T>({ to: pool, abi: kodiakV3PoolAbi, call, args });

test("a kodiak pool starts at 3500/3500 without an event", async () => {
  const [, , , , , feeProtocol] = await read<readonly unknown[]>(pools.kodiak, "slot0");
  expect(feeProtocol).toBe(229379500);
  const logs = await t.chain.client.getLogs({ address: pools.kodiak, fromBlock: 0n });
  expect(parseEventLogs({ abi: kodiakV3PoolAbi, logs }).map((log) => log.eventName)).toEqual(["Initialize", "Mint"]);
});

test("ProtocolFeesEarned comes just before Swap and is 35 % of the fee, rounded down", async () => {
  const amount = 10n ** 18n + 7n;
  const receipt = await t.swap(pools.kodiak, true, amount);
  const own = parseEventLogs({ abi: kodiakV3PoolAbi, logs: receipt.logs });
  expect(own.slice(-2).map((log) => log.eventName)).toEqual(["ProtocolFeesEarned", "Swap"]);
  const [earned] = own.filter((log) => log.eventName === "ProtocolFeesEarned");
  // The swap ends inside one range, so the fee is what the input leaves over: ceil(amount × 3000 / 10^6).
  const fee = (amount * 3000n + 999_999n) / 1_000_000n;
  expect(earned?.args).toEqual({ amount0: (fee * 3500n) / 10000n, amount1: 0n });
  expect(await read(pools.kodiak, "protocolFees")).toEqual([(fee * 3500n) / 10000n, 0n]);
  await t.swap(pools.uniswap, true, amount);
});

test("only 0 or 1000 to 4000 per side can be set, by the factory's owner", async () => {
  const set = (args: readonly unknown[], options: { from?: Address; reverts?: boolean } = {}) =>
    t.act({ to: pools.kodiak, abi: kodiakV3PoolAbi, call: "setFeeProtocol", args, ...options });
  await set([999, 0], { reverts: true });
  await set([1000, 4001], { reverts: true });
  await set([1000, 1000], { from: t.account(3), reverts: true });
  const receipt = await set([0, 4000]);
  const [log] = parseEventLogs({ abi: kodiakV3PoolAbi, eventName: "SetFeeProtocol", logs: receipt.logs });
  expect(Object.values(log?.args ?? {})).toEqual([3500, 3500, 0, 4000]);
  expect((await read<readonly unknown[]>(pools.kodiak, "slot0"))[5]).toBe(4000 * 65536);
});

test("collectProtocol leaves one wei, as Uniswap does", async () => {
  const [owed] = await read<[bigint, bigint]>(pools.kodiak, "protocolFees");
  const args = [t.account(8), MAX_UINT128, MAX_UINT128];
  await t.act({ to: pools.kodiak, abi: kodiakV3PoolAbi, call: "collectProtocol", args });
  expect(await t.balance(tokens[0], t.account(8))).toBe(owed - 1n);
  expect(await read(pools.kodiak, "protocolFees")).toEqual([1n, 0n]);
});

test("without a protocol fee both flavours move alike through mints, crossings, flashes, burns and collects", async () => {
  // Pools of the same tokens in another tier, both without a protocol fee from the start.
  const pair = {} as Record<"uniswap" | "kodiak", Address>;
  const { factory } = t.at.v3.kodiak;
  await t.act({ to: factory, abi: kodiakV3FactoryAbi, call: "setDefaultFeeProtocol", args: [0] });
  for (const flavour of flavours) {
    const target = t.at.v3[flavour].factory;
    await t.act({ to: target, abi: kodiakV3FactoryAbi, call: "createPool", args: [...tokens, 500] });
    pair[flavour] = await t.read<Address>({
      to: target,
      abi: kodiakV3FactoryAbi,
      call: "getPool",
      args: [...tokens, 500],
    });
  }
  const owner = t.account(1);
  const acts: readonly (readonly [string, readonly unknown[]])[] = [
    ["mintDirect", [owner, -887270, 887270, 10n ** 20n]],
    ["mintDirect", [owner, -500, 300, 7n * 10n ** 21n]],
    ["swapDirect", [owner, true, 3n * 10n ** 20n, 4295128740n]],
    ["mintDirect", [owner, -20000, -600, 3n * 10n ** 20n]],
    ["swapDirect", [owner, false, -(10n ** 20n), 2n ** 100n]],
    ["borrow", [10n ** 18n, 10n ** 17n, 12345n]],
    ["swapDirect", [owner, false, 9n * 10n ** 20n, 2n ** 100n]],
    ["swapDirect", [owner, true, -(10n ** 15n), 4295128740n]],
  ];
  const seen = { uniswap: [] as unknown[], kodiak: [] as unknown[] };
  for (const flavour of flavours) {
    const pool = pair[flavour];
    const direct = async (call: string, args: readonly unknown[]): Promise<TransactionReceipt> =>
      t.act({ to: t.at.poolCaller, abi: poolCallerAbi, call, args: [pool, ...args], from: owner });
    await t.act({ to: pool, abi: kodiakV3PoolAbi, call: "initialize", args: [PRICE_ONE] });
    for (const [call, args] of acts) {
      const receipt = await direct(call, args);
      seen[flavour].push(parseEventLogs({ abi: kodiakV3PoolAbi, logs: receipt.logs }).map((log) => log.args));
      seen[flavour].push(await read(pool, "slot0"), await read(pool, "liquidity"));
    }
    for (const [call, args] of [
      ["burn", [-500, 300, 10n ** 21n]],
      ["collect", [owner, -500, 300, MAX_UINT128, MAX_UINT128]],
      ["burn", [-20000, -600, 3n * 10n ** 20n]],
    ] as const) {
      const receipt = await t.act({ to: pool, abi: kodiakV3PoolAbi, call, args, from: owner });
      seen[flavour].push(parseEventLogs({ abi: kodiakV3PoolAbi, logs: receipt.logs }).map((log) => log.args));
    }
    for (const call of ["feeGrowthGlobal0X128", "feeGrowthGlobal1X128", "liquidity"]) {
      seen[flavour].push(await read(pool, call));
    }
    for (const tick of [-887270, -20000, -600, -500, 300]) {
      const [gross, net, outside0, outside1] = await read<readonly unknown[]>(pool, "ticks", [tick]);
      seen[flavour].push([gross, net, outside0, outside1]);
    }
  }
  const withoutPools = (value: unknown): string =>
    JSON.stringify(value, (_, v) => (typeof v === "bigint" ? String(v) : v)).replaceAll(/0x[0-9a-fA-F]{40}/g, "0x");
  expect(seen.uniswap.length).toBeGreaterThan(30);
  expect(withoutPools(seen.kodiak)).toBe(withoutPools(seen.uniswap));
});

test.each(flavours)("position manager, router and quoter find the pools of the %s factory", async (flavour) => {
  const { positionManager, swapRouter02, quoterV2 } = t.at.v3[flavour];
  const owner = t.account(4);
  for (const token of tokens) {
    await t.fund(token, owner, positionManager);
    await t.fund(token, owner, swapRouter02);
  }
  const mint = [...tokens, 3000, -60000, 60000, 10n ** 20n, 10n ** 20n, 0n, 0n, owner, 10n ** 12n];
  const params = Object.fromEntries(
    "token0 token1 fee tickLower tickUpper amount0Desired amount1Desired amount0Min amount1Min recipient deadline"
      .split(" ")
      .map((key, i) => [key, mint[i]]),
  );
  const abi = nonfungiblePositionManagerAbi;
  const minted = await t.act({ to: positionManager, abi, call: "mint", args: [params], from: owner });
  const [direct] = parseEventLogs({ abi: kodiakV3PoolAbi, eventName: "Mint", logs: minted.logs });
  expect(direct?.address).toBe(pools[flavour].toLowerCase());
  expect(direct?.args.owner.toLowerCase()).toBe(positionManager);

  const common = { tokenIn: tokens[0], tokenOut: tokens[1], fee: 3000, amountIn: 10n ** 19n, sqrtPriceLimitX96: 0n };
  const quote = await t.chain.client.simulateContract({
    address: quoterV2,
    abi: quoterV2Abi,
    functionName: "quoteExactInputSingle",
    args: [common],
  });
  const before = await t.balance(tokens[1], owner);
  const args = [{ ...common, recipient: owner, amountOutMinimum: quote.result[0] }];
  await t.act({ to: swapRouter02, abi: swapRouter02Abi, call: "exactInputSingle", args, from: owner });
  expect((await t.balance(tokens[1], owner)) - before).toBe(quote.result[0]);
});

test("npm's v2 router finds the pairs of npm's v2 factory", async () => {
  const { factory, router } = t.at.v2;
  const owner = t.account(5);
  for (const token of tokens) await t.fund(token, owner, router);
  const args = [...tokens, 10n ** 20n, 10n ** 20n, 0n, 0n, owner, 10n ** 12n];
  const receipt = await t.act({ to: router, abi: uniswapV2Router02Abi, call: "addLiquidity", args, from: owner });
  const pair = await t.read<Address>({ to: factory, abi: uniswapV2FactoryAbi, call: "getPair", args: tokens });
  expect(topicsOf(receipt, pair.toLowerCase() as Address)).toHaveLength(4);
});
