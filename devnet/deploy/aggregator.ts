// The contract that swaps through any router with the calldata it is given.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { deployContracts } from "./deploy-contracts.ts";

export interface AggregatorDeployment {
  /** `swap(input, output, swapData, fee)`; `setReferrer(code, receiver)` by its owner `accounts[0]`. */
  aggregator: Address;
}

export function deployAggregator(chain: DevChain): Promise<AggregatorDeployment> {
  return deployContracts(chain, { aggregator: { name: "Aggregator", args: [chain.accounts[0]] } });
}
