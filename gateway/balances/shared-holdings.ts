// Plain holdings and looked-through parts as one relation: who holds how much altogether, written and sorted by
// PostgreSQL. Where nothing is looked through the plain text stays as it was.

import { totalOf } from "../../core/amounts.ts";
import type { Part } from "../../core/lookthrough/attribute.ts";
import { accountsAt, type HoldingsPoint, holdersAt, type Statement } from "../history/holdings-at.ts";
import type { Address } from "../parameters.ts";
import type { LookedThrough } from "./look-through.ts";
import { sourceText, type Writing } from "./source-text.ts";

/** What one account has beyond its own wallet, in raw units; the texts belong to its sources. */
interface SharedPart {
  account: Address;
  amount: bigint;
  /** JSON of its entries, joined by commas. */
  sources: string;
  /** `<source>: <value>` items, joined by a comma and a space. */
  expanded: string;
}

interface Shared {
  /** SELECT text of (address bytea) over the statement's $1, the block: contracts that are no accounts. */
  issuerAddresses: string | undefined;
  parts: readonly SharedPart[];
}

/** Between texts in one parameter: no number, address or source name has it. */
const SEPARATOR = "\u001f";

/** SELECT text of (account, amount, sources, expanded) over four parameters from `$first` on. */
const partRows = (first: number): string => `
  select decode(substr(account, 3), 'hex') as account, amount::numeric as amount, sources, expanded
    from unnest(string_to_array($${first}, ','), string_to_array($${first + 1}, ','),
                string_to_array($${first + 2}, chr(31)), string_to_array($${first + 3}, chr(31)))
      as p(account, amount, sources, expanded)`;

const partParameters = (parts: readonly SharedPart[]): string[] => [
  parts.map(({ account }) => account).join(","),
  parts.map(({ amount }) => amount).join(","),
  parts.map(({ sources }) => sources).join(SEPARATOR),
  parts.map(({ expanded }) => expanded).join(SEPARATOR),
];

/** Those of `text` (account, …) that are accounts. */
export const withoutIssuers = (text: string, issuerAddresses: string | undefined): string =>
  issuerAddresses === undefined
    ? text
    : `select h.* from (${text}) h where not exists (
         select from (${issuerAddresses}) i(address) where i.address = h.account)`;

/** All accounts: (account, amount in all, own in the wallet, sources, expanded); the last two null without parts. */
export function withParts({ text, parameters }: Statement, { issuerAddresses, parts }: Shared): Statement {
  const plain = withoutIssuers(text, issuerAddresses);
  if (parts.length === 0)
    return {
      text: `select account, amount, amount as own, null::text as sources, null::text as expanded from (${plain}) p`,
      parameters,
    };
  return {
    text: `
      select coalesce(h.account, p.account) as account, coalesce(h.amount, 0) + coalesce(p.amount, 0) as amount,
             coalesce(h.amount, 0) as own, p.sources, p.expanded
        from (${plain}) h full join (${partRows(parameters.length + 1)}) p on p.account = h.account`,
    parameters: [...parameters, ...partParameters(parts)],
  };
}

/** The same for the given accounts in their places, zeros included, with is_issuer: these have nothing. */
export function givenWithParts({ text, parameters }: Statement, { issuerAddresses, parts }: Shared): Statement {
  const isIssuer =
    issuerAddresses === undefined
      ? "false"
      : `exists (select from (${issuerAddresses}) i(address) where i.address = h.account)`;
  return {
    text: `
      select h.place, h.account, h.is_issuer, h.own + coalesce(p.amount, 0) as amount, h.own, p.sources, p.expanded
        from (select place, account, is_issuer, case when is_issuer then 0 else amount end as own
                from (select h.*, ${isIssuer} as is_issuer from (${text}) h) marked) h
        left join (${partRows(parameters.length + 1)}) p on p.account = h.account`,
    parameters: [...parameters, ...partParameters(parts)],
  };
}

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
