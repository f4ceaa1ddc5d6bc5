// What factories announced up to a block, as far as lists of pools need it.
import type { Snapshot } from "../database/snapshot.ts";
import type { Address } from "../parameters.ts";

/** When each island was made, Unix seconds. */
export async function readIslandBirths(snapshot: Snapshot, block: number): Promise<Map<string, number>> {
  const found = await snapshot.prepared<{ island: string; timestamp: number }>(
    `select island, timestamp from ${snapshot.fold}.island_created where block <= $1::int4`,
    [String(block)],
  );
  return new Map(found.map(({ island, timestamp }) => [island, timestamp]));
}

export interface AnnouncedVault {
  vault: Address;
  kind: "reward-vault" | "farm" | "bault";
  /** What it takes; undefined for farms, which do not say. */
  asset: Address | undefined;
}

/** Reward vaults, farms and baults in order of creation. */
export async function readVaults(snapshot: Snapshot, block: number): Promise<AnnouncedVault[]> {
  const found = await snapshot.prepared<Omit<AnnouncedVault, "asset"> & { asset: Address | null }>(
    `select vault, kind, asset from ${snapshot.fold}.vault_created
      where block <= $1::int4 and kind in ('reward-vault', 'farm', 'bault') order by block, log_index`,
    [String(block)],
  );
  return found.map((row) => ({ ...row, asset: row.asset ?? undefined }));
}
