// Where farm facts come from. Spread into ponder.config.ts.
import { farmAbi, farmDeployed, farmFactoryAbi } from "../../../abis/farm.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { announcedBy, at } from "../../source-address.ts";

export function farmContracts({ farmFactories }: Indexing) {
  return {
    FarmFactory: { abi: farmFactoryAbi, chain: "chain", ...at(farmFactories) },
    Farm: { abi: farmAbi, chain: "chain", ...announcedBy(farmFactories, { event: farmDeployed, parameter: "farm" }) },
  } as const;
}
