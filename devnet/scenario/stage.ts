// What the scenario has built so far, by name, for later acts to find.
import type { Address } from "viem";

export interface V3PoolOnStage {
  address: Address;
  flavour: "uniswap" | "kodiak";
  token0: Address;
  token1: Address;
  fee: number;
  tickSpacing: number;
  /** Amounts of equal worth at the opening price: trades are measured in these units. */
  unit0: bigint;
  unit1: bigint;
  /** The tick the pool was opened at, rounded down to its spacing: ranges are placed around it. */
  baseTick: number;
}

export interface V2PairOnStage {
  address: Address;
  token0: Address;
  token1: Address;
}

export interface IslandOnStage {
  address: Address;
  pool: string;
  /** Absent: permissionless. */
  manager?: Address;
  /** Accounts that hold shares which nothing else has spent. */
  holders: Address[];
}

export interface NftOnStage {
  flavour: "uniswap" | "kodiak";
  id: bigint;
  owner: Address;
  pool: string;
}

export interface Stage {
  v3: Map<string, V3PoolOnStage>;
  v2: Map<string, V2PairOnStage>;
  islands: Map<string, IslandOnStage>;
  nfts: NftOnStage[];
  /** Anything else by name: reward vaults, farms, baults, launches, stray tokens. */
  named: Map<string, Address>;
}

export function emptyStage(): Stage {
  return { v3: new Map(), v2: new Map(), islands: new Map(), nfts: [], named: new Map() };
}

/** What is on stage under `name`; throws naming it when an act comes before the one that builds it. */
export function onStage<T>(shelf: ReadonlyMap<string, T>, name: string): T {
  const found = shelf.get(name);
  if (found === undefined) throw new Error(`"${name}" is not on stage yet`);
  return found;
}
