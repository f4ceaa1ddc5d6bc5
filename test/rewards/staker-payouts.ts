// What Uniswap's v3-staker pays, from what its events say and what the pool's positions were worth in seconds per liquidity:
// UniswapV3Staker.unstakeToken and RewardMath.computeRewardAmount of v1.0.2, in whole numbers.

const UINT160 = 2n ** 160n;

export interface Incentive {
  /** Raw units of the reward token. */
  reward: bigint;
  /** Unix seconds. */
  startTime: bigint;
  endTime: bigint;
}

/** A stake that was ended. */
export interface EndedStake {
  owner: string;
  liquidity: bigint;
  /** snapshotCumulativesInside of its ticks in the block of the stake, and in that of its end; modulo 2^160. */
  secondsPerLiquidityInsideInitialX128: bigint;
  secondsPerLiquidityInsideX128: bigint;
  /** Of the block of its end, Unix seconds. */
  timestamp: bigint;
}

export interface StakerPayout {
  owner: string;
  /** Raw units, rounded down. */
  reward: bigint;
}

export interface StakerResult {
  /** Of each stake, in order. */
  payouts: StakerPayout[];
  /** What is still there for stakes that have not ended, or for the refundee. */
  unclaimed: bigint;
}

/**
 * What one incentive pays for each stake, in the order in which the stakes ended: each takes its part of what those before it
 * left.
 */
export function stakerRewards(
  { reward: whole, startTime, endTime }: Incentive,
  ended: readonly EndedStake[],
): StakerResult {
  let [unclaimed, secondsClaimedX128] = [whole, 0n];
  const payouts = ended.map((stake) => {
    const growth = BigInt.asUintN(
      160,
      stake.secondsPerLiquidityInsideX128 - stake.secondsPerLiquidityInsideInitialX128,
    );
    const secondsInsideX128 = (growth * stake.liquidity) % UINT160;
    const until = stake.timestamp > endTime ? stake.timestamp : endTime;
    const secondsUnclaimedX128 = BigInt.asUintN(256, ((until - startTime) << 128n) - secondsClaimedX128);
    const reward = (unclaimed * secondsInsideX128) / secondsUnclaimedX128;
    secondsClaimedX128 = (secondsClaimedX128 + secondsInsideX128) % UINT160;
    unclaimed -= reward;
    return { owner: stake.owner, reward };
  });
  return { payouts, unclaimed };
}
