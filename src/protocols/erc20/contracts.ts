// Where ERC-20 facts come from. Spread into ponder.config.ts.
import { erc20Abi } from "../../../abis/erc20.ts";
import { islandCreated } from "../../../abis/island.ts";
import { launchDeployed } from "../../../abis/launch.ts";
import { v2PairCreated } from "../../../abis/v2.ts";
import { baultDeployed } from "../../../abis/vault.ts";
import { weth9Abi } from "../../../abis/weth9.ts";
import type { Indexing } from "../../../chains/indexing.ts";
import { type Announcement, announcedBy, at } from "../../source-address.ts";

/**
 * `Erc20` is chain-wide where all tokens are tracked: a factory source would drop what a token did before it was
 * announced. `Weth9` is never chain-wide: other contracts' Deposit events share its topic and mint nothing.
 * Where only listed tokens are tracked, what the protocols issue is tracked besides: shares and launched tokens.
 */
export function erc20Contracts(indexing: Indexing) {
  const { startBlock, tokens, weth9 } = indexing;
  const none = { addresses: [], startBlock };
  const besides = (group: Indexing["v2Factories"], announcement?: Announcement) => {
    if (tokens === "all") return at(none);
    return announcement === undefined ? at(group) : announcedBy(group, announcement);
  };
  const share = { abi: erc20Abi, chain: "chain" } as const;
  return {
    Erc20: { abi: erc20Abi, chain: "chain", startBlock, ...(tokens === "all" ? {} : { address: [...tokens] }) },
    Weth9: { abi: weth9Abi, chain: "chain", ...at({ addresses: weth9, startBlock }) },
    PairShare: { ...share, ...besides(indexing.v2Factories, { event: v2PairCreated, parameter: "pair" }) },
    IslandShare: { ...share, ...besides(indexing.islandFactories, { event: islandCreated, parameter: "island" }) },
    BaultShare: { ...share, ...besides(indexing.baultFactories, { event: baultDeployed, parameter: "bault" }) },
    VaultShare: { ...share, ...besides(indexing.shareVaults) },
    LaunchedToken: {
      ...share,
      ...besides(indexing.launchFactories, { event: launchDeployed, parameter: "pandaPool" }),
    },
  } as const;
}
