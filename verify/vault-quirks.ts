// Where a contract by design counts otherwise than its own events say: each such difference is calculated exactly, so that
// no other difference is taken for it.
import { type Address, type PublicClient, parseAbi, zeroAddress } from "viem";
import { type Read, readAll } from "./pool-contracts.ts";
import type { ServedVault } from "./served-vaults.ts";

const abi = parseAbi([
  "function decimals() view returns (uint8)",
  "function infrared() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
]);

/** A number that is served, and the different one that the contract answers. */
export interface Differing {
  vault: ServedVault;
  view: string;
  args: readonly unknown[];
  served: bigint;
  answer: bigint;
}

/** At most one share in this many may be virtual: with more of them, answers give holders more than they can take. */
const VIRTUAL_PART = 1_000_000n;

export interface Quirks {
  /** Why the contract counts otherwise; undefined: no reason is known. */
  of(differing: Differing): string | undefined;
}

/** @throws Error when the node cannot answer */
export async function readQuirks(
  client: PublicClient,
  differing: readonly Differing[],
  block: number,
): Promise<Quirks> {
  const vaultsOf = (isMeant: (one: Differing) => boolean) => [
    ...new Map(differing.filter(isMeant).map(({ vault }) => [vault.address, vault])).values(),
  ];
  const at = { client, block };
  const offsets = await readOffsets(at, vaultsOf(isOfWorth));
  const cores = await readCores(at, vaultsOf(isOfStakes));
  return {
    of(one) {
      const { address } = one.vault;
      if (isOfWorth(one) && isByVirtualShares(one, offsets.get(address))) return "virtual shares";
      if (isOfStakes(one) && cores.has(address) && one.answer === one.served + 1n) return "a unit that nobody staked";
      return undefined;
    },
  };
}

const isOfWorth = ({ view }: Differing): boolean => view === "convertToAssets";
const isOfStakes = ({ vault, view }: Differing): boolean => vault.kind === "infrared" && view === "totalSupply";

interface At {
  client: PublicClient;
  block: number;
}

const readOne = (address: Address, functionName: string, args: readonly unknown[] = []): Read => ({
  ...{ address, abi, functionName, args },
});

/** By vault: how many more decimals its shares have than its asset. */
async function readOffsets({ client, block }: At, vaults: readonly ServedVault[]): Promise<Map<Address, bigint>> {
  const reads = vaults.flatMap(({ address, tokens: [asset = address] }) => [
    readOne(address, "decimals"),
    readOne(asset, "decimals"),
  ]);
  const answers = await readAll(client, reads, block);
  const offsets = new Map<Address, bigint>();
  for (const [i, { address }] of vaults.entries()) {
    const [own, ofAsset] = [answers[2 * i]?.[0], answers[2 * i + 1]?.[0]];
    if (typeof own === "number" && typeof ofAsset === "number" && own >= ofAsset)
      offsets.set(address, BigInt(own - ofAsset));
  }
  return offsets;
}

/** The contract counts 10^offset shares more than there are, and 1 unit of assets more. OpenZeppelin ERC4626.sol, Solady ERC4626.sol */
function isByVirtualShares({ vault, args, served, answer }: Differing, offset: bigint | undefined): boolean {
  const [shares] = args;
  const [assets = 0n] = vault.backing;
  if (offset === undefined || typeof shares !== "bigint") return false;
  if (answer !== (shares * (assets + 1n)) / (vault.supply + 10n ** offset)) return false;
  const off = served > answer ? served - answer : answer - served;
  return off <= 1n + served / VIRTUAL_PART;
}

/** Vaults whose constructor gave Infrared's core a balance of 1, for rewards of times without a stake. InfraredVault.sol */
async function readCores({ client, block }: At, vaults: readonly ServedVault[]): Promise<Set<Address>> {
  const named = vaults.map(({ address }) => readOne(address, "infrared"));
  const cores = (await readAll(client, named, block)).map((answer) => String(answer?.[0] ?? zeroAddress).toLowerCase());
  const held = vaults.map(({ address }, i) => readOne(address, "balanceOf", [cores[i]]));
  const balances = await readAll(client, held, block);
  const isMore = ({ holders }: ServedVault, i: number): boolean => {
    const staked = holders.find(({ account }) => account === cores[i])?.amount ?? 0n;
    return balances[i]?.[0] === staked + 1n;
  };
  return new Set(vaults.filter(isMore).map(({ address }) => address));
}
