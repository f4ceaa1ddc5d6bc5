// What a pool and its farms pay, worked out beside the gateway: amounts from raw logs and contract reads, in doubles, with
// the prices that the list shows.
import { type Address, type PublicClient, zeroAddress } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { FarmRecord, VaultRecord } from "../../gateway/catalogue/vault-record.ts";
import type { VaultsPage } from "../../gateway/questions/vaults.ts";
import { readAll } from "../../verify/pool-contracts.ts";
import { distributedIn, islandFees, pairFees, pendingFees, type RawLogs, type Window } from "./reference-lp-fees.ts";
import { vaultViewAbi } from "./vault-reads.ts";

const [DAY, WEEK, YEAR] = [86_400, 604_800, 31_536_000];

export interface Bench {
  client: PublicClient;
  chain: ChainFile;
  logs: RawLogs;
  page: VaultsPage;
  window: Window;
  /** Time of the block asked. */
  now: number;
}

/** USD of raw units; undefined without a price. */
function worth({ page: { prices, tokens } }: Bench, token: Address, amount: bigint): number | undefined {
  if (amount === 0n) return 0;
  const price = prices.get(token);
  const decimals = tokens.get(token)?.metadata?.decimals;
  if (!price || decimals === undefined) return undefined;
  return Number(`${price.usd}e-36`) * Number(`${amount}e-${decimals}`);
}

function worthOfBoth(bench: Bench, { token0, token1 }: VaultRecord, amounts: readonly [bigint, bigint]) {
  const [usd0, usd1] = [worth(bench, token0, amounts[0]), worth(bench, token1, amounts[1])];
  return usd0 === undefined || usd1 === undefined ? undefined : usd0 + usd1;
}

async function pendingAt({ client }: Bench, { address, pool }: VaultRecord, block: number): Promise<[bigint, bigint]> {
  const ticks = ["lowerTick", "upperTick"].map((functionName) => ({
    address,
    abi: vaultViewAbi,
    functionName,
    args: [],
  }));
  const [lower, upper] = block < 0 ? [] : await readAll(client, ticks, block);
  if (!lower || !upper) return [0n, 0n];
  return pendingFees(
    client,
    { island: address, pool, lowerTick: Number(lower[0]), upperTick: Number(upper[0]) },
    block,
  );
}

/** LP fees of the window, raw units. */
export async function feesByHand(bench: Bench, vault: VaultRecord): Promise<[bigint, bigint]> {
  const { logs, window } = bench;
  const { address, pool } = vault;
  if (vault.provider === "v2") return pairFees(logs, address, window);
  const before = await pendingAt(bench, vault, window.after);
  const now = await pendingAt(bench, vault, window.upTo);
  return islandFees(logs, { island: address, pool, window, before, now, managerFeeBps: vault.managerFeeBps ?? 0 });
}

export const tvlByHand = (bench: Bench, vault: VaultRecord): number | undefined =>
  worthOfBoth(bench, vault, vault.amounts ?? [0n, 0n]);

const perYear = (usd: number | undefined, seconds: number, of: number | undefined): number | undefined => {
  if (usd === undefined || of === undefined) return undefined;
  if (usd === 0) return 0;
  return of === 0 ? undefined : (100 * usd * YEAR) / seconds / of;
};

export function baseAprByHand(bench: Bench, vault: VaultRecord, fees: readonly [bigint, bigint]): number | undefined {
  const seconds = Math.min(Math.max(bench.now - vault.createdAt, DAY), WEEK);
  return perYear(worthOfBoth(bench, vault, fees), seconds, tvlByHand(bench, vault));
}

/** Tokens without a price are left out. */
export function farmAprByHand(bench: Bench, vault: VaultRecord, farm: FarmRecord): number | undefined {
  const { through, staked = 0n } = farm;
  const shares = through ? (staked * (through.totalAssets ?? 0n)) / (through.totalSupply || 1n) : staked;
  const tvl = tvlByHand(bench, vault);
  const ofUsd = shares === 0n ? 0 : tvl === undefined ? undefined : (tvl * Number(shares)) / Number(vault.supply);
  if (farm.kind === "reward-vault") {
    const token = bench.chain.rewardVaults?.rewardToken ?? zeroAddress;
    const emitted = distributedIn(bench.logs, farm.address, bench.window);
    return perYear(worth(bench, token, emitted) ?? 0, WEEK, ofUsd);
  }
  const isOver = bench.now >= Number(farm.periodFinish);
  const paid = (farm.pays ?? []).map(({ token, rate }) => worth(bench, token, isOver ? 0n : rate) ?? 0);
  return perYear(
    paid.reduce((a, b) => a + b, 0),
    1,
    ofUsd,
  );
}
