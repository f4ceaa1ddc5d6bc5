// The setting of a randomised world: tokens with 6, 8, 9 and 18 decimals, both flavours, every fee tier, prices from the
// middle to the far ends.
import { type Address, encodeDeployData, type Hex } from "viem";
import type { V3Flavour } from "../../core/concentrated/protocol-fee.ts";
import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK } from "../../core/math/tick-math.ts";
import type { DevChain } from "../chain.ts";
import { compileSolidity } from "../compile/solidity.ts";
import { callContract } from "../deploy/call-contract.ts";
import { deployContracts } from "../deploy/deploy-contracts.ts";
import { deployV3 } from "../deploy/v3.ts";
import type { Random } from "../scenario/random.ts";

export interface FuzzPool {
  address: Address;
  flavour: V3Flavour;
  fee: number;
  tickSpacing: number;
  factory: Address;
  manager: Address;
  token0: Address;
  token1: Address;
}

/** Where v3 pools are acted upon. */
export interface Stage {
  chain: DevChain;
  pools: FuzzPool[];
  managers: Record<V3Flavour, Address>;
  /** Holds direct positions for anyone, swaps and flashes. */
  caller: Address;
  /** Accounts with tokens and approvals; `accounts[0]` owns the factories. */
  accounts: readonly Address[];
}

export interface Setting extends Stage {
  probe: Address;
  /** `V3Probe`'s code, for state overrides. */
  probeCode: Hex;
  probeAbi: readonly unknown[];
}

const TIERS: readonly [fee: number, tickSpacing: number][] = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10000, 200],
];
const FUNDS = 10n ** 45n;

/** Deploys everything and initialises one pool per fee tier and flavour. */
export async function setStage(chain: DevChain, random: Random): Promise<Setting> {
  const accounts = chain.accounts.slice(0, 5);
  const [deployer] = accounts;
  if (deployer === undefined) throw new Error("the chain has no account to deploy from");
  const at = await deployContracts(chain, {
    weth: { name: "WETH9" },
    usdc: { name: "MintableToken", args: ["Six", "SIX", 6] },
    wbtc: { name: "MintableToken", args: ["Eight", "EIGHT", 8] },
    ohm: { name: "MintableToken", args: ["Nine", "NINE", 9] },
    honey: { name: "MintableToken", args: ["Eighteen", "EIGHTEEN", 18] },
    caller: { name: "PoolCaller" },
  });
  const tokens = [at.usdc, at.wbtc, at.ohm, at.honey];
  const periphery = { wrappedNative: at.weth, v2Factory: at.weth };
  const uniswap = await deployV3(chain, { flavour: "uniswap", ...periphery });
  const kodiak = await deployV3(chain, { flavour: "kodiak", ...periphery });
  const { probe, probeAbi } = await deployProbe(chain, deployer);
  await fund(chain, { accounts, tokens, spenders: [at.caller, uniswap.positionManager, kodiak.positionManager] });
  const pools: FuzzPool[] = [];
  for (const deployment of [uniswap, kodiak]) {
    for (const [fee, tickSpacing] of TIERS) {
      const [token0, token1] = random.sample(tokens, 2).sort() as [Address, Address];
      pools.push(await createPool(chain, { deployment, fee, tickSpacing, token0, token1, random }));
    }
  }
  const probeCode = await chain.rpc<Hex>("eth_getCode", [probe, "latest"]);
  const managers = { uniswap: uniswap.positionManager, kodiak: kodiak.positionManager };
  return { chain, pools, managers, caller: at.caller, probe, probeCode, probeAbi, accounts };
}

async function deployProbe(chain: DevChain, from: Address): Promise<{ probe: Address; probeAbi: readonly unknown[] }> {
  const contract = compileSolidity({
    compiler: "solc",
    files: ["../fuzz/V3Probe.sol"],
    settings: { evmVersion: "london", optimizerRuns: 200 },
  }).get("V3Probe");
  if (contract === undefined) throw new Error("the compiler gave no V3Probe");
  const { abi, bytecode } = contract;
  const probe = await chain.create(from, encodeDeployData({ abi, bytecode }));
  await chain.seal();
  return { probe: probe.toLowerCase() as Address, probeAbi: abi };
}

interface Funding {
  accounts: readonly Address[];
  tokens: readonly Address[];
  spenders: readonly Address[];
}

async function fund(chain: DevChain, { accounts, tokens, spenders }: Funding): Promise<void> {
  for (const token of tokens) {
    for (const account of accounts) {
      const own = { name: "MintableToken", to: token, from: account } as const;
      await callContract(chain, { ...own, call: "mint", args: [account, FUNDS] });
      for (const spender of spenders) {
        await callContract(chain, { ...own, call: "approve", args: [spender, 2n ** 256n - 1n] });
      }
    }
    await chain.seal();
  }
}

interface Creation {
  deployment: { flavour: V3Flavour; factory: Address; positionManager: Address };
  fee: number;
  tickSpacing: number;
  token0: Address;
  token1: Address;
  random: Random;
}

async function createPool(chain: DevChain, creation: Creation): Promise<FuzzPool> {
  const { deployment, fee, tickSpacing, token0, token1, random } = creation;
  const { factory, positionManager: manager, flavour } = deployment;
  const sqrtPriceX96 = firstPrice(random);
  const args = [token0, token1, fee, sqrtPriceX96];
  const call = "createAndInitializePoolIfNecessary";
  await callContract(chain, { name: "NonfungiblePositionManager", to: manager, call, args });
  await chain.seal();
  const pool = await chain.client.readContract({
    address: factory,
    abi: getPoolAbi,
    functionName: "getPool",
    args: [token0, token1, fee],
  });
  const address = pool.toLowerCase() as Address;
  return { address, flavour, fee, tickSpacing, factory, manager, token0, token1 };
}

/** Mostly near 1, sometimes at a tick's own price, sometimes close to where prices end. */
function firstPrice(random: Random): bigint {
  const tick = random.chance(0.75) ? random.between(-120_000, 120_000) : random.pick([MIN_TICK, MAX_TICK - 1]);
  const price = getSqrtRatioAtTick(tick) + BigInt(random.chance(0.5) ? 0 : random.between(1, 1_000_000));
  if (price <= MIN_SQRT_RATIO) return MIN_SQRT_RATIO + 1n;
  return price >= MAX_SQRT_RATIO ? MAX_SQRT_RATIO - 2n : price;
}

const getPoolAbi = [
  {
    type: "function",
    name: "getPool",
    stateMutability: "view",
    inputs: [
      { name: "tokenA", type: "address" },
      { name: "tokenB", type: "address" },
      { name: "fee", type: "uint24" },
    ],
    outputs: [{ name: "pool", type: "address" }],
  },
] as const;
