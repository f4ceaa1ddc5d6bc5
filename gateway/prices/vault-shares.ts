// Shares of vaults with one asset: baults, and those that the chain file lists (EIP-4626, `totalAssets`).
import type { ChainFile } from "../../chains/chain-file.ts";
import { STAKE } from "../../core/ledgers/stake.ts";
import { BAULT, FARM, INFRARED, REWARD_VAULT } from "../../core/ledgers/vault.ts";
import type { LedgerAt } from "../backing/ledger-at.ts";
import { stakeAsset, stakesIn } from "../backing/stake.ts";
import type { BrokenLedgers } from "../backing/stopped.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { contractsOf, stakersOf } from "../protocols/vault/listed.ts";
import { type BackedShare, unknownShare } from "./share.ts";

/** Whose holdings of `asset` stand behind `share`. */
export interface Vault {
  share: Address;
  asset: Address;
  /** Those whose wallets count. */
  holders: readonly Address[];
  /** Those whose stakes count. */
  stakers: readonly Address[];
  /** Kinds of vaults in which the asset may be staked. */
  stakedIn: readonly string[];
  /** Whether queued withdrawals lie among the holdings, as stakes in the share's contract; they stand behind no share. */
  hasQueue: boolean;
}

/**
 * Unknown where the ledger of its queue is `broken`, or that of the stakes in any vault that takes the asset: once that is final, nobody
 * can say who staked there.
 */
export async function vaultShares(
  ledger: LedgerAt,
  vaults: readonly Vault[],
  broken: Pick<BrokenLedgers, "has">,
): Promise<BackedShare[]> {
  if (vaults.length === 0) return [];
  const places = await stakingPlaces(ledger, vaults);
  const placesOf = (kind: string, asset: Address): readonly Address[] => places.get(`${kind} ${asset}`) ?? [];
  const queries = vaults.flatMap(({ share, asset, holders, stakers, stakedIn }) => [
    ...holders.map((account) => ({ share, kind: "erc20", key: asset, account })),
    ...stakers.flatMap((account) =>
      stakedIn.flatMap((kind) => placesOf(kind, asset).map((key) => ({ share, kind: STAKE, key, account }))),
    ),
  ]);
  const queued = vaults.flatMap(({ share, hasQueue }) => (hasQueue ? [share] : []));
  const [amounts, waiting] = await Promise.all([ledger.amounts(queries), stakesIn(ledger, "external_vaults", queued)]);
  const isKnown = ({ share, asset, stakedIn, hasQueue }: Vault): boolean =>
    !(hasQueue && broken.has(stakeAsset(share))) &&
    !stakedIn.some((kind) => placesOf(kind, asset).some((key) => broken.has(stakeAsset(key))));
  const totals = new Map<Address, bigint>();
  for (const [i, { share }] of queries.entries()) totals.set(share, (totals.get(share) ?? 0n) + (amounts[i] ?? 0n));
  return vaults.map((vault) => {
    const { share, asset } = vault;
    if (!isKnown(vault)) return unknownShare(share);
    const [held, owed] = [totals.get(share) ?? 0n, waiting.get(share)?.total ?? 0n];
    const parts = [{ token: asset, amount: held > owed ? held - owed : 0n }];
    return { share, parts, fairParts: parts };
  });
}

interface AnnouncedBault {
  share: Address;
  asset: Address;
  block: number;
}

/** Baults announced by the end of the block. */
export async function announcedBaults(
  { chain, snapshot }: Pick<OperationContext, "chain" | "snapshot">,
  { block }: BlockPoint,
): Promise<AnnouncedBault[]> {
  if (!chain.baults) return [];
  return snapshot.prepared<AnnouncedBault>(
    `select vault as share, asset, block from ${snapshot.fold}.vault_created
      where kind = '${BAULT}' and asset is not null and block <= $1::int4 order by vault, asset desc`,
    [String(block)],
  );
}

/** Every vault at the block: the announced ones and those that the chain file lists. */
export function everyVault(chain: ChainFile, announced: readonly AnnouncedBault[], block: number): Vault[] {
  const assets = new Map(announced.flatMap((one) => (one.block <= block ? [[one.share, one.asset] as const] : [])));
  // what a bault holds unstaked does not count as its assets
  const baults = [...assets].map(([share, asset]): Vault => {
    return { share, asset, holders: [], stakers: [share], stakedIn: [REWARD_VAULT], hasQueue: false };
  });
  const listed = chain.externalVaults
    .filter(({ address, kind, startBlock }) => kind !== "staking" && startBlock <= block && !assets.has(address))
    .map((vault): Vault => {
      const { address: share, asset } = vault;
      const holders = [...new Set(contractsOf(vault))];
      const stakers = [...new Set(stakersOf(vault))];
      const hasQueue = vault.kind === "erc4626-queued";
      const stakedIn = hasQueue ? [] : [REWARD_VAULT, FARM, INFRARED];
      return { share, asset, holders, stakers, stakedIn, hasQueue };
    });
  return [...baults, ...listed];
}

/** The vaults of each kind that take each asset, by `<kind> <asset>`. */
async function stakingPlaces(ledger: LedgerAt, vaults: readonly Vault[]): Promise<Map<string, Address[]>> {
  const wanted = new Map<string, Set<Address>>();
  for (const { asset, stakedIn } of vaults)
    for (const kind of stakedIn) wanted.set(kind, (wanted.get(kind) ?? new Set()).add(asset));
  const places = new Map<string, Address[]>();
  for (const [kind, assets] of wanted)
    for (const { token, contract } of await ledger.listed(kind, [...assets])) {
      const name = `${kind} ${token}`;
      places.set(name, [...(places.get(name) ?? []), contract]);
    }
  return places;
}
