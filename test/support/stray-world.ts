// Pairs and a pool of Uniswap's own contracts on an anvil of its own, tokens that somebody sent to where they do not belong, and
// an index of the logs of it all.
import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi, parseEventLogs } from "viem";
import type { DevChain } from "../../devnet/chain.ts";
import { deployContracts } from "../../devnet/deploy/deploy-contracts.ts";
import { deployV2 } from "../../devnet/deploy/v2.ts";
import { deployV3 } from "../../devnet/deploy/v3.ts";
import { swapRouterAbi } from "../../gateway/router/swap-router-abi.ts";
import type { SwapTransaction } from "../../gateway/router/swap-transaction.ts";
import { startAnvil } from "../devnet/contracts/anvil.ts";
import { chainFixture } from "./gateway-fixture.ts";
import { SCRIPT_CHAIN_ID, Script } from "./scripted-index.ts";

const EVERYTHING = 2n ** 256n - 1n;
const FAR = 2n ** 40n;
export const ONE = 10n ** 18n;
export const RECIPIENT: Address = "0x000000000000000000000000000000000007ade1";

const abi = parseAbi([
  "function deposit() payable",
  "function mint(address to, uint256 value)",
  "function approve(address spender, uint256 value) returns (bool)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function rebase(uint256 numerator, uint256 denominator)",
  "function sync()",
  "function skim(address to)",
  "function getPair(address a, address b) view returns (address)",
  "function getPool(address a, address b, uint24 fee) view returns (address)",
  "function createPool(address a, address b, uint24 fee) returns (address)",
  "function initialize(uint160 sqrtPriceX96)",
  "function mintDirect(address pool, address owner, int24 lower, int24 upper, uint128 liquidity)",
  "function addLiquidity(address tokenA, address tokenB, uint256 amountA, uint256 amountB, uint256 minA, uint256 minB, address to, uint256 deadline) returns (uint256, uint256, uint256)",
]);
const events = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 amount)",
  "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 ordinal)",
  "event Sync(uint112 reserve0, uint112 reserve1)",
  "event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)",
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 liquidity, uint256 amount0, uint256 amount1)",
]);

type Names = Parameters<typeof encodeFunctionData<typeof abi>>[0]["functionName"];

/** What a transaction took from the trader, and what its recipient got of each token; undefined: refused. */
export interface Outcome {
  taken: bigint;
  received(token: Address | "native"): bigint;
}

interface Contracts {
  v2Factory: Address;
  v2Router: Address;
  v3Factory: Address;
  quoter: Address;
  caller: Address;
}

const low = (address: string): Address => address.toLowerCase() as Address;

/** The same transaction: the index' clock, which deadlines are counted from, is far behind the chain's. */
export function withLateDeadline(transaction: SwapTransaction): SwapTransaction {
  const { functionName, args } = decodeFunctionData({ abi: swapRouterAbi, data: transaction.calldata });
  if (functionName !== "multicall") throw new Error(`${functionName} is no multicall`);
  const calldata = encodeFunctionData({ abi: swapRouterAbi, functionName, args: [FAR, args[1]] });
  return { ...transaction, calldata };
}

export class StrayWorld {
  readonly chain: DevChain;
  readonly tokens: Record<string, Address>;
  readonly wrapped: Address;
  readonly router: Address;
  readonly stop: () => Promise<void>;
  readonly #at: Contracts;
  /** Holds everything that is in nobody else's hands. */
  readonly trader: Address;

  private constructor(made: {
    chain: DevChain;
    stop: () => Promise<void>;
    tokens: Record<string, Address>;
    wrapped: Address;
    router: Address;
    at: Contracts;
  }) {
    this.chain = made.chain;
    this.stop = made.stop;
    this.tokens = made.tokens;
    this.wrapped = made.wrapped;
    this.router = made.router;
    this.#at = made.at;
    this.trader = low(made.chain.accounts[1] as string);
  }

  /** Plain tokens of 18 decimals by these names, and `rebasing`; the trader has plenty of all and lets the routers take them. */
  static async start(names: readonly string[]): Promise<StrayWorld> {
    const { chain, stop } = await startAnvil();
    const plain = Object.fromEntries(
      names.map((name) => [name, { name: "MintableToken" as const, args: [name, name, 18] }]),
    );
    const at = await deployContracts(chain, {
      wrapped: { name: "WrappedNative", args: ["Wrapped", "W"] },
      rebasing: { name: "RebasingToken", args: ["Rebasing", "R", 18] },
      caller: { name: "PoolCaller" },
      ...plain,
    });
    const { wrapped, caller, ...tokens } = at as Record<string, Address> & { wrapped: Address; caller: Address };
    const v2 = await deployV2(chain, { wrappedNative: wrapped });
    const v3 = await deployV3(chain, { flavour: "uniswap", wrappedNative: wrapped, v2Factory: v2.factory });
    const world = new StrayWorld({
      ...{ chain, stop, tokens, wrapped, router: v3.swapRouter02 },
      at: { v2Factory: v2.factory, v2Router: v2.router, v3Factory: v3.factory, quoter: v3.quoterV2, caller },
    });
    await world.send(wrapped, "deposit", []);
    for (const token of Object.values(tokens)) await world.send(token, "mint", [world.trader, 10n ** 27n]);
    for (const token of [wrapped, ...Object.values(tokens)])
      for (const spender of [v2.router, v3.swapRouter02, caller])
        await world.send(token, "approve", [spender, EVERYTHING]);
    await chain.seal();
    return world;
  }

  get rpcUrl(): string {
    return String(this.chain.client.transport.url);
  }

  token(name: string): Address {
    const address = name === "wrapped" ? this.wrapped : this.tokens[name];
    if (!address) throw new Error(`no token ${name}`);
    return address;
  }

  /** From the trader, in the next block that is sealed; a deposit is of 10^24 wei. */
  async send(to: Address, functionName: Names, args: readonly unknown[]): Promise<void> {
    const data = encodeFunctionData({ abi, functionName, args } as never);
    const value = functionName === "deposit" ? 10n ** 24n : 0n;
    await this.chain.send({ from: this.trader, to, data, value });
  }

  /** In whole tokens. */
  give(token: string, to: Address, amount: bigint): Promise<void> {
    return this.send(this.token(token), "transfer", [to, amount * ONE]);
  }

  /** Takes tokens from an account, as their own contract may; in whole tokens. */
  async take(token: string, from: Address, amount: bigint): Promise<void> {
    await this.chain.rpc("anvil_impersonateAccount", [from]);
    await this.chain.rpc("anvil_setBalance", [from, "0xde0b6b3a7640000"]);
    const args = [this.trader, amount * ONE] as const;
    const data = encodeFunctionData({ abi, functionName: "transfer", args });
    const sent = { from, to: this.token(token), data, gas: "0x30d40", gasPrice: "0x77359400" };
    await this.chain.rpc("eth_sendTransaction", [sent]);
  }

  /** Opens a pair in the next block; amounts in whole tokens. */
  addLiquidity([a, b]: readonly [string, string], [amountA, amountB]: readonly [bigint, bigint]): Promise<void> {
    const args = [this.token(a), this.token(b), amountA * ONE, amountB * ONE, 0n, 0n, this.trader, FAR];
    return this.send(this.#at.v2Router, "addLiquidity", args);
  }

  pair(a: string, b: string): Promise<Address> {
    return this.#read(this.#at.v2Factory, "getPair", [this.token(a), this.token(b)]);
  }

  /** A v3 pool of tier 3000 at price 1 with liquidity over the whole range; seals. */
  async openPool(a: string, b: string, liquidity: bigint): Promise<void> {
    const args = [this.token(a), this.token(b), 3000];
    await this.send(this.#at.v3Factory, "createPool", args);
    await this.chain.seal();
    const pool = await this.#read(this.#at.v3Factory, "getPool", args);
    await this.send(pool, "initialize", [2n ** 96n]);
    await this.send(this.#at.caller, "mintDirect", [pool, this.trader, -887_220, 887_220, liquidity * ONE]);
    await this.chain.seal();
  }

  async #read(address: Address, functionName: "getPair" | "getPool", args: readonly unknown[]): Promise<Address> {
    return low((await this.chain.client.readContract({ address, abi, functionName, args } as never)) as string);
  }

  /** Carries a quote's transaction out and takes it back. */
  async carryOut(
    transaction: SwapTransaction,
    { paid, watched }: { paid: Address | "native"; watched: readonly (Address | "native")[] },
  ): Promise<Outcome | undefined> {
    const { calldata: data, value, to } = withLateDeadline(transaction);
    const snapshot = await this.chain.rpc<Hex>("evm_snapshot", []);
    try {
      const before = await this.#holdings(paid, watched);
      const sent = { from: this.trader, to, data, value, gas: "0x989680", gasPrice: "0x0" };
      await this.chain.rpc("anvil_setNextBlockBaseFeePerGas", ["0x0"]);
      const hash = await this.chain.rpc<Hex>("eth_sendTransaction", [sent]);
      await this.chain.rpc("evm_mine", []);
      const { status } = await this.chain.client.getTransactionReceipt({ hash });
      if (status !== "success") return undefined;
      const after = await this.#holdings(paid, watched);
      const received = after.received.map((amount, i) => amount - (before.received[i] ?? 0n));
      return {
        taken: before.paid - after.paid,
        received: (token) => received[watched.indexOf(token)] ?? 0n,
      };
    } finally {
      await this.chain.rpc("evm_revert", [snapshot]);
    }
  }

  async #holdings(paid: Address | "native", watched: readonly (Address | "native")[]) {
    const has = (account: Address, token: Address | "native"): Promise<bigint> =>
      token === "native"
        ? this.chain.client.getBalance({ address: account })
        : this.chain.client.readContract({ address: token, abi, functionName: "balanceOf", args: [account] });
    return {
      paid: await has(this.trader, paid),
      received: await Promise.all(watched.map((token) => has(RECIPIENT, token))),
    };
  }

  chainFile() {
    return chainFixture({
      ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0, nativeSymbol: "BERA" },
      wrappedNative: { address: this.wrapped, symbol: "W", flavour: "transfer" },
      providers: [{ name: "Fixture", weight: "1", priority: 1 }],
      v2: { factory: { address: this.#at.v2Factory, startBlock: 0 }, router: this.#at.v2Router },
      v3: {
        deployments: [
          {
            flavour: "uniswap",
            factory: { address: this.#at.v3Factory, startBlock: 0 },
            positionManager: { address: this.#at.caller, startBlock: 0 },
            ...{ swapRouter02: this.router, quoterV2: this.#at.quoter, mixedRouteQuoterV1: null },
          },
        ],
      },
    });
  }

  /** Every log so far as the fact that Ponder would have made of it; blocks have the chain's numbers. */
  async facts(): Promise<Script> {
    const { client } = this.chain;
    const script = new Script();
    const logs = await client.getLogs({ fromBlock: 0n, toBlock: "latest" });
    for (const log of parseEventLogs({ abi: events, logs })) {
      while (script.block < Number(log.blockNumber)) script.nextBlock();
      tellLog(script, { ...log, address: low(log.address) } as never);
    }
    const head = Number(await client.getBlockNumber());
    while (script.block < head) script.nextBlock();
    return script;
  }
}

type Log = ReturnType<typeof parseEventLogs<typeof events>>[number];

function tellLog(script: Script, log: Log): void {
  if (log.eventName === "Transfer") {
    const { from, to, amount } = log.args;
    script.move(log.address, { from: low(from), to: low(to), amount });
  } else script.tell(...rowOf(log));
}

function rowOf(log: Exclude<Log, { eventName: "Transfer" }>): Parameters<Script["tell"]> {
  const { address } = log;
  switch (log.eventName) {
    case "PairCreated": {
      const { token0, token1, pair, ordinal } = log.args;
      const tokens = { token0: low(token0), token1: low(token1) };
      return ["v2_pair_created", { factory: address, pair: low(pair), ...tokens, ordinal: `${ordinal}` }];
    }
    case "Sync":
      return ["v2_sync", { pair: address, reserve0: `${log.args.reserve0}`, reserve1: `${log.args.reserve1}` }];
    case "PoolCreated": {
      const { token0, token1, fee, tickSpacing: tick_spacing, pool } = log.args;
      const tokens = { token0: low(token0), token1: low(token1) };
      return ["v3_pool_created", { factory: address, pool: low(pool), ...tokens, fee, tick_spacing }];
    }
    case "Initialize":
      return ["v3_initialize", { pool: address, sqrt_price_x96: `${log.args.sqrtPriceX96}`, tick: log.args.tick }];
    case "Mint": {
      const { sender, owner, tickLower: tick_lower, tickUpper: tick_upper, liquidity } = log.args;
      const amounts = { amount0: `${log.args.amount0}`, amount1: `${log.args.amount1}` };
      const place = { sender: low(sender), owner: low(owner), tick_lower, tick_upper };
      return ["v3_liquidity", { pool: address, kind: "mint", liquidity: `${liquidity}`, ...place, ...amounts }];
    }
  }
}
