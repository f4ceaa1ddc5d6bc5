// What accounts had in their own wallets, times weight, added up over a range of blocks.
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

/** Of everybody who held some; the zero address is nobody. */
export async function walletSums(
  { snapshot }: OperationContext,
  { range, weight }: WeightedRange,
): Promise<Map<Address, bigint>> {
  const clock = await clockOf(snapshot, range, weight);
  const sums = new Map<Address, bigint>();
  const asset = { kind: "erc20", key: range.located.token.address };
  await new LedgerOver(snapshot, range).eachSpan(asset, ({ account, from, until, amount }) => {
    if (account === ZERO_ADDRESS) return;
    const sum = amount * (clock.at(until) - clock.at(from));
    sums.set(account as Address, (sums.get(account as Address) ?? 0n) + sum);
  });
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
  const sums = new Map<string, bigint>();
  for (const { account, from, until, amount } of spans)
    sums.set(account, (sums.get(account) ?? 0n) + amount * (clock.at(until) - clock.at(from)));
  return users.map((user) => sums.get(user) ?? 0n);
}
