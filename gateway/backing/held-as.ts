// What a holding is to its holder, as answers name it.
import type { Address } from "../parameters.ts";

/** In the order of answers, with the name under which REST gives the id. */
const idNames = {
  balance: undefined,
  "v2-pool": "pairId",
  island: "islandId",
  farm: "farmId",
  reward_vault: "rewardVaultId",
  external_vaults: undefined,
  "v3-position": "positionId",
} as const;

export type SourceKind = keyof typeof idNames;
/** In the order of answers. */
export const sourceKinds = Object.keys(idNames) as readonly SourceKind[];

/** The holding that an asset of the look-through is to its holder. */
export interface HeldAs {
  kind: SourceKind;
  /** An address; for v3 positions a number in digits. */
  id: string;
  /** Who issues it: pair, island, farm, vault, or the position's pool. */
  contract: Address;
  /** The position manager of a token id. */
  manager?: Address;
}

/** The name under which REST gives a source's id; undefined for kinds without. */
export const idNameOf = ({ kind }: Pick<HeldAs, "kind">): string | undefined => idNames[kind];
