// What accounts had of a token on average over a range of blocks, wherever it sat, exactly: docs/averages.md.
import { type AttributionOver, attributeOver } from "../../core/averages/attribute-over.ts";
import { type BackingSteps, type IssuerOver, isPool } from "../../core/averages/backing-over.ts";
import { averageRoundingDown, type Cumulative, FRACTION_BITS, weighed } from "../../core/averages/cumulative.ts";
import type { Step, Steps } from "../../core/averages/steps.ts";
import type { PartOver } from "../../core/averages/walk.ts";
import type { Unattributed } from "../../core/lookthrough/attribute.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { HeldAs } from "../backing/held-as.ts";
import { type OpenProtocol, tokenAsset } from "../backing/protocol.ts";
import { type BrokenLedgers, brokenLedgers, STOPPED, stopOf } from "../backing/stopped.ts";
import { openAll } from "../balances/issued.ts";
import { incompleteOf } from "../balances/look-through.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import { asOf } from "../history/as-of.ts";
import type { BlockPoint } from "../history/point.ts";
import type { Address } from "../parameters.ts";
import { clockOf, type Weight } from "./clock.ts";
import { focusOver } from "./focus-over.ts";
import { type FocusOver, IssuedLevels } from "./issued-levels.ts";
import { LedgerOver } from "./ledger-over.ts";
import { addWeighed } from "./wallet-sums.ts";

/** Both blocks included. */
interface AverageInput {
  token: Address;
  from: BlockPoint;
  to: BlockPoint;
  weight: Weight;
}

export interface AverageHoldings {
  /** What all blocks weigh together. */
  total: bigint;
  /** Each account's parts, the wallet first, its path the token alone; above zero, rounded down once each. */
  parts: ReadonlyMap<Address, readonly PartOver[]>;
  /** What each asset at the end of a part's path is to its holder; nothing of the token itself. */
  heldAs: ReadonlyMap<string, HeldAs>;
  /** Contracts whose holding of the token cannot be attributed to accounts, at some block. */
  incomplete: readonly Address[];
}

export interface AverageOfAll extends AverageHoldings {
  /** The average supply, rounded down. */
  supply: bigint;
  unattributed: readonly Unattributed[];
  /** What rounding down left over: with all parts and all that is unattributed it makes up the supply. */
  rounding: bigint;
}

const averages = question<AverageOfAll>("average-holdings");
const averagesOfFew = question<AverageHoldings>("average-holdings-of-few");

const placeOf = ({ snapshot }: OperationContext, { token, from, to, weight }: AverageInput, accounts = "") => ({
  at: to.hash,
  key: `${token} ${from.hash} ${weight} ${accounts}`,
  revision: snapshot.state.revision,
});

/**
 * Of everybody.
 * @throws InvalidInputError naming `weight`; UnavailableError while a contract's state is not known yet; RequestTooLongError
 */
export const averagesOfAll = (context: OperationContext, input: AverageInput): Promise<AverageOfAll> =>
  context.snapshot.cache.of(averages, placeOf(context, input), () => workOutAll(context, input));

/**
 * Of `accounts` alone, for the price of what these hold, and of what the pools of the token hold that have stopped. Accounts that are contracts whose holdings are others' have nothing.
 * @throws what {@link averagesOfAll} throws
 */
export async function averagesOf(
  context: OperationContext,
  input: AverageInput,
  accounts: readonly Address[],
): Promise<AverageHoldings> {
  const { cache } = context.snapshot;
  const stored = cache.get(averages, placeOf(context, input));
  if (stored) return stored;
  const place = placeOf(context, input, [...accounts].sort().join(","));
  return cache.of(averagesOfFew, place, () => workOutFew(context, input, accounts));
}

interface Opened {
  over: LedgerOver;
  clock: Cumulative;
  total: bigint;
  open: readonly OpenProtocol[];
  broken: BrokenLedgers;
}

async function openRange(context: OperationContext, { from, to, weight }: AverageInput): Promise<Opened> {
  const range = { from, to };
  const clock = await clockOf(context.snapshot, range, weight);
  const over = new LedgerOver(context.snapshot, range);
  const total = clock.at(to.block + 1) - clock.at(from.block);
  const broken = await brokenLedgers(asOf(context.snapshot, to));
  return { over, clock, total, open: await openAll(context, to), broken };
}

async function workOutAll(context: OperationContext, input: AverageInput): Promise<AverageOfAll> {
  const { token, from, to } = input;
  const range = { from, to };
  const { over, clock, total, open, broken } = await openRange(context, input);
  const levels = new IssuedLevels(context, { over, range, open, focus: undefined });
  await levels.read(token);
  const sums = new Map<Address, bigint>();
  await over.eachSpan({ kind: "erc20", key: token }, (span) => addWeighed(sums, span, clock));
  await levels.learnOf(sums.keys());
  const { assets, heldAs, ...found } = levels.found;
  const issuers = stoppedOver(found.issuers, broken);
  const apart = [...sums.keys()].filter((account) => account === ZERO_ADDRESS || issuers.has(account));
  for (const account of apart) sums.delete(account);
  const holders = await over.spansOf({ kind: "erc20", key: token }, apart);
  const attribution = attributeOver({
    ...{ from: from.block, to: to.block, clock, issuers, assets },
    leaf: { id: tokenAsset(token), holders },
  });
  const [supplies = []] = await over.totalsOver([{ kind: "erc20", key: token }]);
  const supply = averageOver(supplies, { clock, total, to: to.block });
  const parts = together(token, walletsOf(sums, total), attribution);
  const incomplete = incompleteOf(attribution);
  return { total, supply, parts, heldAs, incomplete, ...leftOf(supply, parts, attribution) };
}

async function workOutFew(
  context: OperationContext,
  input: AverageInput,
  accounts: readonly Address[],
): Promise<AverageHoldings> {
  const { token, from, to } = input;
  const { over, clock, total, open, broken } = await openRange(context, input);
  const focus: FocusOver = await focusOver(context, { token, accounts, from, to, open });
  const levels = new IssuedLevels(context, { over, range: { from, to }, open, focus });
  await levels.read(token);
  await levels.learnOf([...accounts, ...focus.contracts]);
  const { assets, heldAs, ...found } = levels.found;
  const issuers = stoppedOver(found.issuers, broken);
  const own = new Set<string>(accounts);
  const holders = await levels.spansOf({ kind: "erc20", key: token });
  const attribution = attributeOver({
    ...{ from: from.block, to: to.block, clock, issuers, assets },
    leaf: { id: tokenAsset(token), holders: holders.filter(({ account }) => account !== ZERO_ADDRESS) },
  });
  const parts = new Map([...attribution.parts].filter(([account]) => own.has(account))) as AverageHoldings["parts"];
  return { total, parts, heldAs, incomplete: incompleteOf(attribution) };
}

const walletsOf = (sums: ReadonlyMap<Address, bigint>, total: bigint): [Address, bigint][] =>
  [...sums].flatMap(([account, sum]): [Address, bigint][] => (sum < total ? [] : [[account, sum / total]]));

const averageOver = (
  steps: Steps<bigint>,
  { clock, total, to }: { clock: Cumulative; total: bigint; to: number },
): bigint => averageRoundingDown(weighed(steps, clock).at(to + 1) << FRACTION_BITS, total);

/** Wallets before what the look-through gives. */
function together(
  token: Address,
  wallets: readonly [Address, bigint][],
  { parts }: AttributionOver,
): Map<Address, readonly PartOver[]> {
  const path = [tokenAsset(token)];
  const all = new Map<Address, readonly PartOver[]>();
  for (const [account, amount] of wallets) all.set(account, [{ path, amount }]);
  for (const [account, own] of parts as ReadonlyMap<Address, readonly PartOver[]>)
    all.set(account, [...(all.get(account) ?? []), ...own]);
  return all;
}

function leftOf(supply: bigint, parts: AverageHoldings["parts"], { unattributed }: AttributionOver) {
  let rounding = supply;
  for (const own of parts.values()) for (const { amount } of own) rounding -= amount;
  for (const { amount } of unattributed) rounding -= amount;
  return { unattributed, rounding };
}

/**
 * The issuers, with those stopped whose shares or stakes have a broken ledger, from where it is: `stopping` of
 * gateway/backing/stopped.ts, with time.
 */
function stoppedOver(issuers: ReadonlyMap<string, IssuerOver>, broken: BrokenLedgers): ReadonlyMap<string, IssuerOver> {
  if (broken.size === 0) return issuers;
  const all = new Map<string, IssuerOver>();
  for (const [address, issuer] of issuers) {
    const backings = new Map(issuer.backings);
    for (const [asset, backing] of backings) if (!isPool(backing)) backings.set(asset, stoppedSteps(backing, broken));
    all.set(address, { ...issuer, backings });
  }
  return all;
}

const stoppedSteps = (backing: BackingSteps, broken: BrokenLedgers): BackingSteps =>
  backing.flatMap(({ from, value }, i): Step<BackingSteps[number]["value"]>[] => {
    const stop = value && stopOf(value, broken);
    const until = backing[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    if (stop === undefined || stop >= until) return [{ from, value }];
    return stop <= from
      ? [{ from, value: STOPPED }]
      : [
          { from, value },
          { from: stop, value: STOPPED },
        ];
  });
