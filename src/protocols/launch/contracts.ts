// Where launch facts come from. Spread into ponder.config.ts.
import { launchDeployed, launchFactoryAbi, launchPoolAbi } from "../../../abis/launch.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { announcedBy, at } from "../../source-address.ts";

export function launchContracts({ launchFactories }: Indexing) {
  return {
    LaunchFactory: { abi: launchFactoryAbi, chain: "chain", ...at(launchFactories) },
    LaunchPool: {
      abi: launchPoolAbi,
      chain: "chain",
      ...announcedBy(launchFactories, { event: launchDeployed, parameter: "pandaPool" }),
    },
  } as const;
}
