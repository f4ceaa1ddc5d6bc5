// Records of pools in the shape of the interface. What is unknown for want of a price is 0, as clients expect, and `unpriced`
// says whose price is missing; of an island of which nothing is said it is null, and `incomplete` says why.
import { PERCENT_DECIMALS } from "../../core/vaults/apr.ts";
import { usdOf } from "../catalogue/appraise.ts";
import type { BaultAt } from "../catalogue/baults-at.ts";
import type { FarmRecord, VaultRecord } from "../catalogue/vault-record.ts";
import { toNearestDouble } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import { toUsdNumber } from "../prices/price.ts";
import type { ShownVault, VaultSetting } from "../questions/vaults.ts";

type Shown = Pick<VaultSetting, "tokens" | "prices">;

const usd = (amount: bigint | undefined): number => (amount === undefined ? 0 : toUsdNumber(amount));
const percent = (value: bigint | undefined): number =>
  value === undefined ? 0 : toNearestDouble(value, PERCENT_DECIMALS);

/** How numbers of the record are written that hang on what stands behind its shares. */
const numbersOf = ({ incomplete }: Pick<VaultRecord, "incomplete">) => ({
  usd: (amount: bigint | undefined) => (incomplete && amount === undefined ? null : usd(amount)),
  percent: (value: bigint | undefined) => (incomplete && value === undefined ? null : percent(value)),
});

function tokenJson(id: Address, { tokens, prices }: Shown) {
  const { symbol, name, decimals } = tokens.get(id)?.metadata ?? {};
  return { id, symbol: symbol ?? "", name: name ?? "", decimals: decimals ?? 0, price: usd(prices.get(id)?.usd) };
}

/** Null where the token has no decimals or the amount cannot be told. */
function wholeTokens(amount: bigint | undefined, token: Address, { tokens }: Shown): number | null {
  const decimals = tokens.get(token)?.metadata?.decimals;
  return amount === undefined || decimals === undefined ? null : toNearestDouble(amount, decimals);
}

export function vaultJson(
  { vault, holding }: ShownVault,
  setting: VaultSetting,
  { withBaults }: { withBaults: boolean },
) {
  const { token0, token1, address, amounts, managerTreasury } = vault;
  const [largest] = vault.farms;
  const { timestamp } = setting.point;
  const numbers = numbersOf(vault);
  const price = numbers.usd(setting.prices.get(address)?.usd);
  return {
    id: address,
    provider: vault.provider,
    poolAddress: vault.pool,
    lowerTick: vault.lowerTick ?? null,
    upperTick: vault.upperTick ?? null,
    currentTick: vault.currentTick ?? null,
    feeTier: vault.feeTier ?? null,
    tvl: numbers.usd(vault.tvl),
    farmTvl: numbers.usd(vault.farmTvl),
    apr: numbers.percent(vault.apr),
    farmApr: numbers.percent(vault.farmApr),
    totalApr: numbers.percent(vault.totalApr),
    weeklyFeesEarnedUSD: numbers.usd(vault.weeklyFees),
    lastUpdated: new Date((timestamp ?? 0) * 1_000).toISOString(),
    isSweetened: vault.isSweetened,
    isRewardVault: vault.isRewardVault,
    isVolatile: vault.isVolatile,
    ...(managerTreasury === undefined ? {} : { managerTreasury }),
    managerFeeBps: vault.managerFeeBps ?? null,
    token0: tokenJson(token0, setting),
    token1: tokenJson(token1, setting),
    tokenLp: { ...tokenJson(address, setting), price, totalSupply: wholeTokens(vault.supply, address, setting) ?? 0 },
    amount0: wholeTokens(amounts?.[0], token0, setting),
    amount1: wholeTokens(amounts?.[1], token1, setting),
    ...(largest === undefined ? {} : { farm: farmJson(largest, setting, numbers) }),
    ...(withBaults ? { baults: vault.baults.map((bault) => baultJson(bault, setting)) } : {}),
    unpriced: vault.unpriced,
    incomplete: vault.incomplete ?? null,
    ...(setting.user === undefined ? {} : balancesJson({ vault, holding }, setting)),
  };
}

/** `rewardRates` are per second in raw units, in the order of `rewardTokens`. */
function farmJson(
  { address, kind, tvl, apr, stakingToken, pays }: FarmRecord,
  setting: Shown,
  numbers: ReturnType<typeof numbersOf>,
) {
  return {
    id: address,
    provider: kind === "farm" ? "kodiak" : "bgt",
    tvl: numbers.usd(tvl),
    apr: numbers.percent(apr),
    rewardRates: (pays ?? []).map(({ rate }) => String(rate)),
    stakingToken,
    rewardTokens: (pays ?? []).map(({ token }) => tokenJson(token, setting)),
  };
}

/** USD, and the same in shares. */
function balancesJson({ vault, holding }: ShownVault, setting: Shown) {
  const { inWallet, staked } = holding ?? { inWallet: 0n, staked: 0n };
  const shares = (amount: bigint) => wholeTokens(amount, vault.address, setting) ?? 0;
  const { held } = vault;
  const numbers = numbersOf(vault);
  return {
    balanceUSD: held ? numbers.usd(held.balance) : 0,
    vaultBalanceUSD: held ? numbers.usd(held.vaultBalance) : 0,
    farmBalanceUSD: held ? numbers.usd(held.farmBalance) : 0,
    balances: {
      balance: shares(inWallet + staked),
      vaultBalance: shares(inWallet),
      farmBalance: shares(staked),
    },
  };
}

/** Nobody keeps a black list on chain. */
export function baultJson({ bault, asset, totalAssets, totalSupply, apy }: BaultAt, setting: Shown) {
  return {
    id: bault,
    apy: apy ?? 0,
    blacklisted: false,
    price: usd(setting.prices.get(bault)?.usd),
    totalAssets: wholeTokens(totalAssets, asset, setting) ?? 0,
    totalSupply: wholeTokens(totalSupply, bault, setting) ?? 0,
  };
}

/** The same with what it takes, for lists of baults alone. */
export function listedBaultJson(bault: BaultAt, setting: Shown) {
  const { symbol, name, decimals } = tokenJson(bault.bault, setting);
  const stakingToken = tokenJson(bault.asset, setting);
  const tvl = usdOf(setting, bault.asset, bault.totalAssets);
  return { ...baultJson(bault, setting), symbol, name, decimals, stakingToken, tvl: usd(tvl) };
}
