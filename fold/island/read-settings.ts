// Range, fee and treasury as an island's contract returns them at the end of one block.
import type { Address, PublicClient } from "viem";
import type { IslandSettings } from "../../core/island/facts.ts";
import { readViews } from "../node/views-at-block.ts";
import { islandViewAbi } from "./island-views.ts";

export interface SettingsPlace {
  island: Address;
  block: number;
  blockHash: string;
}

const views = ["lowerTick", "upperTick", "managerFeeBPS", "managerTreasury"];

/** @throws Error when the node does not return them */
export async function readSettings(client: PublicClient, place: SettingsPlace): Promise<IslandSettings> {
  const request = { contract: place.island, block: place.block, blockHash: place.blockHash };
  const [tickLower, tickUpper, managerFeeBps, treasury] = await readViews(client, request, {
    abi: islandViewAbi,
    views,
  });
  return {
    tickLower: Number(tickLower),
    tickUpper: Number(tickUpper),
    managerFeeBps: Number(managerFeeBps),
    treasury: String(treasury).toLowerCase(),
  };
}
