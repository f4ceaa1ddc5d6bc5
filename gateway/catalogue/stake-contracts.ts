// Where a pool's shares are staked: its reward vaults and farms, and those over the shares of its baults.

import type { ChainFile } from "../../chains/chain-file.ts";
import { STAKE } from "../../core/ledgers/stake.ts";
import { FARM, INFRARED, REWARD_VAULT } from "../../core/ledgers/vault.ts";
import { isPaying, WEEK } from "../../core/vaults/apr.ts";
import type { Ledger } from "../backing/ledger.ts";
import type { LedgerAt } from "../backing/ledger-at.ts";
import { issuerOfAsset } from "../backing/protocol.ts";
import { stakeAsset, vaultsAmong } from "../backing/stake.ts";
import type { BrokenLedgers } from "../backing/stopped.ts";
import type { Address } from "../parameters.ts";
import type { FarmAt } from "../protocols/farm/settings-at.ts";
import type { AnnouncedVault } from "./announced.ts";
import type { BaultAt } from "./baults-at.ts";
import type { Incentive } from "./incentives-left.ts";

/** A token that stakers get. Raw units. */
interface PaidToken {
  token: Address;
  /** Per second: of a farm as the contract has it, whether it pays or not; of a reward vault the week's mean, rounded down. */
  rate: bigint;
  /** Of a reward vault what was emitted in the trailing week, of a farm what it really pays per second. */
  amount: bigint;
}

export interface StakeContract {
  address: Address;
  kind: "reward-vault" | "farm";
  /** The pool's share, or that of a bault over it. */
  stakingToken: Address;
  pool: Address;
  /** The bault whose shares it takes. What these stand for is staked in a reward vault already. */
  through: BaultAt | undefined;
  /** Raw units of the staking token; undefined where their ledger is impossible. */
  staked: bigint | undefined;
  /** Undefined where a farm's rates could not be read, and of reward vaults where emissions are not indexed. */
  pays: readonly PaidToken[] | undefined;
  /** Of a farm: Unix seconds, 0 before its start; undefined where it could not be read, and of reward vaults. */
  periodFinish: bigint | undefined;
  /** Of a reward vault: whether emissions may be directed to it. */
  isWhitelisted: boolean;
  incentives: readonly Incentive[];
}

/** What is known of reward vaults and farms, all at one block. */
export interface StakeFacts {
  vaults: readonly AnnouncedVault[];
  farms: ReadonlyMap<string, FarmAt>;
  emissions: ReadonlyMap<string, bigint>;
  incentives: ReadonlyMap<string, readonly Incentive[]>;
  whitelisted: ReadonlySet<string> | undefined;
  /** What is emitted; undefined where the chain file does not name it, or not who emits it. */
  rewardToken: Address | undefined;
  timestamp: number;
}

type Taker = AnnouncedVault & { asset: Address };

/** Reward vaults and farms with what they take; a farm of which nothing is known takes nothing yet. */
async function takersOf({ vaults, farms }: StakeFacts, ledger: LedgerAt): Promise<Taker[]> {
  const unread = vaults.filter(({ kind, vault }) => kind === "farm" && !farms.has(vault)).map(({ vault }) => vault);
  const stakedTokens = await ledger.tokensEverOf([FARM], unread);
  return vaults.flatMap((one) => {
    if (one.kind === "bault") return [];
    const asset = one.asset ?? farms.get(one.vault)?.stakingToken ?? [...(stakedTokens.get(one.vault) ?? [])][0];
    return asset === undefined ? [] : [{ ...one, asset }];
  });
}

/** Those of `pools` (shares), in the order in which they were announced. */
export async function stakeContracts(
  facts: StakeFacts,
  ledger: LedgerAt,
  { pools, baults, broken }: { pools: ReadonlySet<string>; baults: readonly BaultAt[]; broken: BrokenLedgers },
): Promise<StakeContract[]> {
  const overPools = new Map(baults.flatMap((bault) => (pools.has(bault.asset) ? [[bault.bault, bault] as const] : [])));
  const takers = (await takersOf(facts, ledger)).filter(({ asset }) => pools.has(asset) || overPools.has(asset));
  const staked = await ledger.totals(takers.map(({ vault }) => ({ kind: STAKE, key: vault })));
  return takers.map(({ vault, kind, asset }, i) => {
    const through = overPools.get(asset);
    return {
      address: vault,
      kind: kind === "farm" ? "farm" : "reward-vault",
      stakingToken: asset,
      pool: through?.asset ?? asset,
      through,
      staked: broken.has(stakeAsset(vault)) ? undefined : (staked[i] ?? 0n),
      pays: paidBy(facts, vault, kind),
      periodFinish: facts.farms.get(vault)?.periodFinish,
      isWhitelisted: kind === "reward-vault" && (facts.whitelisted?.has(vault) ?? true),
      incentives: facts.incentives.get(vault) ?? [],
    };
  });
}

/** A farm that is not started, or whose period is over, pays nothing whatever its rates say. */
function paidBy(facts: StakeFacts, vault: Address, kind: AnnouncedVault["kind"]): readonly PaidToken[] | undefined {
  if (kind === "farm") {
    const farm = facts.farms.get(vault);
    const pays = farm && isPaying(farm, facts.timestamp);
    return farm?.rewards.map(({ token, rate }) => ({ token, rate, amount: pays ? rate : 0n }));
  }
  const { rewardToken } = facts;
  const amount = facts.emissions.get(vault) ?? 0n;
  return rewardToken && [{ token: rewardToken, rate: amount / BigInt(WEEK), amount }];
}

/** Something is paid to stakers, or offered for emissions. */
export const isSweet = ({ kind, pays, isWhitelisted, incentives }: StakeContract): boolean =>
  kind === "farm" ? (pays ?? []).some(({ amount }) => amount > 0n) : isWhitelisted && incentives.length > 0;

/**
 * Where it is not known who has which shares of a pool: the pool itself and what takes its shares, as far as a ledger is impossible.
 * By share of `pools`, each list ascending: the share, and vaults and farms over it or over shares of vaults over it. */
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
