// The entries of a balances answer as JSON text, built by PostgreSQL: for many holders the rows never become objects.
import { ecmaScriptDigits } from "./json-number.ts";

/**
 * SELECT text yielding (entry text), one JSON object per row of `rows` (account bytea, amount and own numeric raw units,
 * sources and expanded text or null, …) in `order`, an ORDER BY list over its columns. Accounts with amount 0 have no
 * sources. The narrow rows are sorted; the outer ORDER BY repeats it, for free, as the promise. Without `hasParts` no
 * row has sources beyond the wallet, and one number per row is enough.
 */
export const jsonEntries = (rows: string, { order, decimals, hasParts }: JsonShape): string => {
  const wallet = `'{"source":"balance","value":' || number.digits || '}'`;
  const ownDigits = "case when r.sources is null then number.digits else own.digits end";
  const own = `case when r.own > 0 then '{"source":"balance","value":' || ${ownDigits} || '}' end`;
  const sources = hasParts ? `concat_ws(',', ${own}, r.sources)` : wallet;
  const ownExpanded = `case when r.own > 0 then 'balance: ' || ${ownDigits} end`;
  const expanded = hasParts ? `concat_ws(', ', ${ownExpanded}, r.expanded)` : "'balance: ' || number.digits";
  return `
  select case when r.amount = 0 then
      '{"account":"0x' || encode(r.account, 'hex') || '","total":0,"sources":[],"expanded":""}'
    else
      '{"account":"0x' || encode(r.account, 'hex') || '","total":' || number.digits
      || ',"sources":[' || ${sources} || '],"expanded":"' || ${expanded} || '"}'
    end as entry
    from (select * from (${rows}) unsorted order by ${order}) r ${ecmaScriptDigits("r.amount", decimals)}
    ${hasParts ? ecmaScriptDigits("case when r.sources is null then 0 else r.own end", decimals, "own") : ""}
   order by ${order}`;
};

export interface JsonShape {
  order: string;
  decimals: number;
  hasParts: boolean;
}
