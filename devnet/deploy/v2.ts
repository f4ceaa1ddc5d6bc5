// Uniswap v2 as published on npm: factory and router.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { deployContract, deployContracts } from "./deploy-contracts.ts";

export interface V2Deployment {
  factory: Address;
  router: Address;
}

/** `feeToSetter` is `accounts[0]`; the protocol fee starts off. */
export async function deployV2(chain: DevChain, over: { wrappedNative: Address }): Promise<V2Deployment> {
  const factory = await deployContract(chain, { name: "UniswapV2Factory", args: [chain.accounts[0]] });
  const { router } = await deployContracts(chain, {
    router: { name: "UniswapV2Router02", args: [factory, over.wrappedNative] },
  });
  return { factory, router };
}
