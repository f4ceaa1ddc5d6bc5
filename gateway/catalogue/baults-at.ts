// Baults at a block: what stands behind their shares, and what a share has gained in the trailing week.
import { STAKE } from "../../core/ledgers/stake.ts";
import { growthApy, type ShareWorth } from "../../core/vaults/apr.ts";
import { ledgerAt } from "../backing/ledger-at.ts";
import { tokenAsset } from "../backing/protocol.ts";
import { stakeAsset } from "../backing/stake.ts";
import type { BrokenLedgers } from "../backing/stopped.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import type { AnnouncedVault } from "./announced.ts";
import type { TrailingWeek } from "./trailing-week.ts";

export interface BaultAt {
  bault: Address;
  /** What it takes, raw units of which `totalAssets` counts. */
  asset: Address;
  /** Undefined where the ledger of the stakes in some reward vault over the asset is impossible. */
  totalAssets: bigint | undefined;
  /** Undefined where the ledger of its own shares is impossible. */
  totalSupply: bigint | undefined;
  /** Percent a year, compounded, at the pace of the trailing week; undefined where there were no shares at its start, or one of both is. */
  apy: number | undefined;
}

type Bault = AnnouncedVault & { asset: Address };

/** All there are, in order of creation. */
export async function baultsAt(
  context: OperationContext,
  week: TrailingWeek,
  { vaults, broken }: { vaults: readonly AnnouncedVault[]; broken: BrokenLedgers },
): Promise<BaultAt[]> {
  const baults = vaults.flatMap((one) =>
    one.kind === "bault" && one.asset !== undefined ? [{ ...one, asset: one.asset }] : [],
  );
  if (baults.length === 0) return [];
  const { start, end } = week;
  const rewardVaults = vaults.filter(({ kind }) => kind === "reward-vault");
  const [now, before] = await Promise.all([
    worthsAt(context, end, { baults, rewardVaults }),
    start ? worthsAt(context, start, { baults, rewardVaults }) : [],
  ]);
  return baults.map(({ vault, asset }, i) => {
    const worth = now[i] ?? NOTHING;
    const areAssetsKnown = !rewardVaults.some((one) => one.asset === asset && broken.has(stakeAsset(one.vault)));
    const isSupplyKnown = !broken.has(tokenAsset(vault));
    return {
      bault: vault,
      asset,
      totalAssets: areAssetsKnown ? worth.assets : undefined,
      totalSupply: isSupplyKnown ? worth.supply : undefined,
      // what has not broken by now had not a week ago
      apy: areAssetsKnown && isSupplyKnown ? growthApy({ before: before[i] ?? NOTHING, now: worth }) : undefined,
    };
  });
}

const NOTHING: ShareWorth = { assets: 0n, supply: 0n };

/** What each has staked in reward vaults of its token, `totalAssets()`, and its shares. */
async function worthsAt(
  context: OperationContext,
  point: BlockPoint,
  { baults, rewardVaults }: { baults: readonly Bault[]; rewardVaults: readonly AnnouncedVault[] },
): Promise<ShareWorth[]> {
  const places = baults.flatMap(({ vault, asset }, place) =>
    rewardVaults.filter((one) => one.asset === asset).map((one) => ({ place, key: one.vault, account: vault })),
  );
  const shares = baults.map(({ vault }) => vault);
  const ledger = ledgerAt(context, point);
  const [staked, supplies] = await Promise.all([
    ledger.amounts(places.map(({ key, account }) => ({ kind: STAKE, key, account }))),
    ledger.supplies(shares),
  ]);
  const assets = baults.map(() => 0n);
  for (const [i, { place }] of places.entries()) assets[place] = (assets[place] ?? 0n) + (staked[i] ?? 0n);
  return baults.map((_, i) => ({ assets: assets[i] ?? 0n, supply: supplies[i] ?? 0n }));
}
