// Uniswap v3 with its periphery, in two flavours: npm's own bytecode, and the one whose protocol fee counts in 1/10,000.
import { type Address, encodeDeployData, keccak256 } from "viem";
import type { DevChain } from "../chain.ts";
import { type Artifact, linkLibrary, readArtifact } from "../compile/artifacts.ts";
import { kodiakArtifacts } from "../compile/kodiak-v3.ts";
import { callContract } from "./call-contract.ts";
import { adaptPeriphery } from "./kodiak-periphery.ts";

export interface V3Deployment {
  flavour: "uniswap" | "kodiak";
  /** Owned by `accounts[0]`; fee tiers 100, 500, 3000 and 10000. */
  factory: Address;
  positionManager: Address;
  positionDescriptor: Address;
  swapRouter02: Address;
  quoterV2: Address;
  mixedRouteQuoterV1: Address;
  tickLens: Address;
}

export interface V3Options {
  flavour: "uniswap" | "kodiak";
  wrappedNative: Address;
  v2Factory: Address;
}

const nativeLabel = "0x4245524100000000000000000000000000000000000000000000000000000000"; // "BERA"

/** Deploys one flavour in two blocks; over a kodiak factory the periphery is npm's, adapted (`kodiak-periphery.ts`). */
export async function deployV3(chain: DevChain, options: V3Options): Promise<V3Deployment> {
  const deployer = chain.accounts[0];
  if (deployer === undefined) throw new Error("the devnet has no funded account to deploy from");
  const kodiak = options.flavour === "kodiak" ? await kodiakArtifacts() : undefined;
  const create = async ({ abi, bytecode }: Artifact, args: readonly unknown[] = []): Promise<Address> =>
    (await chain.create(deployer, encodeDeployData({ abi, bytecode, args }))).toLowerCase() as Address;
  const poolHash = kodiak === undefined ? undefined : keccak256(kodiak.pool.bytecode);
  const periphery = (artifact: Artifact): Artifact =>
    poolHash === undefined ? artifact : adaptPeriphery(artifact, poolHash);

  const factory = await create(kodiak?.factory ?? readArtifact("UniswapV3Factory"));
  if (kodiak === undefined) {
    const args = [100, 1]; // npm's factory knows 500, 3000 and 10000 only
    await callContract(chain, { name: "UniswapV3Factory", to: factory, call: "enableFeeAmount", args });
  }
  const library = await create(readArtifact("NFTDescriptor"));
  const tickLens = await create(readArtifact("TickLens"));
  await chain.seal();

  const { wrappedNative, v2Factory } = options;
  const descriptorArtifact = linkLibrary(readArtifact("NonfungibleTokenPositionDescriptor"), library);
  const positionDescriptor = await create(periphery(descriptorArtifact), [wrappedNative, nativeLabel]);
  const manager = periphery(readArtifact("NonfungiblePositionManager"));
  const positionManager = await create(manager, [factory, wrappedNative, positionDescriptor]);
  const router = periphery(readArtifact("SwapRouter02"));
  const swapRouter02 = await create(router, [v2Factory, factory, positionManager, wrappedNative]);
  const quoterV2 = await create(periphery(readArtifact("QuoterV2")), [factory, wrappedNative]);
  const mixed = periphery(readArtifact("MixedRouteQuoterV1"));
  const mixedRouteQuoterV1 = await create(mixed, [factory, v2Factory, wrappedNative]);
  await chain.seal();
  return {
    flavour: options.flavour,
    factory,
    positionManager,
    positionDescriptor,
    swapRouter02,
    quoterV2,
    mixedRouteQuoterV1,
    tickLens,
  };
}
