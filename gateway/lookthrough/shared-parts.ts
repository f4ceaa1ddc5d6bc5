// Looked-through parts as rows for PostgreSQL: an account's total, and its sources as the text they have in an answer.
import type { SharedPart } from "../ledger/shared-holdings.ts";
import { toNearestDouble } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import type { LookedThrough } from "./look-through.ts";
import { extraDataOf, type Source, sourcesOf } from "./source.ts";

type Parts = Pick<LookedThrough, "parts" | "heldAs">;

const totalOf = (sources: readonly { amount: bigint }[]): bigint =>
  sources.reduce((sum, { amount }) => sum + amount, 0n);

/** Totals alone, of `accounts` or of everybody. */
export function sharedTotals({ parts }: Parts, accounts?: ReadonlySet<string>): SharedPart[] {
  const shared: SharedPart[] = [];
  for (const [account, own] of parts)
    if (!accounts || accounts.has(account))
      shared.push({ account: account as Address, amount: totalOf(own), sources: "", expanded: "" });
  return shared;
}

/** With the texts of the sources in human units: the same digits on both sides of each. */
export function sharedParts(
  { parts, heldAs }: Parts,
  decimals: number,
  accounts?: ReadonlySet<string> | undefined,
): SharedPart[] {
  const shared: SharedPart[] = [];
  for (const [account, own] of parts) {
    if (accounts && !accounts.has(account)) continue;
    const sources = sourcesOf(own, heldAs).map((source) => textsOf(source, decimals));
    shared.push({
      account: account as Address,
      amount: totalOf(own),
      sources: sources.map(({ json }) => json).join(","),
      expanded: sources.map(({ item }) => item).join(", "),
    });
  }
  return shared;
}

function textsOf(source: Source, decimals: number): { json: string; item: string } {
  const value = toNearestDouble(source.amount, decimals);
  const extraData = extraDataOf(source);
  return {
    json: JSON.stringify({ source: source.kind, value, ...(extraData ? { extraData } : {}) }),
    item: `${source.kind}: ${value}`,
  };
}
