// Swap quotes of all providers, carried out on a copy of the seeded devnet: whichever wins, the returned transaction delivers what
// was quoted, less the referral fee. And a node, where one is set up, finds out beforehand which would not.
import { type Address, decodeFunctionData, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aggregatorAbi as devnetAggregatorAbi, mintableTokenAbi } from "../../devnet/artifacts/abis.ts";
import { aggregatorAbi } from "../../gateway/aggregator/aggregator-abi.ts";
import { type ChainCopy, copyChain } from "../../verify/exit/chain-copy.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { cachedPricer, EXTERNALS, type Explained, openQuoteGateway, statusesOf } from "../support/quote-world.ts";
import { type OpenedDevnet, openSeededDevnet, openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const TRADER: Address = "0x000000000000000000000000000000000007ade2";
const RECIPIENT: Address = "0x000000000000000000000000000000000007ade3";
const REFERRER: Address = "0x000000000000000000000000000000000007ade4";
const REF_CODE = 4;
const FEE_BPS = 50n;
const PATIENT = { QUOTE_TIMEOUT_MS: "20000", QUOTE_PROVIDER_TIMEOUT_MS: "20000", QUOTE_WORTH_WAITING_USD: "0" };

const chain = seededChain();
let base: TestGateway;
let devnet: OpenedDevnet;
let copy: ChainCopy;
let executor: Address;
let price: ReturnType<typeof cachedPricer>;

beforeAll(async () => {
  base = openSeededGateway();
  devnet = await openSeededDevnet();
  executor = devnet.at.swapExecutor;
  price = cachedPricer({ base, chain, executor });
  copy = await copyChain({ rpcUrl: seeded.rpcUrl, block: seeded.head });
  await fund();
});
afterAll(async () => {
  await copy?.stop();
  await base?.close();
});

const PLENTY = 10n ** 24n;

/** The trader can pay, the stand-ins' executor can add what they promise beyond the pools, the referrer is known. */
async function fund(): Promise<void> {
  const { honey, usdc, wbera } = devnet.at.tokens;
  const [owner] = devnet.chain.accounts;
  const mint = (token: Address, to: Address) =>
    copy.perform({ from: TRADER, to: token, abi: mintableTokenAbi, call: "mint", args: [to, PLENTY] });
  for (const token of [honey, usdc]) for (const account of [TRADER, executor]) await mint(token, account);
  await copy.perform({ from: TRADER, to: wbera, abi: depositAbi, call: "deposit", args: [], value: 10n ** 21n });
  await copy.perform({ from: TRADER, to: wbera, abi: erc20Abi, call: "transfer", args: [executor, 10n ** 21n] });
  const approval = { abi: erc20Abi, call: "approve", args: [devnet.at.aggregator, 2n ** 256n - 1n] };
  await copy.perform({ from: TRADER, to: honey, ...approval });
  await copy.perform({
    ...{ from: owner ?? TRADER, to: devnet.at.aggregator, abi: devnetAggregatorAbi },
    ...{ call: "setReferrer", args: [REF_CODE, REFERRER] },
  });
}

const depositAbi = [
  { type: "function", name: "deposit", stateMutability: "payable", inputs: [], outputs: [] },
] as const;

interface Pair {
  what: string;
  tokenIn: string;
  tokenOut: string;
  amount: bigint;
  /** What arrives is counted in. */
  paid: Address | "native";
}

const pairsOf = ({ tokens }: OpenedDevnet["at"]): Pair[] => [
  { what: "token for token", tokenIn: tokens.honey, tokenOut: tokens.usdc, amount: 10n ** 20n, paid: tokens.usdc },
  { what: "native in", tokenIn: "BERA", tokenOut: tokens.honey, amount: 10n ** 19n, paid: tokens.honey },
  { what: "native out", tokenIn: tokens.honey, tokenOut: "ETH", amount: 10n ** 20n, paid: "native" },
];

const pathOf = ({ tokenIn, tokenOut, amount }: Pair, more: Record<string, string> = {}) =>
  `/quote?${new URLSearchParams({
    ...{ tokenInAddress: tokenIn, tokenOutAddress: tokenOut, amount: String(amount), type: "exactIn" },
    ...{ tokenInChainId: String(chain.chainId), tokenOutChainId: String(chain.chainId), debug: "true" },
    ...{ recipient: RECIPIENT, slippageTolerance: "0.5", ...more },
  })}`;

const balanceOf = (account: Address, token: Pair["paid"]): Promise<bigint> =>
  token === "native"
    ? copy.client.getBalance({ address: account })
    : copy.client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] });

interface Method {
  calldata: Hex;
  value: Hex;
  to: Address;
  decodedArgs: [object, { minAmountOut: string }, object, object];
}

/** What recipient and referrer have more of after the transaction; afterwards the copy is as before. */
function carryOut({ calldata, value, to }: Method, paid: Pair["paid"]): Promise<[bigint, bigint]> {
  const { functionName, args } = decodeFunctionData({ abi: aggregatorAbi, data: calldata });
  return copy.apart(async () => {
    const before = [await balanceOf(RECIPIENT, paid), await balanceOf(REFERRER, paid)] as const;
    await copy.perform({ from: TRADER, to, abi: aggregatorAbi, call: functionName, args, value: BigInt(value) });
    return [(await balanceOf(RECIPIENT, paid)) - before[0], (await balanceOf(REFERRER, paid)) - before[1]];
  });
}

const encoded = (method: Method): Hex =>
  encodeFunctionData({ abi: aggregatorAbi, functionName: "swap", args: method.decodedArgs as never });

const carriedOut = new Map<string, number>();

describe("whichever provider wins", () => {
  afterAll(() => console.log(`executed by winner: ${[...carriedOut].map((one) => one.join(" ")).join(", ")}`));

  test.each(["Kodiak", ...EXTERNALS])("%s: the transaction delivers the quote less the referral fee", async (name) => {
    const factors = Object.fromEntries(EXTERNALS.map((one) => [one, one === name ? 10_050 : 9_990]));
    const gateway = await openQuoteGateway({ base, chain, executor, price, factors, env: PATIENT });
    try {
      for (const pair of pairsOf(devnet.at)) {
        const referral =
          pair.what === "native in" ? {} : { refCode: String(REF_CODE), referrerFeeBps: String(FEE_BPS) };
        const { status, body } = await gateway.get(pathOf(pair, referral));
        expect([status, body.provider, body.blockNumber], pair.what).toEqual([200, name, String(seeded.head)]);
        expect(Object.values(statusesOf(body))).toEqual(Array(6).fill("success"));
        const method = body.methodParameters as Method;
        const [quote, refFee] = [BigInt(body.quote as string), BigInt(body.refFee as string)];
        expect(refFee).toBe(pair.what === "native in" ? 0n : (quote * FEE_BPS) / 10_000n);
        expect(encoded(method)).toBe(method.calldata);
        const [received, referred] = await carryOut(method, pair.paid);
        expect([received, referred], pair.what).toEqual([quote - refFee, refFee]);
        carriedOut.set(name, (carriedOut.get(name) ?? 0) + 1);
        expect(received).toBeGreaterThanOrEqual(BigInt(method.decodedArgs[1].minAmountOut));
      }
    } finally {
      await gateway.stop();
    }
  });

  test("nobody is paid less than the minimum: the contract refuses a provider that promises more than it pays", async () => {
    const [pair] = pairsOf(devnet.at);
    const gateway = await openQuoteGateway({
      ...{ base, chain, executor, price, env: PATIENT, factors: { OpenOcean: 10_100 } },
      modes: { OpenOcean: "underpaying" },
    });
    const { body } = await gateway.get(pathOf(pair as Pair));
    expect(body.provider).toBe("OpenOcean");
    await expect(carryOut(body.methodParameters as Method, (pair as Pair).paid)).rejects.toThrow(/min amount out/);
    await gateway.stop();
  });
});

/** Those that pay the last token of the route. */
const poolsOf = (body: Record<string, unknown>, paid: Pair["paid"]): Address[] =>
  (body.route as { address: Address; tokenOut: { address: string } }[][])
    .flat()
    .filter(({ tokenOut }) => tokenOut.address.toLowerCase() === paid.toLowerCase())
    .map(({ address }) => address);

describe("with a node to try winners out on", () => {
  const messagesOf = (body: Record<string, unknown>) =>
    Object.fromEntries((body.expl as Explained[]).map(({ provider, message }) => [provider, message]));

  test("an offer that would revert or pay too little is passed over, one that pays what it promises is not", async () => {
    const gateway = await openQuoteGateway({
      ...{ base, chain, executor, price, env: { ...PATIENT, SIMULATION_RPC_URL: seeded.rpcUrl } },
      // the executor has nothing to add on the seeded devnet itself
      factors: { OpenOcean: 10_000, Fly: 9_999, Enso: 9_990 },
    });
    try {
      for (const pair of pairsOf(devnet.at)) {
        const path = pathOf(pair, { providers: "openocean,fly,enso" });
        for (const desk of Object.values(gateway.desks)) desk.mode = "ok";
        expect((await gateway.get(path)).body.provider, pair.what).toBe("OpenOcean");
        Object.assign(gateway.desks.OpenOcean ?? {}, { mode: "reverting" });
        Object.assign(gateway.desks.Fly ?? {}, { mode: "underpaying" });
        const { body } = await gateway.get(path);
        expect([body.provider, statusesOf(body)], pair.what).toEqual([
          "Enso",
          { OpenOcean: "error", Fly: "error", Enso: "success" },
        ]);
        expect(messagesOf(body)).toMatchObject({
          OpenOcean: expect.stringMatching(/^tried out: /),
          Fly: expect.stringMatching(/^tried out: .*min amount out/),
        });
      }
    } finally {
      await gateway.stop();
    }
  });

  test("our own router's route is passed over where its pools cannot pay, which none of their events has shown", async () => {
    const env = { ...PATIENT, SIMULATION_RPC_URL: String(copy.client.transport.url) };
    const gateway = await openQuoteGateway({ base, chain, executor, price, env });
    const [pair] = pairsOf(devnet.at) as [Pair];
    const path = pathOf(pair, { providers: "kodiak" });
    try {
      const sound = await gateway.get(path);
      expect([sound.status, sound.body.provider]).toEqual([200, "Kodiak"]);
      const pools = poolsOf(sound.body, pair.paid);
      expect(pools.length).toBeGreaterThan(0);
      await copy.apart(async () => {
        for (const pool of pools) {
          const args = [TRADER, await balanceOf(pool, pair.paid)];
          await copy.perform({ from: pool, to: pair.paid as Address, abi: erc20Abi, call: "transfer", args });
        }
        const { status, body } = await gateway.get(path);
        expect([status, (body.error as { code: string }).code]).toEqual([502, "PROVIDERS_FAILED"]);
        expect(JSON.stringify(body)).toMatch(/"message":"tried out: /);
      });
    } finally {
      await gateway.stop();
    }
  });
});
