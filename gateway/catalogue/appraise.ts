// What a pool and everything staked of it is worth, and what it pays. Pure: pools and prices in, records out.

import type { ChainFile } from "../../chains/chain-file.ts";
import { sumIfComplete } from "../../core/amounts.ts";
import { baseApr, farmApr, rewardVaultApr, YEAR } from "../../core/vaults/apr.ts";
import type { BlockPoint } from "../history/point.ts";
import { type TokenState, unknownAmong } from "../history/token-state.ts";
import type { Address } from "../parameters.ts";
import { type TokenPrice, usdValue } from "../prices/price.ts";
import type { BaultAt } from "./baults-at.ts";
import { isSweet, type StakeContract } from "./stake-contracts.ts";
import type { FarmRecord, VaultPool, VaultRecord } from "./vault-record.ts";

/** What amounts are valued with. */
export interface Market {
  prices: ReadonlyMap<Address, TokenPrice>;
  tokens: ReadonlyMap<Address, TokenState>;
  /** Of shares: which tokens their price waits for. */
  unpricedBehind: ReadonlyMap<Address, readonly Address[]>;
}

interface Surroundings extends Market {
  chain: ChainFile;
  at: BlockPoint;
  /** Of the block, Unix seconds. */
  timestamp: number;
  contracts: readonly StakeContract[];
  baults: readonly BaultAt[];
  /** By share: see {@link VaultRecord}. */
  stopped: ReadonlyMap<Address, readonly Address[]>;
}

/** USD of raw units; an amount of 0 is worth 0 USD, even without a price, and one that is not known an unknown sum. */
export function usdOf(
  { prices, tokens }: Pick<Market, "prices" | "tokens">,
  token: Address,
  amount: bigint | undefined,
): bigint | undefined {
  if (amount === undefined || amount === 0n) return amount;
  const price = prices.get(token);
  const decimals = tokens.get(token)?.metadata?.decimals;
  return price === undefined || decimals === undefined ? undefined : usdValue(price, amount, decimals);
}

const sumOf = (market: Market, { token0, token1 }: VaultPool, amounts: readonly [bigint, bigint] | undefined) =>
  amounts && sumIfComplete([usdOf(market, token0, amounts[0]), usdOf(market, token1, amounts[1])]);

/** The part of the TVL that `amount` shares stand for, rounded down; undefined where one of them is not known. */
export function partOfTvl(
  { tvl, supply }: { tvl: bigint | undefined; supply: bigint | undefined },
  amount: bigint | undefined,
): bigint | undefined {
  if (amount === undefined || amount === 0n) return amount;
  return tvl === undefined || supply === undefined || supply === 0n ? undefined : (tvl * amount) / supply;
}

/** Nobody can say how much of a token there is whose events contradict each other, or whose transfers are not indexed. */
const unknownOf = (
  { token0, token1 }: VaultPool,
  { chain, tokens, at }: Pick<Surroundings, "chain" | "tokens" | "at">,
): Address[] => [
  ...unknownAmong(
    [token0, token1].flatMap((token) => tokens.get(token) ?? []),
    { chain, point: at },
  ),
];

const withSoundAmounts = (pool: VaultPool, around: Surroundings): VaultPool =>
  unknownOf(pool, around).length > 0 ? { ...pool, amounts: undefined } : pool;

export function appraise(reported: VaultPool, around: Surroundings): VaultRecord {
  const { chain, timestamp, tokens } = around;
  const pool = withSoundAmounts(reported, around);
  const tvl = sumOf(around, pool, pool.amounts);
  const weeklyFees = sumOf(around, pool, pool.fees);
  const contracts = around.contracts.filter((one) => one.pool === pool.address);
  const farms = contracts.map((one) => appraiseFarm(one, { pool, tvl, around })).sort(byTvl);
  const apr =
    tvl === undefined || weeklyFees === undefined
      ? undefined
      : baseApr({ usd: weeklyFees, age: timestamp - pool.createdAt }, tvl);
  const allFarms = sumIfComplete(farms.map((one) => one.apr));
  const unread = farms.flatMap(({ kind, pays, address }) => (kind === "farm" && pays === undefined ? [address] : []));
  return {
    ...pool,
    id: pool.address,
    words: [pool.address, pool.token0, pool.token1].flatMap((token) => {
      const { name, symbol } = tokens.get(token)?.metadata ?? {};
      return [name, symbol].filter((word) => word !== undefined);
    }),
    addresses: [pool.address, pool.token0, pool.token1, pool.pool],
    tvl,
    // what stands behind bault shares is staked in a reward vault, and seen there
    farmTvl: sumIfComplete(farms.filter(({ through }) => through === undefined).map((one) => one.tvl)),
    apr,
    farmApr: allFarms,
    totalApr: sumIfComplete([apr, allFarms]),
    isRewardVault: farms.some(({ kind, through }) => kind === "reward-vault" && through === undefined),
    isSweetened: farms.some(isSweet) || (unread.length > 0 ? undefined : false),
    isVolatile: !shareTag(chain, [pool.token0, pool.token1]),
    held: undefined,
    weeklyFees,
    farms,
    baults: around.baults.filter(({ asset }) => asset === pool.address),
    unpriced: unpricedOf(around, pool, farms),
    unread,
    stopped: around.stopped.get(pool.address) ?? [],
  };
}

/** Known ones first, then by what is staked; equal ones by address. */
function byTvl(a: FarmRecord, b: FarmRecord): number {
  const [one, other] = [a.tvl ?? -1n, b.tvl ?? -1n];
  if (one !== other) return one > other ? -1 : 1;
  const [staked, others] = [a.staked ?? -1n, b.staked ?? -1n];
  if (staked !== others) return staked > others ? -1 : 1;
  return a.address < b.address ? -1 : 1;
}

/** What is paid in tokens without a price is left out of the APR, and named. */
function appraiseFarm(
  contract: StakeContract,
  { pool, tvl, around }: { pool: VaultPool; tvl: bigint | undefined; around: Market },
): FarmRecord {
  const { pays, kind } = contract;
  const worth = partOfTvl({ tvl, supply: pool.supply }, sharesIn(contract));
  const each = (pays ?? []).map(({ token, amount }) => ({
    token,
    usd: usdOf(around, token, kind === "farm" ? amount * BigInt(YEAR) : amount),
  }));
  const paid = each.reduce((sum, { usd }) => sum + (usd ?? 0n), 0n);
  const yearly = kind === "farm" ? farmApr : rewardVaultApr;
  return {
    ...contract,
    tvl: worth,
    apr: pays === undefined || worth === undefined ? undefined : yearly(paid, worth),
    unpriced: each.flatMap(({ token, usd }) => (usd === undefined ? [token] : [])),
  };
}

/** Shares of the pool that what is staked stands for, rounded down. */
function sharesIn({ through, staked }: StakeContract): bigint | undefined {
  if (through === undefined || staked === undefined || staked === 0n) return staked;
  const { totalAssets, totalSupply } = through;
  if (totalAssets === undefined || totalSupply === undefined) return undefined;
  return totalSupply === 0n ? 0n : (staked * totalAssets) / totalSupply;
}

function unpricedOf(market: Surroundings, pool: VaultPool, farms: readonly FarmRecord[]): Address[] {
  const { unpricedBehind } = market;
  const both = [pool.token0, pool.token1] as const;
  const own = both.flatMap((token, side) => {
    const isThere = (pool.amounts?.[side] ?? 0n) > 0n || (pool.fees?.[side] ?? 0n) > 0n;
    return isThere && usdOf(market, token, 1n) === undefined ? (unpricedBehind.get(token) ?? [token]) : [];
  });
  // where its state is known but its fees are not, its state a week ago is unknown
  const isUnknown = pool.incomplete !== undefined || pool.fees === undefined;
  const unknownTokens = pool.incomplete === undefined && pool.amounts === undefined ? unknownOf(pool, market) : [];
  const brokenShares = [
    ...(pool.supply === undefined ? [pool.address] : []),
    ...market.baults.flatMap((one) => (one.asset === pool.address && one.totalSupply === undefined ? [one.bault] : [])),
  ];
  const unknown = [...(isUnknown ? [pool.address] : []), ...unknownTokens, ...brokenShares];
  return [...new Set([...own, ...unknown, ...farms.flatMap(({ unpriced }) => unpriced)])].sort();
}

const TAGS = ["usd", "btc", "eth", "bera"];

/** Whether all of `tokens` are pegged to the same thing, by the chain file's tags. */
function shareTag({ knownTokens }: ChainFile, tokens: readonly Address[]): boolean {
  const tags = tokens.map((token) => knownTokens.find(({ address }) => address === token)?.tags ?? []);
  return TAGS.some((tag) => tags.every((own) => own.includes(tag)));
}
