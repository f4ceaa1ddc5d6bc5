// ERC-4626 vaults: baults (they stake their assets in a reward vault) and a plain one.
import type { Address } from "viem";
import type { DevChain } from "../chain.ts";
import { deployContract, deployContracts } from "./deploy-contracts.ts";

export interface VaultsDeployment {
  /** `deployBault(stakingToken, name)`, owner `accounts[0]`; needs an existing reward vault for the staking token. */
  baultFactory: Address;
  baultImplementation: Address;
  /** A plain ERC-4626 vault over `asset`; more of them with `deployPlainVault`. */
  plain: Address;
}

export async function deployVaults(
  chain: DevChain,
  over: { rewardVaultFactory: Address; asset: Address },
): Promise<VaultsDeployment> {
  const baultImplementation = await deployContract(chain, { name: "Bault" });
  const { baultFactory, plain } = await deployContracts(chain, {
    baultFactory: { name: "BaultFactory", args: [baultImplementation, over.rewardVaultFactory, chain.accounts[0]] },
    plain: { name: "PlainVault", args: [over.asset, "Plain Honey Vault", "pvHONEY"] },
  });
  return { baultFactory, baultImplementation, plain };
}

/** Queues one more plain ERC-4626 vault for the next block. */
export function deployPlainVault(
  chain: DevChain,
  vault: { asset: Address; name: string; symbol: string },
): Promise<Address> {
  return deployContract(chain, { name: "PlainVault", args: [vault.asset, vault.name, vault.symbol] });
}
