// Below /balances/<token>: what happened from one block to another, and how many hold it. No rules here.
import type { Context } from "hono";
import { type Weight, weights } from "../averages/clock.ts";
import { LONGEST_RANGE_MS, type Service } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { decimalOf } from "../numbers.ts";
import { address, parseInput } from "../parameters.ts";
import { type BalanceChange, balanceChangesRows } from "../questions/balance-changes.ts";
import { type BalanceStep, balanceHistoryRows } from "../questions/balance-history.ts";
import { holdersCount } from "../questions/holders-count.ts";
import type { LocatedRange, RangeInput } from "../questions/locate-range.ts";
import { type TimeWeighted, type TimeWeightedBalance, timeWeightedRows } from "../questions/time-weighted-balances.ts";
import type { Column } from "./answer-format.ts";
import { answerTable, answerWithin } from "./answer-table.ts";
import { kindColumns, sourceObject } from "./balance-columns.ts";
import { setIncomplete } from "./incomplete-header.ts";
import {
  blockParameter,
  chainIdOf,
  FIRST_BLOCK,
  flagParameter,
  LAST_BLOCK,
  tokenParameter,
  usersParameter,
} from "./url-parameters.ts";
import { notModified, setValidators, strongValidators } from "./validators.ts";
import { withinRequest } from "./within-request.ts";

const rangeParameters = (c: Context): RangeInput => ({
  token: tokenParameter(c),
  from: blockParameter(c, FIRST_BLOCK),
  to: blockParameter(c, LAST_BLOCK),
});

function weightParameter(c: Context): Weight {
  const text = c.req.query("weight") ?? "blocks";
  const weight = weights.find((one) => one === text);
  if (!weight) throw new InvalidInputError("weight", `must be ${weights.join(" or ")}`);
  return weight;
}

const rangeSubject = (input: RangeInput, { located, from, to }: LocatedRange) => ({
  located,
  blocks: [
    { choice: input.from, block: from.block },
    { choice: input.to, block: to.block },
  ],
});

const rangeHeading = ({ located, from, to }: LocatedRange) => ({
  token: located.token.address,
  fromBlock: from.block,
  toBlock: to.block,
});

type DecimalText = (amount: bigint) => string | null;

const decimalsOf =
  ({ located }: LocatedRange): DecimalText =>
  (amount) =>
    decimalOf(amount, located.token.metadata?.decimals);

/** An amount's two columns. */
const amountColumns = <Row>(name: string, amountOf: (row: Row) => bigint, decimal: DecimalText): Column<Row>[] => [
  { name, read: (row) => String(amountOf(row)) },
  { name: `${name}Decimal`, read: (row) => decimal(amountOf(row)) },
];

const historyColumns = (decimal: DecimalText): Column<BalanceStep>[] => [
  { name: "block", read: ({ block }) => block },
  { name: "timestamp", read: ({ timestamp }) => timestamp ?? null },
  ...amountColumns<BalanceStep>("amount", ({ amount }) => amount, decimal),
  ...amountColumns<BalanceStep>("delta", ({ amount, before }) => amount - before, decimal),
];

export const getHistory = (service: Service) => (c: Context) =>
  answerTable(service, c, async (scope, { chainId }) => {
    const account = parseInput(address, c.req.query("account"), "account");
    const input = { ...rangeParameters(c), account };
    const { range, opening, closing, batches } = await scope.run(balanceHistoryRows, input, chainId);
    const decimal = decimalsOf(range);
    return {
      subject: { ...rangeSubject(input, range), question: ["history", account] },
      table: {
        columns: historyColumns(decimal),
        batches,
        heading: {
          ...rangeHeading(range),
          account,
          opening: String(opening),
          openingDecimal: decimal(opening),
          closing: String(closing),
          closingDecimal: decimal(closing),
        },
      },
    };
  });

const changeColumns = (decimal: DecimalText): Column<BalanceChange>[] => [
  { name: "account", read: ({ account }) => account },
  ...amountColumns<BalanceChange>("before", ({ before }) => before, decimal),
  ...amountColumns<BalanceChange>("after", ({ after }) => after, decimal),
  ...amountColumns<BalanceChange>("delta", ({ before, after }) => after - before, decimal),
];

export const getChanges = (service: Service) => (c: Context) =>
  answerTable(service, c, async (scope, { chainId }) => {
    const input = rangeParameters(c);
    const { range, batches } = await scope.run(balanceChangesRows, input, chainId);
    return {
      subject: { ...rangeSubject(input, range), question: ["changes"] },
      table: { columns: changeColumns(decimalsOf(range)), batches, heading: rangeHeading(range) },
    };
  });

const averageColumns = (decimal: DecimalText): Column<TimeWeightedBalance>[] =>
  amountColumns<TimeWeightedBalance>("averageRoundedDown", ({ average }) => average, decimal);

/** Of wallets alone. */
const weightedColumns = (total: bigint, decimal: DecimalText): Column<TimeWeightedBalance>[] => [
  { name: "account", read: ({ account }) => account },
  { name: "numerator", read: ({ sum }) => String(sum) },
  { name: "denominator", read: () => Number(total) },
  ...averageColumns(decimal),
];

/** Wherever it sat: the average, then that of each kind of source. */
const sourcedColumns = (decimal: DecimalText): Column<TimeWeightedBalance>[] => [
  { name: "account", read: ({ account }) => account },
  ...averageColumns(decimal),
  ...kindColumns,
];

const restHeading = (rest: TimeWeighted["rest"], decimal: DecimalText) => ({
  supply: rest ? String(rest.supply) : null,
  supplyDecimal: rest ? decimal(rest.supply) : null,
  rounding: rest ? String(rest.rounding) : null,
  unattributed: rest
    ? rest.unattributed.map(({ contract, reason, amount, path }) => ({
        ...{ contract, reason: reason.replaceAll("-", "_"), amount: String(amount) },
        ...{ amountDecimal: decimal(amount), path },
      }))
    : null,
});

export const getTimeWeighted = (service: Service) => (c: Context) =>
  answerWithin({ service, longestMs: LONGEST_RANGE_MS }, c, async (scope, { chainId }) => {
    const [weight, lookThrough] = [weightParameter(c), flagParameter(c, "lookThrough") ?? true];
    const input = { ...rangeParameters(c), users: usersParameter(c), weight, lookThrough };
    const { batches, range, total, rest, incomplete } = await scope.run(timeWeightedRows, input, chainId);
    const decimal = decimalsOf(range);
    const decimals = range.located.token.metadata?.decimals;
    return {
      subject: {
        ...rangeSubject(input, range),
        question: ["time-weighted", input.users?.join(","), weight, String(lookThrough)],
      },
      table: {
        columns: lookThrough ? sourcedColumns(decimal) : weightedColumns(total, decimal),
        objectOf: lookThrough
          ? (row: TimeWeightedBalance) => ({
              ...Object.fromEntries(averageColumns(decimal).map(({ name, read }) => [name, read(row)])),
              account: row.account,
              sources: row.sources.map((source) => sourceObject(source, decimals)),
            })
          : undefined,
        batches,
        heading: {
          ...{ ...rangeHeading(range), weight, weightTotal: Number(total) },
          ...(lookThrough ? restHeading(rest, decimal) : {}),
        },
      },
      incomplete,
    };
  });

/** One object, not rows: its JSON has no `results`. */
export const getHoldersCount = (service: Service) => async (c: Context) => {
  const choice = blockParameter(c);
  const input = { token: tokenParameter(c), block: choice };
  const chainId = chainIdOf(c.req.query("chainId"));
  const answer = await withinRequest(service, c, (scope) => scope.run(holdersCount, input, chainId));
  const { located, wallets, holders, incomplete } = answer;
  const { block } = located.point;
  const validators = strongValidators({ located, blocks: [{ choice, block }], question: ["holders-count"] });
  const unmodified = notModified(c, validators);
  if (unmodified) return unmodified;
  setValidators(c, validators);
  setIncomplete(c, incomplete);
  return c.json({ token: located.token.address, blockNumber: block, wallets, holders });
};
