// The aggregator over a real router, and tokens that do what their names say.
import { type Address, encodeFunctionData, parseEventLogs, toEventHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  aggregatorAbi,
  bytes32TokenAbi,
  malformedTransfersAbi,
  mintableTokenAbi,
  overflowingTokenAbi,
  phantomSpendTokenAbi,
  quoterV2Abi,
  rebasingTokenAbi,
  swapRouter02Abi,
  wrappedNativeAbi,
} from "../../../devnet/artifacts/abis.ts";
import { startTestChain, type TestChain, topicsOf, ZERO } from "./test-chain.ts";

const ONE = 10n ** 18n;
const TRANSFER = toEventHash("Transfer(address,address,uint256)");

let t: TestChain;
let owner: Address;
beforeAll(async () => {
  t = await startTestChain();
  owner = t.account(1);
});
afterAll(() => t?.stop());

describe("the aggregator", () => {
  let tokens: [Address, Address];
  let wbera: Address;
  let honey: Address;

  beforeAll(async () => {
    ({ wbera, honey } = t.at.tokens);
    tokens = wbera < honey ? [wbera, honey] : [honey, wbera];
    // The wrapped native cannot be minted: wrap enough of it first.
    await t.act({ to: wbera, abi: wrappedNativeAbi, call: "deposit", from: owner, value: 10n ** 24n });
    const args = [t.at.poolCaller, 10n ** 24n];
    await t.act({ to: wbera, abi: wrappedNativeAbi, call: "approve", args, from: owner });
    await t.fund(honey, owner, t.at.poolCaller);
    await t.openPool("uniswap", tokens, 10n ** 23n);
    await t.act({ to: t.at.aggregator, abi: aggregatorAbi, call: "setReferrer", args: [4, t.account(7)] });
  });

  const quote = async (tokenIn: Address, tokenOut: Address, amountIn: bigint): Promise<bigint> => {
    const { result } = await t.chain.client.simulateContract({
      address: t.at.v3.uniswap.quoterV2,
      abi: quoterV2Abi,
      functionName: "quoteExactInputSingle",
      args: [{ tokenIn, tokenOut, fee: 3000, amountIn, sqrtPriceLimitX96: 0n }],
    });
    return result[0];
  };
  const swapData = (tokenIn: Address, tokenOut: Address, amountIn: bigint) => {
    const recipient = t.at.aggregator;
    const exact = { tokenIn, tokenOut, fee: 3000, recipient, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
    const data = encodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle", args: [exact] });
    return { router: t.at.v3.uniswap.swapRouter02, data };
  };

  test("wraps, swaps, pays the referral fee and the receiver, and leaves nothing behind", async () => {
    const out = await quote(wbera, honey, ONE);
    const refFee = (out * 7n) / 10000n;
    const args = (minAmountOut: bigint) => [
      { token: wbera, wrap: true, amount: ONE },
      { token: honey, unwrap: false, minAmountOut, receiver: t.account(8) },
      swapData(wbera, honey, ONE),
      { feeQuote: out, surplusFeeBps: 0, refCode: 4, referrerFeeBps: 7 },
    ];
    const swap = { to: t.at.aggregator, abi: aggregatorAbi, call: "swap", from: t.account(3), value: ONE };
    await t.act({ ...swap, args: args(out - refFee + 1n), reverts: true });
    await t.act({ ...swap, args: args(out - refFee) });
    expect(await t.balance(honey, t.account(8))).toBe(out - refFee);
    expect(await t.balance(honey, t.account(7))).toBe(refFee);
    for (const token of tokens) expect(await t.balance(token, t.at.aggregator)).toBe(0n);
  });

  test("takes a token and pays the native coin", async () => {
    await t.fund(honey, t.account(3), t.at.aggregator);
    const out = await quote(honey, wbera, ONE);
    const receiver: Address = "0x00000000000000000000000000000000000abcde";
    const args = [
      { token: honey, wrap: false, amount: ONE },
      { token: wbera, unwrap: true, minAmountOut: out, receiver },
      swapData(honey, wbera, ONE),
      { feeQuote: out, surplusFeeBps: 0, refCode: 0, referrerFeeBps: 0 },
    ];
    await t.act({ to: t.at.aggregator, abi: aggregatorAbi, call: "swap", args, from: t.account(3) });
    expect(await t.chain.client.getBalance({ address: receiver })).toBe(out);
  });
});

describe("tokens", () => {
  const act = (to: Address, call: string, args: readonly unknown[]) =>
    t.act({ to, abi: mintableTokenAbi, call, args, from: owner });
  const [alice, bob]: [Address, Address] = [
    "0x00000000000000000000000000000000000a11ce",
    "0x0000000000000000000000000000000000000b0b",
  ];

  test("the honest fee shows as a second Transfer, the skim does not show", async () => {
    const { feeOnTransfer, silentSkim } = t.at.tokens;
    for (const token of [feeOnTransfer, silentSkim]) await act(token, "mint", [owner, 1000n]);
    const honest = await act(feeOnTransfer, "transfer", [alice, 1000n]);
    const values = parseEventLogs({ abi: mintableTokenAbi, eventName: "Transfer", logs: honest.logs });
    expect(values.map((log) => log.args.value)).toEqual([990n, 10n]);
    expect(await t.balance(feeOnTransfer, alice)).toBe(990n);
    const skim = await act(silentSkim, "transfer", [alice, 1000n]);
    const [transfer] = parseEventLogs({ abi: mintableTokenAbi, eventName: "Transfer", logs: skim.logs });
    expect([transfer?.args.value, await t.balance(silentSkim, alice)]).toEqual([1000n, 990n]);
  });

  test("a rebase changes balances without a log", async () => {
    const { rebasing } = t.at.tokens;
    await act(rebasing, "mint", [alice, 1000n]);
    const receipt = await t.act({ to: rebasing, abi: rebasingTokenAbi, call: "rebase", args: [3n, 2n] });
    expect([receipt.logs.length, await t.balance(rebasing, alice)]).toEqual([0, 1500n]);
  });

  test("hostile tokens announce what cannot be", async () => {
    const { overflowing, phantomSpend } = t.at.tokens.hostile;
    for (let i = 0; i < 2; i++) {
      const args = [alice];
      const receipt = await t.act({ to: overflowing, abi: overflowingTokenAbi, call: "mintMax", args });
      expect(BigInt(receipt.logs[0]?.data ?? 0)).toBe(2n ** 256n - 1n);
    }
    const spent = await t.act({
      to: phantomSpend,
      abi: phantomSpendTokenAbi,
      call: "spend",
      args: [alice, bob, 5n],
    });
    expect(topicsOf(spent, phantomSpend)).toEqual([TRANSFER]);
  });

  test("metadata: bytes32, control characters, 255 decimals, 10 kB, none at all", async () => {
    const { hostile, bytes32Metadata } = t.at.tokens;
    const name = (to: Address, abi: readonly unknown[] = mintableTokenAbi) => t.read<string>({ to, abi, call: "name" });
    expect(await name(bytes32Metadata, bytes32TokenAbi)).toMatch(/^0x4279746573333220/);
    expect(await name(hostile.nulName)).toContain("\u0000");
    expect(await t.read({ to: hostile.decimals255, abi: mintableTokenAbi, call: "decimals" })).toBe(255);
    expect(await name(hostile.hugeName)).toHaveLength(10_000);
    await expect(name(hostile.revertingName)).rejects.toThrow("no name");
  });

  test("plain tokens mint to zero, move nothing, and move to themselves", async () => {
    const { honey } = t.at.tokens;
    const supply = () => t.read<bigint>({ to: honey, abi: mintableTokenAbi, call: "totalSupply" });
    const before = await supply();
    await act(honey, "mint", [ZERO, 7n]);
    expect([(await supply()) - before, await t.balance(honey, ZERO)]).toEqual([7n, 7n]);
    const held = await t.balance(honey, owner);
    expect(topicsOf(await act(honey, "transfer", [owner, 3n]))).toEqual([TRANSFER]);
    expect(topicsOf(await act(honey, "transfer", [bob, 0n]))).toEqual([TRANSFER]);
    expect(await t.balance(honey, owner)).toBe(held);
  });

  test("noise carries Transfer's topic and nothing else of it", async () => {
    const { malformed } = t.at.tokens.noise;
    const shapes: number[][] = [];
    for (const [call, args] of [
      ["topicOnly", []],
      ["threeWords", [alice, bob, 1n]],
      ["shortData", [alice, bob]],
    ] as const) {
      const { logs } = await t.act({ to: malformed, abi: malformedTransfersAbi, call, args });
      expect(logs[0]?.topics[0]).toBe(TRANSFER);
      shapes.push([logs[0]?.topics.length ?? 0, ((logs[0]?.data.length ?? 0) - 2) / 2]);
    }
    expect(shapes).toEqual([
      [1, 0],
      [1, 96],
      [3, 16],
    ]);
  });

  test("both wrapped natives wrap: one by Transfers with zero, one by Deposit and Withdrawal", async () => {
    const topics: Record<string, (string | undefined)[]> = {};
    for (const key of ["wbera", "weth"] as const) {
      const to = t.at.tokens[key];
      const wrapped = await t.act({ to, abi: wrappedNativeAbi, call: "deposit", value: 5n });
      const unwrapped = await t.act({ to, abi: wrappedNativeAbi, call: "withdraw", args: [5n] });
      topics[key] = [...topicsOf(wrapped), ...topicsOf(unwrapped)];
    }
    expect(topics.wbera).toEqual([TRANSFER, TRANSFER]);
    expect(topics.weth).toEqual([toEventHash("Deposit(address,uint256)"), toEventHash("Withdrawal(address,uint256)")]);
  });
});
