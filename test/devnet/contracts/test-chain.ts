// A fresh anvil with everything of the devnet deployed, and short ways to act on it.
import { type Abi, type Address, encodeFunctionData, type Hex, type TransactionReceipt } from "viem";
import {
  mintableTokenAbi,
  poolCallerAbi,
  uniswapV3FactoryAbi,
  uniswapV3PoolAbi,
} from "../../../devnet/artifacts/abis.ts";
import type { DevChain } from "../../../devnet/chain.ts";
import { type Deployment, deployAll } from "../../../devnet/deploy/all.ts";
import { startAnvil } from "./anvil.ts";

export const MAX_UINT = 2n ** 256n - 1n;
export const MAX_UINT128 = 2n ** 128n - 1n;
export const ZERO: Address = "0x0000000000000000000000000000000000000000";
/** Square root price of 1 in Q64.96, and limits for swaps without one. */
export const PRICE_ONE = 2n ** 96n;
export const LOWEST_PRICE = 4295128740n;
export const HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341n;

export interface Act {
  to: Address;
  abi: Abi | readonly unknown[];
  call: string;
  args?: readonly unknown[];
  from?: Address;
  value?: bigint;
  reverts?: boolean;
  /** Seconds after the last block; 2 if absent. */
  seconds?: number;
}

export class TestChain {
  readonly chain: DevChain;
  readonly at: Deployment;
  readonly stop: () => Promise<void>;

  constructor(chain: DevChain, at: Deployment, stop: () => Promise<void>) {
    this.chain = chain;
    this.at = at;
    this.stop = stop;
  }

  account(index: number): Address {
    const account = this.chain.accounts[index];
    if (account === undefined) throw new Error(`no account ${index}`);
    return account;
  }

  /** One transaction in a block of its own. */
  async act(act: Act): Promise<TransactionReceipt> {
    const { to, abi, call, args = [], from = this.account(0), value, reverts, seconds = 2 } = act;
    const data = encodeFunctionData({ abi: abi as Abi, functionName: call, args });
    const hash = await this.chain.send({
      from,
      to,
      data,
      ...(value === undefined ? {} : { value }),
      ...(reverts === undefined ? {} : { reverts }),
    });
    await this.chain.seal(seconds);
    return this.chain.client.getTransactionReceipt({ hash });
  }

  /** An untyped read, for short assertions. */
  async read<T>({ to, abi, call, args = [] }: Pick<Act, "to" | "abi" | "call" | "args">): Promise<T> {
    return (await this.chain.client.readContract({ address: to, abi: abi as Abi, functionName: call, args })) as T;
  }

  balance(token: Address, account: Address): Promise<bigint> {
    return this.read<bigint>({ to: token, abi: mintableTokenAbi, call: "balanceOf", args: [account] });
  }

  /** Gives `account` 10^30 wei of a mintable token and lets `spender` take them. */
  async fund(token: Address, account: Address, spender: Address): Promise<void> {
    const amount = 10n ** 30n;
    await this.act({ to: token, abi: mintableTokenAbi, call: "mint", args: [account, amount] });
    const args = [spender, MAX_UINT];
    await this.act({ to: token, abi: mintableTokenAbi, call: "approve", args, from: account });
  }

  /** A v3 pool of two tokens at price 1 with `liquidity` over the full range of tier 3000, account 1's, held directly.
   *  Its tokens are minted, the wrapped native excepted. */
  async openPool(flavour: "uniswap" | "kodiak", tokens: [Address, Address], liquidity: bigint): Promise<Address> {
    const { factory } = this.at.v3[flavour];
    await this.act({ to: factory, abi: uniswapV3FactoryAbi, call: "createPool", args: [...tokens, 3000] });
    const pool = await this.read<Address>({
      to: factory,
      abi: uniswapV3FactoryAbi,
      call: "getPool",
      args: [...tokens, 3000],
    });
    await this.act({ to: pool, abi: uniswapV3PoolAbi, call: "initialize", args: [PRICE_ONE] });
    const owner = this.account(1);
    for (const token of tokens) {
      if (token !== this.at.tokens.wbera) await this.fund(token, owner, this.at.poolCaller);
    }
    const args = [pool, owner, -887220, 887220, liquidity];
    await this.act({ to: this.at.poolCaller, abi: poolCallerAbi, call: "mintDirect", args, from: owner });
    return pool;
  }

  /** Account 1 swaps straight in a pool. */
  swap(pool: Address, zeroForOne: boolean, amount: bigint): Promise<TransactionReceipt> {
    const args = [pool, this.account(1), zeroForOne, amount, zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE];
    return this.act({ to: this.at.poolCaller, abi: poolCallerAbi, call: "swapDirect", args, from: this.account(1) });
  }
}

/** Starts anvil on a free port and deploys everything; `stop` ends it. */
export async function startTestChain(): Promise<TestChain> {
  const { chain, stop } = await startAnvil();
  try {
    return new TestChain(chain, await deployAll(chain), stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Topic 0 of a receipt's logs, of one emitter if given. */
export function topicsOf({ logs }: TransactionReceipt, emitter?: Address): (Hex | undefined)[] {
  return logs.filter((log) => emitter === undefined || log.address === emitter).map((log) => log.topics[0]);
}
