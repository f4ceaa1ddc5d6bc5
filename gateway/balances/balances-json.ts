// The entries of a large balances answer with many amounts held through contracts, as JSON text built by PostgreSQL: the rows
// never become objects.
import { ecmaScriptText, nearestDouble } from "../history/json-number.ts";

export interface JsonShape {
  /** An ORDER BY list over the columns of the rows. */
  order: string;
  decimals: number;
}

/**
 * SELECT text yielding (entry text), one JSON object per row of `rows` (account bytea, amount and own numeric raw units,
 * sources and expanded text or null, …) in `order`. Accounts with amount 0 have no sources.
 *
 * The narrow rows are sorted, then written in steps, each a subquery of its own: joins for every row would take as long
 * as the writing. `offset 0` keeps the steps apart, so that a step is not repeated for every place that names it, and
 * PostgreSQL passes rows through them in the order it gets them.
 */
export const jsonEntries = (rows: string, { order, decimals }: JsonShape): string =>
  entriesWithParts(`select * from (${rows}) unsorted order by ${order}`, decimals);

const entry = (digits: string, { sources, expanded }: { sources: string; expanded: string }): string => `
  case when r.amount = 0 then
    '{"account":"0x' || encode(r.account, 'hex') || '","total":0,"sources":[],"expanded":""}'
  else
    '{"account":"0x' || encode(r.account, 'hex') || '","total":' || ${digits}
    || ',"sources":[' || ${sources} || '],"expanded":"' || ${expanded} || '"}'
  end as entry`;

/** Where a row has no sources beyond the wallet, its own digits are the total's. */
const entriesWithParts = (sorted: string, decimals: number): string => {
  const own = "case when r.sources is null then r.digits else r.own_digits end";
  const wallet = `case when r.own > 0 then '{"source":"balance","value":' || ${own} || '}' end`;
  const sources = `concat_ws(',', ${wallet}, r.sources)`;
  const expanded = `concat_ws(', ', case when r.own > 0 then 'balance: ' || ${own} end, r.expanded)`;
  return `
  select ${entry("r.digits", { sources, expanded })}
    from (select r.*, ${ecmaScriptText("total")} as digits,
                 case when sources is not null then ${ecmaScriptText("wallet")} end as own_digits
            from (select r.*, ${nearestDouble("amount", decimals)} as total,
                         case when sources is not null then ${nearestDouble("own", decimals)} end as wallet
                    from (${sorted} offset 0) r offset 0) r offset 0) r`;
};
