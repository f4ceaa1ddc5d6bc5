// What accounts had in their own wallets, times weight, added up over a range of blocks.
import type { HeldSpan } from "../../core/averages/backing-over.ts";
import type { Cumulative } from "../../core/averages/cumulative.ts";
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../history/point.ts";
import { type HoldingRange, summedAmountsOf } from "../history/range-holdings.ts";
import type { Address } from "../parameters.ts";
import { clockOf, type Weight } from "./clock.ts";
import { LedgerOver } from "./ledger-over.ts";

interface WeightedRange {
  range: { located: { token: { address: Address } }; from: BlockPoint; to: BlockPoint; holdings: HoldingRange };
  weight: Weight;
}

/** What all blocks weigh together. @throws InvalidInputError naming `weight` */
export async function weightOf({ snapshot }: OperationContext, { range, weight }: WeightedRange): Promise<bigint> {
  const clock = await clockOf(snapshot, range, weight);
  return clock.at(range.to.block + 1) - clock.at(range.from.block);
}

/** Adds what a span weighs to its account's sum. */
export function addWeighed(sums: Map<Address, bigint>, span: HeldSpan, clock: Cumulative): void {
  const account = span.account as Address;
  sums.set(account, (sums.get(account) ?? 0n) + span.amount * (clock.at(span.until) - clock.at(span.from)));
}

/** Of everybody who held some; the zero address is nobody. */
export async function walletSums(
  { snapshot }: OperationContext,
  { range, weight }: WeightedRange,
): Promise<Map<Address, bigint>> {
  const clock = await clockOf(snapshot, range, weight);
  const sums = new Map<Address, bigint>();
  const asset = { kind: "erc20", key: range.located.token.address };
  await new LedgerOver(snapshot, range).eachSpan(asset, (span) => addWeighed(sums, span, clock));
  sums.delete(ZERO_ADDRESS);
  return sums;
}

/** Of `users`, in their order. */
export async function walletSumsOf(
  { snapshot }: OperationContext,
  { range, weight }: WeightedRange,
  users: readonly Address[],
): Promise<bigint[]> {
  if (weight === "blocks") {
    const { text, parameters } = summedAmountsOf(range.holdings, users);
    const rows = await snapshot.rows<{ rank: string }>(
      `select rank::text as rank from (${text}) s order by place`,
      parameters,
    );
    return rows.map(({ rank }) => BigInt(rank));
  }
  const clock = await clockOf(snapshot, range, weight);
  const spans = await new LedgerOver(snapshot, range).spansOf(
    { kind: "erc20", key: range.located.token.address },
    users.filter((user) => user !== ZERO_ADDRESS),
  );
  const sums = new Map<Address, bigint>();
  for (const span of spans) addWeighed(sums, span, clock);
  return users.map((user) => sums.get(user) ?? 0n);
}
