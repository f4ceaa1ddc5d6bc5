// A made-up market on an empty chain: tokens with various decimals and the wrapped coin, v3 pools of one flavour and v2 pairs
// between them at prices that nearly agree, so that routes split, take detours and share pools.
import { type Address, encodeFunctionData, type Hex, maxUint256, parseAbi } from "viem";
import type { V3Flavour } from "../../core/concentrated/protocol-fee.ts";
import type { DevChain } from "../../devnet/chain.ts";
import { readArtifact } from "../../devnet/compile/artifacts.ts";
import { deployContracts } from "../../devnet/deploy/deploy-contracts.ts";
import { deployV2 } from "../../devnet/deploy/v2.ts";
import { deployV3 } from "../../devnet/deploy/v3.ts";
import type { FuzzPool, Stage } from "../../devnet/fuzz/v3-setting.ts";
import type { Random } from "../../devnet/scenario/random.ts";
import type { QuotingChain } from "../../verify/quotes/quoters.ts";

export interface MadeToken {
  address: Address;
  decimals: number;
  /** US dollars for one whole token. */
  price: number;
}

export interface MadePair {
  address: Address;
  token0: Address;
  token1: Address;
}

export interface MadeMarket {
  stage: Stage;
  flavour: V3Flavour;
  /** The wrapped coin first. */
  tokens: readonly MadeToken[];
  pairs: readonly MadePair[];
  /** Names the contracts that quote and swap. */
  contracts: QuotingChain;
  router: Address;
  v2Router: Address;
  /** Holds and has approved everything; takes no part in the market's moves. */
  trader: Address;
}

const FUNDS = 10n ** 40n;
/** Wrapped coins of each account; about as many stay unwrapped. */
export const COINS = 4_000_000n * 10n ** 18n;
export const DEADLINE = 2n ** 40n;
export const GAS = 6_000_000n;
/** Queued transactions must fit one block by their gas limits. */
export const MOST_QUEUED = 100;
const TIERS: readonly [fee: number, tickSpacing: number][] = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10000, 200],
];

export const marketAbi = parseAbi([
  "function deposit() payable",
  "function mint(address to, uint256 value)",
  "function approve(address spender, uint256 value) returns (bool)",
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)",
  "function getPair(address tokenA, address tokenB) view returns (address pair)",
  "function addLiquidity(address tokenA, address tokenB, uint256 amountA, uint256 amountB, uint256 minA, uint256 minB, address to, uint256 deadline) returns (uint256, uint256, uint256)",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])",
]);

/** Deploys everything: pools have a price but are still empty, pairs do not exist yet. */
export async function setMarket(chain: DevChain, random: Random): Promise<MadeMarket> {
  const flavour = random.pick(["uniswap", "kodiak"] as const);
  const at = await deployContracts(chain, {
    weth: { name: "WETH9" },
    six: { name: "MintableToken", args: ["Six", "SIX", 6] },
    eight: { name: "MintableToken", args: ["Eight", "EIGHT", 8] },
    nine: { name: "MintableToken", args: ["Nine", "NINE", 9] },
    eighteen: { name: "MintableToken", args: ["Eighteen", "EIGHTEEN", 18] },
    other: { name: "MintableToken", args: ["Other", "OTHER", 18] },
    caller: { name: "PoolCaller" },
  });
  const v2 = await deployV2(chain, { wrappedNative: at.weth });
  const v3 = await deployV3(chain, { flavour, wrappedNative: at.weth, v2Factory: v2.factory });
  const priced = (address: Address, decimals: number): MadeToken => {
    return { address, decimals, price: Math.exp(random.next() * 10 - 4) };
  };
  const tokens = [
    { address: at.weth, decimals: 18, price: 5 },
    priced(at.six, 6),
    priced(at.eight, 8),
    priced(at.nine, 9),
    priced(at.eighteen, 18),
    priced(at.other, 18),
  ];
  const accounts = chain.accounts.slice(0, 5);
  const [trader] = chain.accounts.slice(5);
  if (trader === undefined) throw new Error("the chain has no account for the trader");
  const spenders = [at.caller, v2.router, v3.swapRouter02];
  await fund(chain, { accounts: [...accounts, trader], tokens, spenders });
  const deployment = {
    flavour,
    factory: { address: v3.factory, startBlock: 0 },
    swapRouter02: v3.swapRouter02,
    positionManager: { address: v3.positionManager, startBlock: 0 },
    quoterV2: v3.quoterV2,
    mixedRouteQuoterV1: v3.mixedRouteQuoterV1,
    defaultFeeProtocol: 0,
  };
  const placed = { factory: v3.factory, manager: v3.positionManager, flavour };
  const pools = await openPools(chain, { ...placed, tokens, random });
  const managers = { uniswap: v3.positionManager, kodiak: v3.positionManager };
  const pairs = await openPairs(chain, { router: v2.router, factory: v2.factory, tokens, random });
  const v2Contracts = {
    factory: { address: v2.factory, startBlock: 0 },
    router: v2.router,
    swapFee: 3000,
    takesProtocolFee: false,
  };
  return {
    stage: { chain, pools, managers, caller: at.caller, accounts },
    flavour,
    tokens,
    pairs,
    trader,
    contracts: { v2: v2Contracts, v3: { deployments: [deployment] } },
    router: v3.swapRouter02,
    v2Router: v2.router,
  };
}

interface Funding {
  accounts: readonly Address[];
  tokens: readonly MadeToken[];
  spenders: readonly Address[];
}

async function fund(chain: DevChain, { accounts, tokens, spenders }: Funding): Promise<void> {
  for (const from of accounts) {
    for (const { address: to } of tokens) {
      const isCoin = to === tokens[0]?.address;
      const data: Hex = isCoin
        ? encodeFunctionData({ abi: marketAbi, functionName: "deposit" })
        : encodeFunctionData({ abi: marketAbi, functionName: "mint", args: [from, FUNDS] });
      chain.queue({ from, to, data, gas: GAS, ...(isCoin ? { value: COINS } : {}) });
      for (const spender of spenders) {
        const args = [spender, maxUint256] as const;
        chain.queue({
          from,
          to,
          gas: GAS,
          data: encodeFunctionData({ abi: marketAbi, functionName: "approve", args }),
        });
      }
    }
    await chain.seal();
  }
}

/** Pairs of tokens to connect: every token is reachable from the first two, plus `more` pairs. */
function drawWays(tokens: readonly MadeToken[], random: Random, more: number): [MadeToken, MadeToken][] {
  const [first, second] = tokens as [MadeToken, MadeToken];
  const certain = tokens.slice(1).map((token): [MadeToken, MadeToken] => {
    return [token === second || random.chance(0.5) ? first : second, token];
  });
  const others = Array.from({ length: more }, () => random.sample(tokens, 2) as [MadeToken, MadeToken]);
  return [...certain, ...others].map(([a, b]) => (a.address < b.address ? [a, b] : [b, a]));
}

interface Opening {
  tokens: readonly MadeToken[];
  random: Random;
}

async function openPools(
  chain: DevChain,
  { tokens, random, ...placed }: Opening & Pick<FuzzPool, "factory" | "manager" | "flavour">,
): Promise<FuzzPool[]> {
  const plans = new Map<string, Pick<FuzzPool, "token0" | "token1" | "fee" | "tickSpacing">>();
  for (const [a, b] of drawWays(tokens, random, random.between(4, 9))) {
    const [fee, tickSpacing] = random.pick(TIERS);
    const plan = { token0: a.address, token1: b.address, fee, tickSpacing };
    const key = Object.values(plan).join();
    if (plans.has(key)) continue;
    plans.set(key, plan);
    const ratio = (a.price / b.price) * 10 ** (b.decimals - a.decimals) * (1 + (random.next() - 0.5) * 0.01);
    const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(ratio) * 2 ** 96));
    const args = [plan.token0, plan.token1, fee, sqrtPriceX96] as const;
    const data = encodeFunctionData({ abi: marketAbi, functionName: "createAndInitializePoolIfNecessary", args });
    chain.queue({ from: chain.accounts[0] as Address, to: placed.manager, data });
  }
  await chain.seal();
  const pools: FuzzPool[] = [];
  for (const plan of plans.values()) {
    const args = [plan.token0, plan.token1, plan.fee] as const;
    const query = { address: placed.factory, abi: marketAbi, functionName: "getPool", args } as const;
    const address = (await chain.client.readContract(query)).toLowerCase() as Address;
    pools.push({ ...placed, ...plan, address });
  }
  return pools;
}

async function openPairs(
  chain: DevChain,
  { router, factory, tokens, random }: Opening & { router: Address; factory: Address },
): Promise<MadePair[]> {
  const plans = new Map(drawWays(tokens, random, random.between(0, 3)).map((way) => [addressesOf(way).join(), way]));
  const opened = [...plans.values()].slice(random.between(0, 3));
  const from = chain.accounts[0] as Address;
  for (const [a, b] of opened) {
    const worth = 10_000 * 100 ** random.next();
    const held = ({ price, decimals }: MadeToken) =>
      BigInt(Math.floor((worth / 2 / price) * (1 + (random.next() - 0.5) * 0.01) * 10 ** decimals));
    const args = [a.address, b.address, held(a), held(b), 0n, 0n, from, DEADLINE] as const;
    chain.queue({
      from,
      to: router,
      data: encodeFunctionData({ abi: marketAbi, functionName: "addLiquidity", args }),
    });
  }
  await chain.seal();
  const pairs: MadePair[] = [];
  for (const way of opened) {
    const [token0, token1] = addressesOf(way);
    const query = { address: factory, abi: marketAbi, functionName: "getPair", args: [token0, token1] } as const;
    pairs.push({ address: (await chain.client.readContract(query)).toLowerCase() as Address, token0, token1 });
  }
  return pairs;
}

const addressesOf = ([a, b]: [MadeToken, MadeToken]): [Address, Address] => [a.address, b.address];

export const callerAbi = readArtifact("PoolCaller").abi;
