// Looked-through parts as rows for PostgreSQL: an account's total, and its sources as the text they have in an answer.
import type { SharedPart } from "../ledger/shared-holdings.ts";
import { toNearestDouble } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import type { LookedThrough } from "./look-through.ts";
import { idNameOf, type Source, sourcesOf } from "./source.ts";

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

const written = new WeakMap<Parts["parts"], { decimals: number; all: readonly SharedPart[] }>();

/** With the texts of the sources in human units: the same digits on both sides of each. */
export function sharedParts(
  through: Parts,
  decimals: number,
  accounts?: ReadonlySet<string> | undefined,
): readonly SharedPart[] {
  const known = written.get(through.parts);
  const all = known?.decimals === decimals ? known.all : writeAll(through, decimals);
  written.set(through.parts, { decimals, all });
  return accounts ? all.filter(({ account }) => accounts.has(account)) : all;
}

const writeAll = ({ parts, heldAs }: Parts, decimals: number): SharedPart[] =>
  [...parts].map(([account, own]) => {
    const sources = sourcesOf(own, heldAs).map((source) => textsOf(source, decimals));
    return {
      account: account as Address,
      amount: totalOf(own),
      sources: sources.map(({ json }) => json).join(","),
      expanded: sources.map(({ item }) => item).join(", "),
    };
  });

/** Kinds and ids are plain: letters, digits and dashes need no escapes. */
function textsOf(source: Source, decimals: number): { json: string; item: string } {
  const { kind, id, amount } = source;
  const value = String(toNearestDouble(amount, decimals));
  const name = idNameOf(source);
  const extraData = name === undefined ? "" : `,"extraData":{"${name}":"${id}"}`;
  return { json: `{"source":"${kind}","value":${value}${extraData}}`, item: `${kind}: ${value}` };
}
