// Where Uniswap v2 facts come from. Spread into ponder.config.ts.
import { v2FactoryAbi, v2PairAbi, v2PairCreated } from "../../../abis/v2.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { announcedBy, at } from "../../source-address.ts";

export function v2Contracts({ v2Factories }: Indexing) {
  return {
    V2Factory: { abi: v2FactoryAbi, chain: "chain", ...at(v2Factories) },
    V2Pair: {
      abi: v2PairAbi,
      chain: "chain",
      ...announcedBy(v2Factories, { event: v2PairCreated, parameter: "pair" }),
    },
  } as const;
}
