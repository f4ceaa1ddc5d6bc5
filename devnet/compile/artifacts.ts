// Where the devnet's bytecode comes from: our own artifacts beside this folder, Uniswap's and WETH9 from npm.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Abi, Address, Hex } from "viem";

export interface Artifact {
  abi: Abi;
  bytecode: Hex;
}

/** Contracts of `devnet/contracts`, compiled into `devnet/artifacts/<Name>.json`. */
export const ownContracts = [
  "MintableToken",
  "FeeOnTransferToken",
  "SilentSkimToken",
  "RebasingToken",
  "Bytes32Token",
  "WrappedNative",
  "OverflowingToken",
  "PhantomSpendToken",
  "RevertingNameToken",
  "NftLike",
  "MalformedTransfers",
  "Island",
  "IslandFactory",
  "RewardToken",
  "Distributor",
  "BeraChef",
  "RewardVault",
  "RewardVaultFactory",
  "Farm",
  "FarmFactory",
  "Bault",
  "BaultFactory",
  "PlainVault",
  "QueuedVault",
  "InfraredCore",
  "InfraredVault",
  "LaunchFactory",
  "LaunchToken",
  "LaunchPool",
  "Aggregator",
  "SwapExecutor",
  "PoolCaller",
] as const;

const v3Core = "@uniswap/v3-core/artifacts/contracts";
const v3Periphery = "@uniswap/v3-periphery/artifacts/contracts";
const routers = "@uniswap/swap-router-contracts/artifacts/contracts";

/** Contracts used as npm publishes them, by the file of their artifact. */
export const npmContracts = {
  WETH9: "canonical-weth/build/contracts/WETH9.json",
  UniswapV2Factory: "@uniswap/v2-core/build/UniswapV2Factory.json",
  UniswapV2Pair: "@uniswap/v2-core/build/UniswapV2Pair.json",
  UniswapV2Router02: "@uniswap/v2-periphery/build/UniswapV2Router02.json",
  UniswapV3Factory: `${v3Core}/UniswapV3Factory.sol/UniswapV3Factory.json`,
  UniswapV3Pool: `${v3Core}/UniswapV3Pool.sol/UniswapV3Pool.json`,
  NonfungiblePositionManager: `${v3Periphery}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
  NonfungibleTokenPositionDescriptor: `${v3Periphery}/NonfungibleTokenPositionDescriptor.sol/NonfungibleTokenPositionDescriptor.json`,
  NFTDescriptor: `${v3Periphery}/libraries/NFTDescriptor.sol/NFTDescriptor.json`,
  TickLens: `${v3Periphery}/lens/TickLens.sol/TickLens.json`,
  SwapRouter02: `${routers}/SwapRouter02.sol/SwapRouter02.json`,
  QuoterV2: `${routers}/lens/QuoterV2.sol/QuoterV2.json`,
  MixedRouteQuoterV1: `${routers}/lens/MixedRouteQuoterV1.sol/MixedRouteQuoterV1.json`,
} as const;

export type OwnContractName = (typeof ownContracts)[number];
export type ContractName = OwnContractName | keyof typeof npmContracts;

const require = createRequire(import.meta.url);
const read = new Map<ContractName, Artifact>();

/** ABI and creation bytecode; throws if the file is missing (ours: run `devnet/compile/compile.ts`). */
export function readArtifact(name: ContractName): Artifact {
  const stored = read.get(name);
  if (stored !== undefined) return stored;
  const path = name in npmContracts ? require.resolve(npmContracts[name as keyof typeof npmContracts]) : undefined;
  const file = path ?? new URL(`../artifacts/${name}.json`, import.meta.url);
  const { abi, bytecode } = JSON.parse(readFileSync(file, "utf8")) as { abi: Abi; bytecode: string };
  const artifact: Artifact = { abi, bytecode: `0x${bytecode.replace(/^0x/, "")}` };
  read.set(name, artifact);
  return artifact;
}

/** Fills the artifact's one kind of link placeholder with the library's address. */
export function linkLibrary({ abi, bytecode }: Artifact, library: Address): Artifact {
  const linked = bytecode.replaceAll(/__\$[0-9a-f]{34}\$__/g, library.slice(2)) as Hex;
  if (linked === bytecode) throw new Error("nothing to link in this bytecode");
  return { abi, bytecode: linked };
}
