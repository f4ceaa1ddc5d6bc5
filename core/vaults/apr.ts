// What a pool and its farms pay per year, in percent. USD are integers of any one scale; percent are integers times
// PERCENT_SCALE, rounded down.

export const PERCENT_DECIMALS = 36;
const PERCENT_SCALE = 10n ** BigInt(PERCENT_DECIMALS);

export const DAY = 86_400;
export const WEEK = 7 * DAY;
export const YEAR = 365 * DAY;

/** `usd` in `seconds`, as percent a year of `ofUsd`. Undefined where something is paid on a worth of zero. */
function percentAYear(paid: { usd: bigint; seconds: number }, ofUsd: bigint): bigint | undefined {
  if (paid.usd === 0n) return 0n;
  if (ofUsd === 0n) return undefined;
  return (100n * paid.usd * BigInt(YEAR) * PERCENT_SCALE) / (BigInt(paid.seconds) * ofUsd);
}

/** The seconds over which a pool of this age earned what it did in the trailing week: at least a day. */
export const earningSeconds = (age: number): number => Math.min(Math.max(age, DAY), WEEK);

/** LP fees of the trailing week ÷ TVL, × 365/7; of a younger pool ÷ its age. */
export const baseApr = (fees: { usd: bigint; age: number }, tvl: bigint): bigint | undefined =>
  percentAYear({ usd: fees.usd, seconds: earningSeconds(fees.age) }, tvl);

/** What was emitted in the trailing week × 365/7 ÷ what is staked. */
export const rewardVaultApr = (emittedUsd: bigint, stakedUsd: bigint): bigint | undefined =>
  percentAYear({ usd: emittedUsd, seconds: WEEK }, stakedUsd);

/** What the present rates would pay in a year ÷ what is staked. */
export const farmApr = (usdAYear: bigint, stakedUsd: bigint): bigint | undefined =>
  percentAYear({ usd: usdAYear, seconds: YEAR }, stakedUsd);

/** Whether a farm pays at `timestamp`: from its start to the end of its period. */
export const isPaying = ({ periodFinish }: { periodFinish: bigint }, timestamp: number): boolean =>
  BigInt(timestamp) < periodFinish;

/** What a share is worth: `assets` behind `supply` shares. */
export interface ShareWorth {
  assets: bigint;
  supply: bigint;
}

/**
 * What a share gained in a week, from `before` to `now`, compounded to a year, in percent; undefined where there were no shares.
 * A double: it is an estimate of the future, and no contract gives it.
 */
export function growthApy({ before, now }: { before: ShareWorth; now: ShareWorth }): number | undefined {
  if (before.assets === 0n || before.supply === 0n || now.supply === 0n) return undefined;
  const ratio = (now.assets * before.supply * PERCENT_SCALE) / (now.supply * before.assets);
  const apy = 100 * ((Number(ratio) / Number(PERCENT_SCALE)) ** (YEAR / WEEK) - 1);
  return Number.isFinite(apy) ? apy : undefined;
}
