// The one way the devnet's code talks to anvil: deterministic nonces, gas and timestamps, one sealed block at a time.
import type { Address, Hash, Hex, PublicClient } from "viem";

export interface Call {
  from: Address;
  /** Absent: contract creation. */
  to?: Address;
  data?: Hex;
  value?: bigint;
  gas?: bigint;
  /** The transaction is meant to revert, or may; without this a reverted transaction throws when its block is sealed. */
  reverts?: boolean | "maybe";
}

export interface SealedBlock {
  number: number;
  hash: Hash;
  timestamp: number;
}

export interface DevChain {
  client: PublicClient;
  /** Funded, unlocked accounts, the same for every seed. `accounts[0]` deploys. */
  accounts: readonly Address[];
  rpc<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** Queues a transaction for the next block in call order; resolves to its hash. Costs a round trip: see `queue`. */
  send(call: Call): Promise<Hash>;
  /** Queues a transaction for the next block in call order, without a round trip. */
  queue(call: Call): void;
  /** Queues a contract creation; resolves to the (deterministic) address the code will have once sealed. */
  create(from: Address, code: Hex): Promise<Address>;
  /** Seals everything queued into one block `seconds` after the last one; throws naming any unexpected revert. */
  seal(seconds?: number): Promise<SealedBlock>;
}
