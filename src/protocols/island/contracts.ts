// Where island facts come from. Spread into ponder.config.ts.
import { islandAbi, islandCreated, islandFactoryAbi } from "../../../abis/island.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { announcedBy, at } from "../../source-address.ts";

export function islandContracts({ islandFactories }: Indexing) {
  return {
    IslandFactory: { abi: islandFactoryAbi, chain: "chain", ...at(islandFactories) },
    Island: {
      abi: islandAbi,
      chain: "chain",
      ...announcedBy(islandFactories, { event: islandCreated, parameter: "island" }),
    },
  } as const;
}
