// The entries of a balances answer as JSON text, built by PostgreSQL: for many holders the rows never become objects.
import { ecmaScriptDigits } from "./json-number.ts";

/**
 * SELECT text yielding (entry text), one JSON object per row of `rows` (account bytea, amount numeric raw units, …) in
 * `order`, an ORDER BY list over its columns. Accounts with amount 0 have no sources. The narrow rows are sorted; the
 * outer ORDER BY repeats it, for free, as the promise.
 */
export const jsonEntries = (rows: string, order: string, decimals: number): string => `
  select case when r.amount = 0 then
      '{"account":"0x' || encode(r.account, 'hex') || '","total":0,"sources":[],"expanded":""}'
    else
      '{"account":"0x' || encode(r.account, 'hex') || '","total":' || number.digits
      || ',"sources":[{"source":"balance","value":' || number.digits
      || '}],"expanded":"balance: ' || number.digits || '"}'
    end as entry
    from (select * from (${rows}) unsorted order by ${order}) r ${ecmaScriptDigits("r.amount", decimals)}
   order by ${order}`;
