// Token launches on a bonding curve, graduating into a v2 pair.
import { type Address, keccak256 } from "viem";
import type { DevChain } from "../chain.ts";
import { readArtifact } from "../compile/artifacts.ts";
import { callContract } from "./call-contract.ts";
import { deployContract, deployContracts } from "./deploy-contracts.ts";

export interface LaunchDeployment {
  /**
   * `deployPandaToken(params, name, symbol)` and `deployPandaTokenWithBera` make a token that is its own pool;
   * `deployPandaPool(params, pandaToken, supply)` makes a pool over an existing ERC-20.
   */
  factory: Address;
  tokenImplementation: Address;
  poolImplementation: Address;
}

export interface LaunchOver {
  v2Factory: Address;
  wrappedNative: Address;
  honey: Address;
}

/** Base tokens: the wrapped native and HONEY. Fees at first: buy 0, sell 200, graduation 500 bps, deployer share 0. */
export async function deployLaunch(chain: DevChain, over: LaunchOver): Promise<LaunchDeployment> {
  const owner = chain.accounts[0];
  const tokenImplementation = await deployContract(chain, { name: "LaunchToken" });
  const poolImplementation = await deployContract(chain, { name: "LaunchPool" });
  const { factory } = await deployContracts(chain, { factory: { name: "LaunchFactory", args: [owner] } });
  const pairHash = keccak256(readArtifact("UniswapV2Pair").bytecode);
  const settings: readonly (readonly [string, readonly unknown[]])[] = [
    ["setFactory", [over.v2Factory, pairHash]],
    ["setWbera", [over.wrappedNative]],
    ["setTreasury", [owner]],
    ["setPandaPoolFees", [0, 200, 500, 0]],
    ["setMinRaise", [over.wrappedNative, 10n ** 17n]],
    ["setMinTradeSize", [over.wrappedNative, 10n ** 9n]],
    ["setMinRaise", [over.honey, 10n ** 18n]],
    ["setMinTradeSize", [over.honey, 10n ** 9n]],
    ["setAllowedImplementation", [tokenImplementation, true]],
    ["setAllowedImplementation", [poolImplementation, true]],
  ];
  for (const [call, args] of settings) await callContract(chain, { name: "LaunchFactory", to: factory, call, args });
  await chain.seal();
  return { factory, tokenImplementation, poolImplementation };
}
