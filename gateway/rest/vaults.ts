// GET /vaults, /vaults/<id> and /baults: the shape of the public interface over the operations on pools. What is not known is null,
// never 0: `unpriced` says whose price is missing, `unread` which farm has not been read, `incomplete` why an island's state is
// unknown, `stopped` where nobody can say who has shares.
import type { Context } from "hono";
import { sumIfComplete } from "../../core/amounts.ts";
import { PERCENT_DECIMALS } from "../../core/vaults/apr.ts";
import type { VaultFilter } from "../../core/vaults/vault-list.ts";
import { usdOf } from "../catalogue/appraise.ts";
import type { BaultAt } from "../catalogue/baults-at.ts";
import type { KnownHolding } from "../catalogue/user-holdings.ts";
import type { FarmRecord, VaultRecord } from "../catalogue/vault-record.ts";
import type { Service } from "../context.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { toNearestDouble } from "../numbers.ts";
import { type Address, address, parseInput } from "../parameters.ts";
import { toUsdNumber } from "../prices/price.ts";
import {
  baultsList,
  FIRST_PAGE,
  leastUsd,
  type ShownVault,
  searchText,
  type VaultPage,
  type VaultSetting,
  vaultAt,
  vaultPage,
  vaultsPage,
} from "../questions/vaults.ts";
import { setIncomplete } from "./incomplete-header.ts";
import { blockOrLatest, chainIdOf, flagParameter, integerParameter, servedChainId } from "./url-parameters.ts";
import { withinRequest } from "./within-request.ts";

const blockOf = (c: Context): BlockChoice =>
  blockOrLatest({ number: c.req.query("blockNumber"), timestamp: c.req.query("timestamp") });

/** @throws InvalidInputError naming the parameter */
const pageOf = (c: Context): VaultPage =>
  parseInput(vaultPage, {
    limit: integerParameter(c, "limit") ?? FIRST_PAGE.limit,
    offset: integerParameter(c, "offset") ?? FIRST_PAGE.offset,
    orderBy: c.req.query("orderBy") ?? FIRST_PAGE.orderBy,
    orderDirection: c.req.query("orderDirection") ?? FIRST_PAGE.orderDirection,
  });

function filterOf(c: Context): Omit<VaultFilter, "isHeld"> {
  return {
    search: parseInput(searchText, c.req.query("search"), "search"),
    rewardVault: flagParameter(c, "rewardVault"),
    sweetened: flagParameter(c, "sweetened"),
    volatile: flagParameter(c, "volatile"),
    minimumTvl: parseInput(leastUsd, c.req.query("minimumTvl"), "minimumTvl"),
  };
}

function userOf(c: Context): Address | undefined {
  const user = c.req.query("user");
  return user === undefined ? undefined : parseInput(address, user, "user");
}

export const getVaults =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    // the interface wants it named
    const chainId = servedChainId(service, c.req.query("chainId"));
    const input = { block: blockOf(c), user: userOf(c), filter: filterOf(c), page: pageOf(c) };
    const shape = { withBaults: flagParameter(c, "withBaults") ?? false };
    return withinRequest(service, c, async (scope) => {
      const page = await scope.run(vaultsPage, input, chainId);
      c.header("X-Block-Number", String(page.point.block));
      setIncomplete(c, page.incomplete);
      return c.json({ count: page.count, data: page.entries.map((entry) => vaultJson(entry, page, shape)) });
    });
  };

export const getVault =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const input = { id: parseInput(address, c.req.param("id"), "id"), block: blockOf(c), user: userOf(c) };
    const shape = { withBaults: flagParameter(c, "withBaults") ?? true };
    const chainId = chainIdOf(c.req.query("chainId"));
    return withinRequest(service, c, async (scope) => {
      const found = await scope.run(vaultAt, input, chainId);
      c.header("X-Block-Number", String(found.point.block));
      return c.json(vaultJson(found, found, shape));
    });
  };

export const getBaults =
  (service: Service) =>
  (c: Context): Promise<Response> => {
    const block = blockOf(c);
    const chainId = chainIdOf(c.req.query("chainId"));
    return withinRequest(service, c, async (scope) => {
      const list = await scope.run(baultsList, { block }, chainId);
      c.header("X-Block-Number", String(list.point.block));
      const data = list.baults.map((bault) => listedBaultJson(bault, list));
      return c.json({ count: data.length, data });
    });
  };

type Shown = Pick<VaultSetting, "tokens" | "prices">;

const percent = (value: bigint | undefined): number | null =>
  value === undefined ? null : toNearestDouble(value, PERCENT_DECIMALS);

function tokenJson(id: Address, { tokens, prices }: Shown) {
  const { symbol, name, decimals } = tokens.get(id)?.metadata ?? {};
  return {
    id,
    symbol: symbol ?? "",
    name: name ?? "",
    decimals: decimals ?? null,
    price: toUsdNumber(prices.get(id)?.usd),
  };
}

/** Null where the token has no decimals or the amount is unknown. */
function wholeTokens(amount: bigint | undefined, token: Address, { tokens }: Shown): number | null {
  const decimals = tokens.get(token)?.metadata?.decimals;
  return amount === undefined || decimals === undefined ? null : toNearestDouble(amount, decimals);
}

function vaultJson({ vault, holding }: ShownVault, setting: VaultSetting, { withBaults }: { withBaults: boolean }) {
  const { token0, token1, address, amounts, managerTreasury } = vault;
  const [largest] = vault.farms;
  const { timestamp } = setting.point;
  return {
    id: address,
    provider: vault.provider,
    poolAddress: vault.pool,
    lowerTick: vault.lowerTick ?? null,
    upperTick: vault.upperTick ?? null,
    currentTick: vault.currentTick ?? null,
    feeTier: vault.feeTier ?? null,
    tvl: toUsdNumber(vault.tvl),
    farmTvl: toUsdNumber(vault.farmTvl),
    apr: percent(vault.apr),
    farmApr: percent(vault.farmApr),
    totalApr: percent(vault.totalApr),
    weeklyFeesEarnedUSD: toUsdNumber(vault.weeklyFees),
    lastUpdated: new Date((timestamp ?? 0) * 1_000).toISOString(),
    isSweetened: vault.isSweetened ?? null,
    isRewardVault: vault.isRewardVault,
    isVolatile: vault.isVolatile,
    ...(managerTreasury === undefined ? {} : { managerTreasury }),
    managerFeeBps: vault.managerFeeBps ?? null,
    token0: tokenJson(token0, setting),
    token1: tokenJson(token1, setting),
    tokenLp: { ...tokenJson(address, setting), totalSupply: wholeTokens(vault.supply, address, setting) },
    amount0: wholeTokens(amounts?.[0], token0, setting),
    amount1: wholeTokens(amounts?.[1], token1, setting),
    ...(largest === undefined ? {} : { farm: farmJson(largest, setting) }),
    ...(withBaults ? { baults: vault.baults.map((bault) => baultJson(bault, setting)) } : {}),
    unpriced: vault.unpriced,
    unread: vault.unread,
    stopped: vault.stopped,
    incomplete: vault.incomplete ?? null,
    ...(holding === undefined ? {} : balancesJson(vault, holding, setting)),
  };
}

/** `rewardRates` are per second in raw units, in the order of `rewardTokens`. */
function farmJson({ address, kind, tvl, apr, stakingToken, pays }: FarmRecord, setting: Shown) {
  return {
    id: address,
    provider: kind === "farm" ? "kodiak" : "bgt",
    tvl: toUsdNumber(tvl),
    apr: percent(apr),
    rewardRates: pays?.map(({ rate }) => String(rate)) ?? null,
    stakingToken,
    rewardTokens: pays?.map(({ token }) => tokenJson(token, setting)) ?? null,
  };
}

/** USD, and the same in shares. */
function balancesJson({ address, held }: VaultRecord, { inWallet, staked }: KnownHolding, setting: Shown) {
  const shares = (amount: bigint | undefined) => wholeTokens(amount, address, setting);
  return {
    balanceUSD: toUsdNumber(held?.balance),
    vaultBalanceUSD: toUsdNumber(held?.vaultBalance),
    farmBalanceUSD: toUsdNumber(held?.farmBalance),
    balances: {
      balance: shares(sumIfComplete([inWallet, staked])),
      vaultBalance: shares(inWallet),
      farmBalance: shares(staked),
    },
  };
}

/** `blacklisted` is always false: no contract records one. */
function baultJson({ bault, asset, totalAssets, totalSupply, apy }: BaultAt, setting: Shown) {
  return {
    id: bault,
    apy: apy ?? null,
    blacklisted: false,
    price: toUsdNumber(setting.prices.get(bault)?.usd),
    totalAssets: wholeTokens(totalAssets, asset, setting),
    totalSupply: wholeTokens(totalSupply, bault, setting),
  };
}

/** The same with what it takes, for lists of baults alone. */
function listedBaultJson(bault: BaultAt, setting: Shown) {
  const { symbol, name, decimals } = tokenJson(bault.bault, setting);
  const stakingToken = tokenJson(bault.asset, setting);
  const tvl = usdOf(setting, bault.asset, bault.totalAssets);
  return { ...baultJson(bault, setting), symbol, name, decimals, stakingToken, tvl: toUsdNumber(tvl) };
}
