// A campaign's budget given out by what accounts had on average over its range.
import { totalOf } from "../../core/amounts.ts";
import type { Path } from "../../core/lookthrough/attribute.ts";
import { type AveragePart, type Counting, countParts } from "../../core/rewards/count-parts.ts";
import { multiplierOf } from "../../core/rewards/multiplier.ts";
import { type Reward, type SharedOut, shareOut } from "../../core/rewards/share-out.ts";
import { averagesOfAll } from "../averages/average-holdings.ts";
import { liquidityInRange } from "../averages/liquidity-in-range.ts";
import type { V3Pool } from "../concentrated/pool.ts";
import { runningPool } from "../concentrated/pools-at.ts";
import type { Operation, OperationContext } from "../context.ts";
import { inBatches, mapBatches } from "../database/batches.ts";
import { GatewayError, InvalidInputError } from "../errors.ts";
import { asOf } from "../history/as-of.ts";
import { type BlockChoice, blockNumbered } from "../history/block-choice.ts";
import type { BlockPoint } from "../history/point.ts";
import { toExactDecimal } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import type { Campaign } from "./campaign.ts";
import { isNumberPlace, readCursor, writeCursor } from "./cursors.ts";
import { type LocatedRange, locateRange, type RangeInput } from "./locate-range.ts";

export interface RewardRow {
  account: Address;
  /** Of what counts, each part rounded down; raw units of the token, of `inRange` liquidity. */
  averageRoundedDown: bigint;
  /** The same, each part times its multiplier: an exact decimal. */
  points: string;
  /** Of all points, as a decimal of 18 places. */
  shareRoundedDown: string;
  /** Raw units of the reward token. */
  amount: bigint;
}

export interface Rewards {
  campaign: Campaign;
  range: LocatedRange;
  /** What all blocks of the range weigh together. */
  weightTotal: bigint;
  /** Of all that qualify: an exact decimal. */
  points: string;
  /** How many reach the minimum and are not excluded. */
  qualified: number;
  accounts: number;
  /** Of all amounts: the budget. */
  sum: bigint;
  /** Contracts whose holding of the token cannot be attributed to accounts, at some block: it counts for nobody. */
  incomplete: readonly Address[];
}

interface RewardsInput {
  campaign: Campaign;
}

/**
 * All of them, largest first and then by account.
 * @throws what locateRange throws; NobodyQualifiesError; CapTooLowError; InvalidInputError for a range that is not over
 */
export const rewardsRows: Operation<RewardsInput, Rewards & { batches: AsyncIterator<RewardRow[]> }> = {
  name: "rewards",
  async run(input, context) {
    const { given, rowOf, ...rewards } = await giveOut(context, input);
    return { ...rewards, batches: mapBatches(inBatches(given), rowOf) };
  },
};

export interface RewardsPage extends Rewards {
  entries: (RewardRow & { cursor: string })[];
  totalCount: number;
  hasNextPage: boolean;
}

/** One page of them. @throws the same, and what a cursor of another list throws */
export const rewardsPage: Operation<RewardsInput & { first: number; after?: string | undefined }, RewardsPage> = {
  name: "rewards",
  async run({ campaign, first, after }, context) {
    const cursor = readCursor(after, isNumberPlace);
    const { given, rowOf, ...rewards } = await giveOut(context, { campaign, cursor });
    const start = Number(cursor?.at[0] ?? 0);
    const entries = given.slice(start, start + first).map((reward, i) => ({
      ...rowOf(reward),
      cursor: writeCursor(rewards.range.to, [start + i + 1]),
    }));
    return { ...rewards, entries, totalCount: rewards.accounts, hasNextPage: start + first < rewards.accounts };
  },
};

interface GivenOut extends Rewards {
  /** Of many accounts rows are made a few at a time, so that no campaign holds up the process with them. */
  given: readonly Reward[];
  rowOf(reward: Reward): RewardRow;
}

async function giveOut(
  context: OperationContext,
  { campaign, cursor }: RewardsInput & Pick<Parameters<typeof locateRange>[1], "cursor">,
): Promise<GivenOut> {
  const range = await locateRange(context, { token: campaign.token, ...rangeOf(campaign), cursor });
  requireOver(campaign, range);
  const { holdings, weightTotal, incomplete } = await averagesOver(context, campaign, range);
  const { accounts, decimals } = countParts(holdings, countingOf(campaign));
  const { rewards, points, qualified } = requireAllGiven(campaign, shareOut(accounts, sharingRules(campaign)));
  return {
    campaign,
    range,
    weightTotal,
    qualified,
    incomplete,
    points: toExactDecimal(points, decimals),
    accounts: rewards.length,
    sum: totalOf(rewards),
    given: rewards,
    rowOf: (reward) => rowOf(reward, points, decimals),
  };
}

interface Averages extends Pick<Rewards, "weightTotal" | "incomplete"> {
  holdings: Iterable<readonly [Address, readonly AveragePart[]]>;
}

async function averagesOver(context: OperationContext, campaign: Campaign, range: LocatedRange): Promise<Averages> {
  const { token, weight } = campaign;
  const { from, to } = range;
  const pool = await poolOf(context, campaign, to);
  if (pool) {
    const { parts, total } = await liquidityInRange(context, { pool, from, to, weight });
    return { holdings: parts, weightTotal: total, incomplete: [] };
  }
  const { parts, heldAs, total, incomplete } = await averagesOfAll(context, { token, from, to, weight });
  const wallet = { kind: "balance", contract: token };
  // the token itself ends other paths, too, where it stands behind itself
  const heldAsOf = (path: Path) => (path.length === 1 ? undefined : heldAs.get(path.at(-1) ?? "")) ?? wallet;
  const holdings = [...parts].map(
    ([account, own]) => [account, own.map(({ path, amount }) => ({ heldAs: heldAsOf(path), amount }))] as const,
  );
  return { holdings, weightTotal: total, incomplete };
}

/** @throws PoolNotFoundError, PoolStoppedError; InvalidInputError for a pool of other tokens */
async function poolOf(
  { snapshot }: OperationContext,
  { token, counts }: Campaign,
  to: BlockPoint,
): Promise<V3Pool | undefined> {
  if (!counts.inRange) return undefined;
  const address = counts.inRange.pool;
  const pool = await runningPool(asOf(snapshot, to), address);
  if (token === pool.token0 || token === pool.token1) return pool;
  throw new InvalidInputError("token", `is not in pool ${address}: it has ${pool.token0} and ${pool.token1}`);
}

const SHARE_DECIMALS = 18;

const rowOf = ({ account, average, points, amount }: Reward, all: bigint, decimals: number): RewardRow => ({
  account: account as Address,
  averageRoundedDown: average,
  points: toExactDecimal(points, decimals),
  shareRoundedDown: toExactDecimal((points * 10n ** BigInt(SHARE_DECIMALS)) / all, SHARE_DECIMALS),
  amount,
});

function rangeOf({ range }: Campaign): Pick<RangeInput, "from" | "to"> {
  const choice = (end: "from" | "to"): BlockChoice => {
    const [number, timestamp] = [range[`${end}Block`], range[`${end}Timestamp`]];
    return number === undefined
      ? { kind: "timestamp", timestamp: timestamp ?? 0, parameter: `range.${end}Timestamp` }
      : blockNumbered(number, `range.${end}Block`);
  };
  return { from: choice("from"), to: choice("to") };
}

/** Until a later block has a later time, one more may come in its last second. @throws InvalidInputError */
function requireOver({ range: { toTimestamp } }: Campaign, { to }: LocatedRange): void {
  if (toTimestamp === undefined || to.block < to.lastSynced) return;
  throw new InvalidInputError(
    "range.toTimestamp",
    `is not over: block ${to.block} of ${to.timestamp} is the last synced one, and another may still come up to that time. Ask again once a later block is synced`,
  );
}

const countingOf = ({ counts: { sources } }: Campaign): Counting =>
  sources
    ? {
        rules: sources.map((rule) => ({ ...rule, contract: rule.contract, multiplier: multiplierOf(rule.multiplier) })),
      }
    : { held: "anywhere" };

function sharingRules({ reward, exclude, minimum, cap, remainder }: Campaign) {
  const budget = BigInt(reward.budget);
  const ofBudget = cap?.basisPoints === undefined ? undefined : (budget * BigInt(cap.basisPoints)) / 10_000n;
  return {
    budget,
    excluded: new Set<string>(exclude),
    minimum: BigInt(minimum),
    most: cap?.amount === undefined ? ofBudget : BigInt(cap.amount),
    treasury: remainder?.treasury,
  };
}

function requireAllGiven(campaign: Campaign, shared: SharedOut): SharedOut {
  if (shared.qualified === 0) throw new NobodyQualifiesError();
  if (shared.left > 0n) throw new CapTooLowError(campaign, shared);
  return shared;
}

/** 409 `NOBODY_QUALIFIES`: there is no account to give the budget to. */
class NobodyQualifiesError extends GatewayError {
  override name = "NobodyQualifiesError";

  constructor() {
    super(
      "Nobody qualifies: no account that is not excluded had anything that counts and reached the minimum. Check range, counts, exclude and minimum.",
      { code: "NOBODY_QUALIFIES", status: 409 },
    );
  }
}

/** 409 `CAP_TOO_LOW`: all that qualify get the most they may, and some of the budget is left. */
class CapTooLowError extends GatewayError {
  override name = "CapTooLowError";

  constructor({ reward }: Campaign, { qualified, left }: SharedOut) {
    super(
      `With this cap the ${qualified} accounts that qualify leave ${left} of the budget of ${reward.budget}. Raise cap, lower reward.budget, or name a treasury in remainder.`,
      { code: "CAP_TOO_LOW", status: 409, details: { qualified, left: String(left) } },
    );
  }
}
