// Looked-through parts as PostgreSQL is given them.
import { totalOf } from "../../core/amounts.ts";
import type { Part } from "../../core/lookthrough/attribute.ts";
import { accountsAt, type HoldingsPoint, holdersAt, type Statement } from "../history/holdings-at.ts";
import type { Address } from "../parameters.ts";
import type { LookedThrough } from "./look-through.ts";
import { givenWithParts, type SharedPart, withParts } from "./shared-holdings.ts";
import { sourceText, type Writing } from "./source-text.ts";

type Parts = Pick<LookedThrough, "parts">;

/** Statement of everybody's totals, see {@link withParts}; of `users` as {@link givenWithParts} has them. Sources have no texts. */
export function totalsAt(
  place: HoldingsPoint,
  through: Pick<LookedThrough, "parts" | "issuerAddresses">,
  users?: readonly Address[],
): Statement {
  const parts = shared(through, users && new Set(users), () => ({ sources: "", expanded: "" }));
  const { issuerAddresses } = through;
  return users
    ? givenWithParts(accountsAt(place, users), { issuerAddresses, parts })
    : withParts(holdersAt(place), { issuerAddresses, parts });
}

/** With the texts of the sources. */
export const sharedParts = (through: Parts & Writing, accounts?: ReadonlySet<string>): SharedPart[] =>
  shared(through, accounts, (own) => sourceText(own, through));

function shared(
  { parts }: Parts,
  accounts: ReadonlySet<string> | undefined,
  textOf: (own: readonly Part[]) => Pick<SharedPart, "sources" | "expanded">,
): SharedPart[] {
  const of: SharedPart[] = [];
  for (const [account, own] of parts)
    if (!accounts || accounts.has(account))
      of.push({ account: account as Address, amount: totalOf(own), ...textOf(own) });
  return of;
}
