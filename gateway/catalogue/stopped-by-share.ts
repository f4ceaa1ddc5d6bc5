// Where it is not known who has which shares of a pool: the pool itself and what takes its shares, as far as a ledger is impossible.
import type { ChainFile } from "../../chains/chain-file.ts";
import { FARM, INFRARED, REWARD_VAULT } from "../../core/ledgers/vault.ts";
import type { Ledger } from "../backing/ledger.ts";
import { issuerOfAsset } from "../backing/protocol.ts";
import { vaultsAmong } from "../backing/stake.ts";
import type { BrokenLedgers } from "../backing/stopped.ts";
import type { Address } from "../parameters.ts";
import type { BaultAt } from "./baults-at.ts";

/** By share of `pools`, each list ascending: the share, and vaults and farms over it or over shares of vaults over it. */
export async function stoppedByShare(
  ledger: Ledger,
  broken: BrokenLedgers,
  over: { pools: ReadonlySet<Address>; baults: readonly BaultAt[]; listed: ChainFile["externalVaults"] },
): Promise<ReadonlyMap<Address, readonly Address[]>> {
  const { pools, baults, listed } = over;
  const ids = [...broken.keys()];
  const taken = await ledger.tokensOf([REWARD_VAULT, FARM, INFRARED], vaultsAmong(ids));
  const assetOf = new Map([
    ...listed.map(({ address, asset }) => [address, asset] as const),
    ...baults.map(({ bault, asset }) => [bault, asset] as const),
  ]);
  const stopped = new Map<Address, Address[]>();
  for (const contract of [...new Set(ids.map(issuerOfAsset))].sort()) {
    // what is added meanwhile is walked too, up to the pools
    const behind = new Set([contract, ...(taken.get(contract) ?? [])]);
    for (const token of behind) {
      const asset = assetOf.get(token);
      if (pools.has(token)) stopped.set(token, [...(stopped.get(token) ?? []), contract]);
      else if (asset !== undefined) behind.add(asset);
    }
  }
  return stopped;
}
