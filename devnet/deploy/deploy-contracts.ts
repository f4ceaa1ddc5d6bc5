// Deploys named artifacts from `accounts[0]` and seals them into one block.
import { type Address, encodeDeployData } from "viem";
import type { DevChain } from "../chain.ts";
import { type ContractName, readArtifact } from "../compile/artifacts.ts";

export interface Creation {
  name: ContractName;
  args?: readonly unknown[];
}

/** Creates the contracts in the order given; resolves to their addresses, lower case, once the block is sealed. */
export async function deployContracts<Key extends string>(
  chain: DevChain,
  creations: Record<Key, Creation>,
): Promise<Record<Key, Address>> {
  const addresses: Partial<Record<Key, Address>> = {};
  for (const key of Object.keys(creations) as Key[]) addresses[key] = await deployContract(chain, creations[key]);
  await chain.seal();
  return addresses as Record<Key, Address>;
}

/** Queues one creation for the next block. */
export async function deployContract(chain: DevChain, { name, args = [] }: Creation): Promise<Address> {
  const { abi, bytecode } = readArtifact(name);
  const deployer = chain.accounts[0];
  if (deployer === undefined) throw new Error("the devnet has no funded account to deploy from");
  const created = await chain.create(deployer, encodeDeployData({ abi, bytecode, args }));
  return created.toLowerCase() as Address;
}
