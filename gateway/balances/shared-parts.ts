// Looked-through parts as they are written: an account's total, and its sources as the text they have in an answer.
import type { Part } from "../../core/lookthrough/attribute.ts";
import { type HeldAs, idNameOf } from "../backing/held-as.ts";
import type { ReaderCache } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { BlockPoint } from "../history/point.ts";
import { nearestDoublesOf, toNearestDouble } from "../numbers.ts";
import type { Address } from "../parameters.ts";
import type { LookedThrough } from "./look-through.ts";
import type { SharedPart } from "./shared-holdings.ts";
import { sourcesOf } from "./source.ts";

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

/** With the total's own digits. */
export interface WrittenPart extends SharedPart {
  digits: string;
}

const writtenParts = question<readonly WrittenPart[]>("written-parts");

/** `through`: of `token` at the block, without what belongs to nobody. */
export interface ThroughToken {
  token: Address;
  point: BlockPoint;
  through: Parts;
  decimals: number;
  /** Of the index when it was looked through. */
  revision: string;
}

/** With the texts of the sources in human units: the same digits on both sides of each. */
export function sharedParts(
  cache: ReaderCache,
  { token, point, through, decimals, revision }: ThroughToken,
  accounts?: ReadonlySet<string> | undefined,
): readonly WrittenPart[] {
  const place = { at: point.hash, key: `${token} ${decimals}`, revision };
  let all = cache.get(writtenParts, place);
  if (!all) {
    all = writeParts(through, decimals);
    cache.set(writtenParts, place, all);
  }
  return accounts ? all.filter(({ account }) => accounts.has(account)) : all;
}

/** All of them, in the order of `parts`. */
export function writeParts({ parts, heldAs }: Parts, decimals: number): WrittenPart[] {
  const amounts = Array.from(parts.values(), totalOf);
  const digits = nearestDoublesOf(amounts, decimals);
  return Array.from(parts, ([account, own], i) =>
    written(
      { account: account as Address, own, amount: amounts[i] as bigint, digits: digits[i] as string },
      { heldAs, decimals },
    ),
  );
}

interface Writing {
  heldAs: Parts["heldAs"];
  decimals: number;
}

/** What one account has beyond its wallet. */
export function writtenOf(account: Address, own: readonly Part[], writing: Writing): WrittenPart {
  const amount = totalOf(own);
  return written({ account, own, amount, digits: String(toNearestDouble(amount, writing.decimals)) }, writing);
}

/** Most accounts have one part alone, and there are many of them. */
function written(
  { account, own, amount, digits }: Pick<WrittenPart, "account" | "amount" | "digits"> & { own: readonly Part[] },
  { heldAs, decimals }: Writing,
): WrittenPart {
  const [only] = own;
  const held = only && own.length === 1 ? heldAs.get(only.path.at(-1) ?? "") : undefined;
  if (held) return { account, amount, digits, sources: jsonOf(held, digits), expanded: `${held.kind}: ${digits}` };
  const sources = sourcesOf(own, heldAs);
  const values = sources.map((source) => String(toNearestDouble(source.amount, decimals)));
  return {
    account,
    amount,
    digits,
    sources: sources.map((source, i) => jsonOf(source, values[i] ?? "")).join(","),
    expanded: sources.map(({ kind }, i) => `${kind}: ${values[i]}`).join(", "),
  };
}

/** Kinds and ids are plain: letters, digits and dashes need no escapes. */
function jsonOf(held: Pick<HeldAs, "kind" | "id">, value: string): string {
  const name = idNameOf(held);
  const extraData = name === undefined ? "" : `,"extraData":{"${name}":"${held.id}"}`;
  return `{"source":"${held.kind}","value":${value}${extraData}}`;
}
