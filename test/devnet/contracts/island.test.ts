// Islands over real pools of both flavours: shares, underlying balances, net fees, and what happens without an event.
import { type Address, parseEventLogs, toEventHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { islandAbi, islandFactoryAbi, uniswapV3PoolAbi } from "../../../devnet/artifacts/abis.ts";
import { startTestChain, type TestChain, topicsOf, ZERO } from "./test-chain.ts";

const LOWER = -6000;
const UPPER = 6000;
const Q128 = 2n ** 128n;
const SWAP = toEventHash("Swap(address,address,int256,int256,uint160,uint128,int24)");

let t: TestChain;
beforeAll(async () => {
  t = await startTestChain();
});
afterAll(() => t?.stop());

const view = <T>(island: Address, call: string, args: readonly unknown[] = []): Promise<T> =>
  t.read<T>({ to: island, abi: islandAbi, call, args });

describe.each(["uniswap", "kodiak"] as const)("an island over a %s pool", (flavour) => {
  let pool: Address;
  let island: Address;
  let tokens: [Address, Address];
  const act = (call: string, args: readonly unknown[], from = t.account(2)) =>
    t.act({ to: island, abi: islandAbi, call, args, from });

  const deploy = async (manager: Address, fee: number): Promise<Address> => {
    const args = [pool, manager, t.account(9), fee, LOWER, UPPER];
    const receipt = await t.act({ to: t.at.islands.factory, abi: islandFactoryAbi, call: "deployVaultForPool", args });
    const [created] = parseEventLogs({ abi: islandFactoryAbi, eventName: "IslandCreated", logs: receipt.logs });
    if (created === undefined) throw new Error("no IslandCreated");
    expect(topicsOf(receipt, created.args.island.toLowerCase() as Address)).toHaveLength(manager === ZERO ? 1 : 0);
    return created.args.island.toLowerCase() as Address;
  };

  beforeAll(async () => {
    const { honey, kdk } = t.at.tokens;
    tokens = honey < kdk ? [honey, kdk] : [kdk, honey];
    pool = await t.openPool(flavour, tokens, 10n ** 22n);
    island = await deploy(t.account(2), 2500);
    for (const token of tokens) await t.fund(token, t.account(2), island);
  });

  test("is named after its tokens and fee", async () => {
    expect(await view(island, "name")).toMatch(/^Kodiak Island \w+-\w+-0.3%$/);
    expect(await view(island, "symbol")).toMatch(/^KODI \w+-\w+$/);
  });

  test("a first mint leaves 1,000 shares with the zero address", async () => {
    const receipt = await act("mint", [10n ** 20n, t.account(2)]);
    const [dead, own] = parseEventLogs({ abi: islandAbi, eventName: "Transfer", logs: receipt.logs }).filter(
      (log) => log.address === island,
    );
    expect(dead?.args).toEqual({ from: ZERO, to: ZERO, value: 1000n });
    expect(own?.args.value).toBe(10n ** 20n - 1000n);
    const [minted] = parseEventLogs({ abi: islandAbi, eventName: "Minted", logs: receipt.logs });
    expect(minted?.args.mintAmount).toBe(10n ** 20n - 1000n);
    expect(await view(island, "totalSupply")).toBe(10n ** 20n);
    expect(await view(island, "balanceOf", [ZERO])).toBe(1000n);
  });

  test("underlying balances are principal, fees net of the manager's part, and what lies idle", async () => {
    await t.swap(pool, true, 10n ** 20n);
    await t.swap(pool, false, 3n * 10n ** 20n);
    const read = <T>(call: string, args: readonly unknown[] = []): Promise<T> =>
      t.read<T>({ to: pool, abi: uniswapV3PoolAbi, call, args });
    const id = await view<`0x${string}`>(island, "getPositionID");
    const [liquidity, last0, last1] = await read<bigint[]>("positions", [id]);
    const growth = [await read<bigint>("feeGrowthGlobal0X128"), await read<bigint>("feeGrowthGlobal1X128")];
    const fees = [last0, last1].map((last, i) => ((growth[i] as bigint) - (last as bigint)) * (liquidity as bigint));
    const net = fees.map((fee) => fee / Q128 - ((fee / Q128) * 2500n) / 10000n);
    const burnt = await t.chain.client.simulateContract({
      address: pool,
      abi: uniswapV3PoolAbi,
      functionName: "burn",
      args: [LOWER, UPPER, liquidity as bigint],
      account: island,
    });
    const idle = [await t.balance(tokens[0], island), await t.balance(tokens[1], island)];
    const expected = (burnt.result as readonly bigint[]).map(
      (principal, i) => principal + (net[i] as bigint) + (idle[i] as bigint),
    );
    expect(fees[0]).toBeGreaterThan(Q128);
    expect(await view(island, "getUnderlyingBalances")).toEqual(expected);
  });

  test("a burn pays its share and books the manager's fees; FeesEarned is net", async () => {
    const [supply, before] = [await view<bigint>(island, "totalSupply"), await t.balance(tokens[0], t.account(3))];
    const [under0] = await view<[bigint, bigint]>(island, "getUnderlyingBalances");
    const receipt = await act("burn", [supply / 4n, t.account(3)]);
    const [earned] = parseEventLogs({ abi: islandAbi, eventName: "FeesEarned", logs: receipt.logs });
    const gross = ["Collect", "Burn"].map((eventName) => {
      const [log] = parseEventLogs({ abi: uniswapV3PoolAbi, logs: receipt.logs, eventName: eventName as "Collect" });
      return log?.args.amount0 ?? 0n;
    }) as [bigint, bigint];
    const fee = gross[0] - gross[1];
    const managers = (fee * 2500n) / 10000n;
    expect(fee).toBeGreaterThan(0n);
    expect(earned?.args.feesEarned0).toBe(fee - managers);
    expect(await view(island, "managerBalance0")).toBe(managers);
    const paid = (await t.balance(tokens[0], t.account(3))) - before;
    expect(under0 / 4n - paid).toBeLessThanOrEqual(2n);
    expect(paid - under0 / 4n).toBeLessThanOrEqual(2n);
  });

  test("the manager's balance leaves with two transfers and no event of the island", async () => {
    const receipt = await act("withdrawManagerBalance", [], t.account(5));
    expect(topicsOf(receipt, island)).toEqual([]);
    expect(receipt.logs.map((log) => log.address)).toEqual(tokens);
    expect(await view(island, "managerBalance0")).toBe(0n);
  });

  test("compounding keeps the ticks, an executive rebalance moves them", async () => {
    await t.swap(pool, true, 2n * 10n ** 20n);
    await t.swap(pool, false, 2n * 10n ** 20n);
    const plain = await act("rebalance", [], t.account(5));
    const [compounded] = parseEventLogs({ abi: islandAbi, eventName: "Rebalance", logs: plain.logs });
    expect(compounded?.args.lowerTick_).toBe(LOWER);
    expect(compounded?.args.liquidityAfter).toBeGreaterThan(compounded?.args.liquidityBefore ?? 0n);
    const moved = await act("executiveRebalance", [-12000, 60, 4295128740n, 500n, true]);
    const [rebalanced] = parseEventLogs({ abi: islandAbi, eventName: "Rebalance", logs: moved.logs });
    expect([rebalanced?.args.lowerTick_, rebalanced?.args.upperTick_]).toEqual([-12000, 60]);
    expect(await view(island, "lowerTick")).toBe(-12000);
    expect(moved.logs.some((log) => log.topics[0] === SWAP)).toBe(true);
  });

  test("renouncing gives the manager's balance to the holders without a transfer", async () => {
    await t.swap(pool, true, 10n ** 20n);
    await act("burn", [10n ** 18n, t.account(2)]);
    expect(await view(island, "managerBalance0")).toBeGreaterThan(0n);
    const held = await t.balance(tokens[0], island);
    const receipt = await act("renounceOwnership", []);
    expect(receipt.logs).toHaveLength(1);
    expect(await view(island, "managerBalance0")).toBe(0n);
    expect(await t.balance(tokens[0], island)).toBe(held);
    expect([await view(island, "isManaged"), await view(island, "managerFeeBPS")]).toEqual([false, 500]);
  });

  test("a permissionless island follows the factory, a managed one may keep all fees", async () => {
    const free = await deploy(ZERO, 0);
    expect([await view(free, "managerFeeBPS"), await view(free, "isManaged")]).toEqual([500, false]);
    const greedy = await deploy(t.account(2), 10000);
    for (const token of tokens) await t.fund(token, t.account(2), greedy);
    await t.act({ to: greedy, abi: islandAbi, call: "mint", args: [10n ** 20n, t.account(2)], from: t.account(2) });
    const before = await view(greedy, "getUnderlyingBalancesAtPrice", [2n ** 96n]);
    await t.swap(pool, false, 10n ** 20n);
    expect(await view(greedy, "getUnderlyingBalancesAtPrice", [2n ** 96n])).toEqual(before);
  });
});
