// Pools that issue shares: field -> operation, and the answers in the shapes of schema.graphql. What is not known is null.
import { sumIfComplete } from "../../core/amounts.ts";
import { earningSeconds, PERCENT_DECIMALS, WEEK, YEAR } from "../../core/vaults/apr.ts";
import type { VaultFilter } from "../../core/vaults/vault-list.ts";
import { usdOf } from "../catalogue/appraise.ts";
import type { BaultAt } from "../catalogue/baults-at.ts";
import type { KnownHolding } from "../catalogue/user-holdings.ts";
import type { FarmRecord, VaultRecord } from "../catalogue/vault-record.ts";
import { decimalOf, plainDecimal, toNearestDouble } from "../numbers.ts";
import { type Address, parseInput } from "../parameters.ts";
import { toUsdDecimal, toUsdNumber } from "../prices/price.ts";
import {
  type BaultsList,
  baultsList,
  FIRST_PAGE,
  leastUsd,
  type ShownVault,
  searchText,
  type VaultAt,
  type VaultPage,
  type VaultSetting,
  type VaultsPage,
  vaultAt,
  vaultPage,
  vaultsPage,
} from "../questions/vaults.ts";
import {
  type BlockArgument,
  blockChoice,
  type ChainArgument,
  type Context,
  chainId,
  cursorText,
  type PageArguments,
} from "./arguments.ts";
import { blockView } from "./views.ts";

type Nullable<T> = { [Key in keyof T]?: T[Key] | null };

type VaultsArguments = Nullable<VaultPage> &
  Pick<PageArguments, "after"> &
  Nullable<Pick<VaultFilter, "search" | "rewardVault" | "sweetened" | "volatile">> & {
    minimumTvl?: number | null;
    user?: Address | null;
  } & BlockArgument &
  ChainArgument;

/** @throws InvalidInputError naming the argument */
const filterOf = ({ search, rewardVault, sweetened, volatile, minimumTvl }: VaultsArguments) => {
  return {
    search: parseInput(searchText, search ?? undefined, "search"),
    rewardVault: rewardVault ?? undefined,
    sweetened: sweetened ?? undefined,
    volatile: volatile ?? undefined,
    minimumTvl: parseInput(leastUsd, minimumTvl == null ? undefined : plainDecimal(minimumTvl), "minimumTvl"),
  };
};

const pageOf = (args: VaultsArguments): VaultPage =>
  parseInput(vaultPage, {
    limit: args.limit ?? FIRST_PAGE.limit,
    offset: args.offset ?? FIRST_PAGE.offset,
    orderBy: args.orderBy ?? FIRST_PAGE.orderBy,
    orderDirection: args.orderDirection ?? FIRST_PAGE.orderDirection,
  });

export const vaultQueries = {
  async vaults(_: unknown, args: VaultsArguments, { scope }: Context) {
    const input = {
      block: blockChoice(args.block),
      user: args.user ?? undefined,
      filter: filterOf(args),
      page: pageOf(args),
      after: parseInput(cursorText, args.after ?? undefined, "after"),
    };
    return vaultsView(await scope.run(vaultsPage, input, chainId(args)));
  },

  async vault(
    _: unknown,
    args: { id: Address; user?: Address | null } & BlockArgument & ChainArgument,
    { scope }: Context,
  ) {
    const input = { id: args.id, block: blockChoice(args.block), user: args.user ?? undefined };
    return oneVaultView(await scope.run(vaultAt, input, chainId(args)));
  },

  async baults(_: unknown, args: BlockArgument & ChainArgument, { scope }: Context) {
    return baultsView(await scope.run(baultsList, { block: blockChoice(args.block) }, chainId(args)));
  },
};

type Shown = Pick<VaultSetting, "tokens" | "prices">;

const percent = (value: bigint | undefined) => (value === undefined ? null : toNearestDouble(value, PERCENT_DECIMALS));

function vaultTokenView(address: Address, { tokens, prices }: Shown) {
  const { symbol, name, decimals } = tokens.get(address)?.metadata ?? {};
  const price = prices.get(address);
  return {
    address,
    symbol: symbol ?? null,
    name: name ?? null,
    decimals: decimals ?? null,
    priceUSD: toUsdDecimal(price?.usd),
    priceStrategy: price?.strategy ?? null,
  };
}

/** An amount under its own name, and in whole tokens. */
function amountView(name: string, amount: bigint | undefined, decimals: number | undefined) {
  return { [name]: amount ?? null, [`${name}Decimal`]: decimalOf(amount, decimals) };
}

const decimalsOf = (token: Address, { tokens }: Shown) => tokens.get(token)?.metadata?.decimals;

function vaultView({ vault, holding }: ShownVault, setting: VaultSetting) {
  const { address, token0, token1, amounts, supply } = vault;
  return {
    id: address,
    provider: vault.provider,
    pool: vault.pool,
    createdAt: vault.createdAt,
    token0: vaultTokenView(token0, setting),
    token1: vaultTokenView(token1, setting),
    tokenLp: vaultTokenView(address, setting),
    ...amountView("totalSupply", supply, decimalsOf(address, setting)),
    ...amountView("amount0", amounts?.[0], decimalsOf(token0, setting)),
    ...amountView("amount1", amounts?.[1], decimalsOf(token1, setting)),
    lowerTick: vault.lowerTick ?? null,
    upperTick: vault.upperTick ?? null,
    currentTick: vault.currentTick ?? null,
    feeTier: vault.feeTier ?? null,
    managerFeeBps: vault.managerFeeBps ?? null,
    managerTreasury: vault.managerTreasury ?? null,
    tvl: toUsdNumber(vault.tvl),
    farmTvl: toUsdNumber(vault.farmTvl),
    apr: percent(vault.apr),
    farmApr: percent(vault.farmApr),
    totalApr: percent(vault.totalApr),
    weeklyFeesEarnedUSD: toUsdNumber(vault.weeklyFees),
    isRewardVault: vault.isRewardVault,
    isSweetened: vault.isSweetened ?? null,
    isVolatile: vault.isVolatile,
    farms: vault.farms.map((farm) => farmView(farm, setting)),
    baults: vault.baults.map((bault) => baultView(bault, setting)),
    unpriced: vault.unpriced,
    unread: vault.unread,
    stopped: vault.stopped,
    incomplete: vault.incomplete ?? null,
    userBalance: holding === undefined ? null : userBalanceView(vault, holding, setting),
    aprDetail: aprDetailView(vault, setting),
    block: blockView(setting.point),
  };
}

function aprDetailView(vault: VaultRecord, setting: VaultSetting) {
  const { token0, token1, fees, createdAt } = vault;
  const now = setting.point.timestamp ?? createdAt;
  return {
    from: now - WEEK,
    to: now,
    ageSeconds: now - createdAt,
    ...amountView("fees0", fees?.[0], decimalsOf(token0, setting)),
    ...amountView("fees1", fees?.[1], decimalsOf(token1, setting)),
    feesUSD: toUsdDecimal(vault.weeklyFees),
    tvlUSD: toUsdDecimal(vault.tvl),
    earningSeconds: earningSeconds(now - createdAt),
    apr: percent(vault.apr),
    farms: vault.farms.map((farm) => farmView(farm, setting)),
  };
}

function farmView(farm: FarmRecord, setting: Shown) {
  const { address, kind, stakingToken, through, staked, periodFinish } = farm;
  return {
    address,
    provider: kind === "farm" ? "kodiak" : "bgt",
    stakingToken: vaultTokenView(stakingToken, setting),
    bault: through?.bault ?? null,
    ...amountView("staked", staked, decimalsOf(stakingToken, setting)),
    stakedUSD: toUsdDecimal(farm.tvl),
    tvl: toUsdNumber(farm.tvl),
    apr: percent(farm.apr),
    periodFinish: periodFinish ?? null,
    rewards: farm.pays?.map((paid) => rewardView(paid, kind, setting)) ?? null,
    isWhitelisted: kind === "reward-vault" ? farm.isWhitelisted : null,
    incentives: farm.incentives,
    unpriced: farm.unpriced,
  };
}

type Paid = NonNullable<FarmRecord["pays"]>[number];

/** `amount`, over `seconds`, is what the APR is made of. */
function rewardView({ token, rate, amount }: Paid, kind: FarmRecord["kind"], setting: Shown) {
  const seconds = kind === "farm" ? YEAR : WEEK;
  const whole = kind === "farm" ? amount * BigInt(YEAR) : amount;
  return {
    token: vaultTokenView(token, setting),
    rate,
    ...amountView("amount", whole, decimalsOf(token, setting)),
    seconds,
    amountUSD: toUsdDecimal(usdOf(setting, token, whole)),
  };
}

function userBalanceView({ address, held }: VaultRecord, { inWallet, staked }: KnownHolding, setting: Shown) {
  const decimals = decimalsOf(address, setting);
  return {
    ...amountView("balance", sumIfComplete([inWallet, staked]), decimals),
    ...amountView("vaultBalance", inWallet, decimals),
    ...amountView("farmBalance", staked, decimals),
    balanceUSD: toUsdNumber(held?.balance),
    vaultBalanceUSD: toUsdNumber(held?.vaultBalance),
    farmBalanceUSD: toUsdNumber(held?.farmBalance),
  };
}

function baultView({ bault, asset, totalAssets, totalSupply, apy }: BaultAt, setting: Shown) {
  return {
    token: vaultTokenView(bault, setting),
    stakingToken: vaultTokenView(asset, setting),
    ...amountView("totalAssets", totalAssets, decimalsOf(asset, setting)),
    ...amountView("totalSupply", totalSupply, decimalsOf(bault, setting)),
    tvl: toUsdNumber(usdOf(setting, asset, totalAssets)),
    apy: apy ?? null,
  };
}

const vaultsView = (page: VaultsPage) => ({
  count: page.count,
  nodes: page.entries.map((entry) => vaultView(entry, page)),
  pageInfo: { hasNextPage: page.hasNextPage, endCursor: page.endCursor ?? null },
  block: blockView(page.point),
  incomplete: page.incomplete,
});

const oneVaultView = (found: VaultAt) => vaultView(found, found);

const baultsView = (list: BaultsList) => list.baults.map((bault) => baultView(bault, list));
