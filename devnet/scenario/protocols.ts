// The acts of everything built on pools: islands, vaults that stake their shares, and launches.
import { dustActs } from "./dust.ts";
import { farmActs } from "./farms.ts";
import { infraredActs } from "./infrared.ts";
import { islandLifeActs } from "./island-life.ts";
import { islandNestingActs } from "./island-nesting.ts";
import { islandActs } from "./islands.ts";
import { launchActs } from "./launch.ts";
import { rewardVaultActs } from "./reward-vaults.ts";
import { vaultActs } from "./vaults.ts";
import type { Act } from "./world.ts";

export const protocolActs: readonly Act[] = [
  ...islandActs,
  ...islandLifeActs,
  ...islandNestingActs,
  ...rewardVaultActs,
  ...vaultActs,
  ...farmActs,
  ...infraredActs,
  ...launchActs,
  ...dustActs,
];
