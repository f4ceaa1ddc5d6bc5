// The devnet's chain file with vaults listed that a factory announces as well: each is still one vault.
import { loadChain } from "../../chains/load.ts";
import { onStage, type Stage } from "../../devnet/scenario/stage.ts";

/** `more` replaces whole fields of the file. */
export function chainListingTwice({ named, islands }: Pick<Stage, "named" | "islands">, more: object = {}): object {
  const chain = loadChain("devnet");
  const listed = [
    { address: onStage(named, "bault free"), kind: "erc4626", asset: onStage(islands, "island free").address },
    { address: onStage(named, "infrared five"), kind: "staking", asset: onStage(islands, "island five").address },
  ].map((vault) => ({ ...vault, startBlock: 0 }));
  return { ...chain, externalVaults: [...chain.externalVaults, ...listed], ...more };
}
