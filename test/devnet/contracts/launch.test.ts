// Launches: the curve's maths, its events in order, fees, and graduation into a v2 pair at the curve's price.
import { type Address, encodeAbiParameters, parseEventLogs, type TransactionReceipt } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchFactoryAbi,
  launchPoolAbi,
  launchTokenAbi,
  uniswapV2FactoryAbi,
  uniswapV2PairAbi,
} from "../../../devnet/artifacts/abis.ts";
import { type Act, startTestChain, type TestChain, topicsOf, ZERO } from "./test-chain.ts";

const ONE = 10n ** 18n;
const SUPPLY = 10n ** 27n;
const DEAD: Address = "0x000000000000000000000000000000000000dEaD";
const sqrtPa = 10n ** 14n; // 10^-8 base per token
const sqrtPb = 3n * 10n ** 14n;
const tokensInPool = (SUPPLY * sqrtPb) / (sqrtPa + sqrtPb - (sqrtPa * 500n) / 10000n);
const liquidity = (tokensInPool * sqrtPa * sqrtPb) / (sqrtPb - sqrtPa);

let t: TestChain;
let buyer: Address;
beforeAll(async () => {
  t = await startTestChain();
  buyer = t.account(2);
});
afterAll(() => t?.stop());

const poolOf = ({ logs }: TransactionReceipt): Address => {
  const [deployed] = parseEventLogs({ abi: launchFactoryAbi, eventName: "PandaDeployed", logs });
  return (deployed?.args.pandaPool ?? "0x").toLowerCase() as Address;
};
const params = (baseToken: Address) => ({ baseToken, sqrtPa, sqrtPb, vestingPeriod: 0n });

describe("a token that is its own pool", () => {
  let token: Address;
  let wbera: Address;
  const act = (call: string, args: readonly unknown[], more: Partial<Act> = {}) =>
    t.act({ to: token, abi: launchTokenAbi, call, args, from: buyer, ...more });
  const of = <T>(call: string, args: readonly unknown[] = []): Promise<T> =>
    t.read<T>({ to: token, abi: launchTokenAbi, call, args });

  test("logs its mint, Sync and PoolInitialized before the factory's own log", async () => {
    wbera = t.at.tokens.wbera;
    const { factory, tokenImplementation } = t.at.launch;
    const args = [params(wbera), tokenImplementation, "Panda", "PND"];
    const receipt = await t.act({ to: factory, abi: launchFactoryAbi, call: "deployPandaToken", args, from: buyer });
    token = poolOf(receipt);
    const logs = parseEventLogs({ abi: [...launchTokenAbi, ...launchFactoryAbi], logs: receipt.logs });
    expect(logs.map((log) => log.eventName)).toEqual(["Transfer", "Sync", "PoolInitialized", "PandaDeployed"]);
    expect(logs.map((log) => log.address)).toEqual([token, token, token, factory]);
    const [initialized] = parseEventLogs({ abi: launchTokenAbi, eventName: "PoolInitialized", logs: receipt.logs });
    const data = encodeAbiParameters([{ type: "string" }, { type: "string" }], ["Panda", "PND"]);
    expect(initialized?.args.data).toBe(data);
    expect(initialized?.args.pandaToken.toLowerCase()).toBe(token);
    expect([await of("totalSupply"), await of("balanceOf", [token])]).toEqual([SUPPLY, SUPPLY]);
    expect([await of("tokensInPool"), await of("liquidity")]).toEqual([tokensInPool, liquidity]);
    expect(await of("allowance", [buyer, token])).toBe(2n ** 256n - 1n);
  });

  test("a buy moves the price along the range", async () => {
    const paid = ONE;
    const receipt = await act("buyTokensWithBera", [0n, buyer], { value: paid });
    const sqrtP = sqrtPa + (paid * 10n ** 36n) / liquidity;
    const up = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
    const reserve = up(up(liquidity * (sqrtPb - sqrtP), sqrtP), sqrtPb);
    const [sync] = parseEventLogs({ abi: launchTokenAbi, eventName: "Sync", logs: receipt.logs });
    expect(sync?.args).toEqual({ pandaReserve: reserve, baseReserve: paid, sqrtPrice: sqrtP });
    const [swap] = parseEventLogs({ abi: launchTokenAbi, eventName: "Swap", logs: receipt.logs });
    const { amount0In, amount1In, amount0Out, amount1Out } = swap?.args ?? {};
    expect([amount0In, amount1In, amount0Out, amount1Out]).toEqual([0n, paid, tokensInPool - reserve, 0n]);
    expect(await of("balanceOf", [buyer])).toBe(tokensInPool - reserve);
  });

  test("a sale pays 2 % less, and the treasury gets it; nobody gains by going back and forth", async () => {
    const sold = (await of<bigint>("balanceOf", [buyer])) / 2n;
    const [treasury, reserve] = [await t.balance(wbera, t.account(0)), await of<bigint>("baseReserve")];
    const receipt = await act("sellTokens", [sold, 0n, buyer]);
    const [swap] = parseEventLogs({ abi: launchTokenAbi, eventName: "Swap", logs: receipt.logs });
    const gross = reserve - (await of<bigint>("baseReserve"));
    const fee = (gross * 200n + 9999n) / 10000n;
    expect([swap?.args.amount0In, swap?.args.amount1Out]).toEqual([sold, gross - fee]);
    expect((await t.balance(wbera, t.account(0))) - treasury).toBe(fee);
    expect(await t.balance(wbera, token)).toBe(await of("baseReserve"));
    await act("sellTokens", [await of("balanceOf", [buyer]), 0n, buyer]);
    expect(await of<bigint>("baseReserve")).toBeGreaterThanOrEqual(0n);
    expect(await of<bigint>("pandaReserve")).toBe(tokensInPool);
  });

  test("before graduation nothing can be sent to the pair to be", async () => {
    await act("buyTokensWithBera", [0n, buyer], { value: ONE });
    await act("transfer", [await of("dexPair"), 1n], { reverts: true });
    await act("moveLiquidity", [], { reverts: true });
  });

  test("the buy that sells the range out makes the pair, at the curve's price, in the same transaction", async () => {
    const raise = (tokensInPool * sqrtPa * sqrtPb) / 10n ** 36n;
    const receipt = await act("buyTokensWithBera", [0n, buyer], { value: 2n * raise });
    const pair = (await of<Address>("dexPair")).toLowerCase() as Address;
    const factory = t.at.v2.factory;
    const made = await t.read<Address>({
      to: factory,
      abi: uniswapV2FactoryAbi,
      call: "getPair",
      args: [token, wbera],
    });
    expect(made.toLowerCase()).toBe(pair);
    expect(topicsOf(receipt, factory)).toHaveLength(1);
    const [moved] = parseEventLogs({ abi: launchTokenAbi, eventName: "LiquidityMoved", logs: receipt.logs });
    const [panda, base] = [await t.balance(token, pair), await t.balance(wbera, pair)];
    expect(moved?.args).toEqual({ amountPanda: panda, amountBase: base });
    const sqrtP = await of<bigint>("sqrtP");
    // One wei of base moves this price by far more than the rounding of the tokens that match it.
    expect((base * 10n ** 36n) / (sqrtP * sqrtP) - panda).toBeLessThanOrEqual(10n ** 10n);
    expect(raise - (base * 10000n) / 9500n).toBeLessThanOrEqual(10n);
    const shares = await t.balance(pair, DEAD);
    expect(shares).toBeGreaterThan(0n);
    const supply = await t.read<bigint>({ to: pair, abi: uniswapV2PairAbi, call: "totalSupply" });
    expect([supply - shares, await t.balance(pair, ZERO)]).toEqual([1000n, 1000n]);
    expect([await of("graduated"), await of("balanceOf", [token]), await t.balance(wbera, token)]).toEqual([
      true,
      0n,
      0n,
    ]);
    await act("sellTokens", [ONE, 0n, buyer], { reverts: true });
    await act("transfer", [pair, 1n]);
  });
});

test("a pool over an existing token is another contract than the token", async () => {
  const { factory, poolImplementation } = t.at.launch;
  const { honey, yeet } = t.at.tokens;
  await t.fund(yeet, buyer, factory);
  const args = [params(honey), poolImplementation, yeet, SUPPLY];
  const receipt = await t.act({ to: factory, abi: launchFactoryAbi, call: "deployPandaPool", args, from: buyer });
  const pool = poolOf(receipt);
  const [initialized] = parseEventLogs({ abi: launchPoolAbi, eventName: "PoolInitialized", logs: receipt.logs });
  expect(initialized?.args.pandaToken.toLowerCase()).toBe(yeet);
  const act = (call: string, values: readonly unknown[]) =>
    t.act({ to: pool, abi: launchPoolAbi, call, args: values, from: t.account(3) });
  await t.fund(honey, t.account(3), pool);
  await act("buyTokens", [ONE, 0n, t.account(3)]);
  const bought = await t.balance(yeet, t.account(3));
  expect(bought).toBeGreaterThan(0n);
  await t.fund(yeet, t.account(3), pool);
  await act("sellTokens", [bought / 2n, 0n, t.account(3)]);
  await act("buyTokens", [10n ** 24n, 0n, t.account(3)]);
  expect(await t.read({ to: pool, abi: launchPoolAbi, call: "graduated" })).toBe(true);
  expect([await t.balance(yeet, pool), await t.balance(honey, pool)]).toEqual([0n, 0n]);
});
