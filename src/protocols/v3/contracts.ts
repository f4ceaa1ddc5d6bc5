// Where Uniswap v3 facts come from. Spread into ponder.config.ts.
import { v3FactoryAbi, v3PoolAbi, v3PoolCreated, v3PositionManagerAbi } from "../../../abis/v3.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { announcedBy, at } from "../../source-address.ts";

/** The pools of all deployments are one source, so that they share one read of the factories' announcements. */
export function v3Contracts({ v3Factories, v3PositionManagers }: Indexing) {
  return {
    V3Factory: { abi: v3FactoryAbi, chain: "chain", ...at(v3Factories) },
    V3Pool: {
      abi: v3PoolAbi,
      chain: "chain",
      ...announcedBy(v3Factories, { event: v3PoolCreated, parameter: "pool" }),
    },
    V3PositionManager: { abi: v3PositionManagerAbi, chain: "chain", ...at(v3PositionManagers) },
  } as const;
}
