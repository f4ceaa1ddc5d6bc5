// Queues a call to a contract of ours by the name of its artifact.
import { type Address, encodeFunctionData, type Hash } from "viem";
import type { DevChain } from "../chain.ts";
import { type ContractName, readArtifact } from "../compile/artifacts.ts";

export interface ContractCall {
  name: ContractName;
  to: Address;
  call: string;
  args?: readonly unknown[];
  /** Absent: `accounts[0]`. */
  from?: Address;
}

export function callContract(chain: DevChain, { name, to, call, args = [], from }: ContractCall): Promise<Hash> {
  const sender = from ?? chain.accounts[0];
  if (sender === undefined) throw new Error("the devnet has no funded account to call from");
  const data = encodeFunctionData({ abi: readArtifact(name).abi, functionName: call, args });
  return chain.send({ from: sender, to, data });
}
