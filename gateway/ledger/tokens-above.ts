// Which tokens stop being standard ones above the watermark. The fold judges a token by its amounts at the end of each
// block, and so does this.
import { MAX_AMOUNT } from "../../core/ledgers/additive-ledger.ts";
import type { Address } from "../parameters.ts";
import { above, type Extremes, type Span } from "./changes-above.ts";
import type { FactsScope } from "./facts-scope.ts";
import { keepAnswers } from "./kept-answers.ts";

/** By token: why its ledger goes out of range. */
export type Broken = ReadonlyMap<Address, string>;

const NONE: Broken = new Map();

const kept = keepAnswers<Broken>({ most: 100_000, mostAnswers: 100, weigh: ({ size }) => 1 + size });

const aboutOf = ({ watermark }: Span): string => `broken above ${watermark}`;

/** Tokens with an amount or a supply below zero or past 2^256 - 1 at the end of a block in (watermark, block]. */
export async function brokenAbove(facts: FactsScope, span: Span): Promise<Broken> {
  if (span.block <= span.watermark) return NONE;
  const snapshot = { index: facts.index, isOpen: true };
  const { extremes } = await above(facts, span);
  return kept.of({ snapshot, point: span, about: aboutOf(span) }, () => readBroken(facts, extremes));
}

/** {@link brokenAbove}, where it is known already. */
export const knownBroken = (index: string, span: Span): Broken | undefined =>
  span.block <= span.watermark ? NONE : kept.known({ index, point: span, about: aboutOf(span) });

interface BrokenRow {
  kind: string;
  token: Address;
  is_low: boolean;
}

async function readBroken({ prepared, schemas }: FactsScope, extremes: readonly Extremes[]): Promise<Broken> {
  if (extremes.length === 0) return NONE;
  const column = (of: (one: Extremes) => string | bigint) => extremes.map(of).join(",");
  const rows = await prepared<BrokenRow>(
    `select u.kind, case u.kind when 'supply' then u.account else u.key end as token,
            coalesce(c.amount, 0) + u.low::numeric < 0 as is_low
       from unnest(string_to_array($1, ','), string_to_array($2, ','), string_to_array($3, ','),
                   string_to_array($4, ','), string_to_array($5, ',')) as u(kind, key, account, low, high)
       left join ${schemas.fold}.asset a on a.kind = u.kind and a.key = decode(substr(u.key, 3), 'hex')
       left join lateral (
         select amount from ${schemas.fold}.holding_current
          where asset = a.id and account = decode(substr(u.account, 3), 'hex') limit 1) c on true
      where coalesce(c.amount, 0) + u.low::numeric < 0 or coalesce(c.amount, 0) + u.high::numeric > ${MAX_AMOUNT}`,
    [
      ...[column(({ kind }) => kind), column(({ key }) => key), column(({ account }) => account)],
      ...[column(({ low }) => low), column(({ high }) => high)],
    ],
  );
  return new Map(
    rows.map(({ kind, token, is_low }) => [
      token,
      `${kind === "supply" ? "supply" : "balance"} ${is_low ? "below zero" : "past 2^256-1"}`,
    ]),
  );
}
