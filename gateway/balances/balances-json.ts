// The entries of a large balances answer with many amounts held through contracts, as JSON text built by PostgreSQL: the rows
// never become objects. Its numbers are written exactly as ECMAScript prints them.
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

/** From here on PostgreSQL's shortest text of a double can have more digits than ECMAScript's. */
const WHOLE_DOUBLES = "18014398509481984"; // 2^54

/**
 * SQL of the nearest double of amount × 10^-decimals, `amount` being whole (numeric, raw units): its digits are read
 * once, with the exponent, so there is one rounding.
 */
export const nearestDouble = (amount: string, decimals: number): string =>
  `(${amount}::text || 'e-${decimals}')::float8`;

/**
 * SQL of a double >= 0 printed as ECMAScript's Number::toString does (ECMA-262 §6.1.6.1.20). `double` is a column: it is
 * named several times.
 *
 * - PostgreSQL prints 1e-07, 1e+15; ECMAScript 1e-7 and, below 1e21, all digits. Casting the *text* to numeric spells
 *   it out (float8 → numeric would keep 15 digits).
 * - PostgreSQL's Ryu never takes a decimal that lies exactly halfway between two doubles, ECMAScript does when it
 *   reads back as the same double (1e23). Such halfway points with fewer digits exist only above 2^54: there the
 *   shorter neighbours are tried.
 */
export const ecmaScriptText = (double: string): string => `
  case
    when ${double} < 1e-6 then regexp_replace(${double}::text, 'e-0', 'e-')
    when ${double} >= 1e-4 and ${double} < 1e15 then ${double}::text
    when ${double} < ${WHOLE_DOUBLES} then ${double}::text::numeric::text
    else (${wholeDouble(double)}) end`;

/** Scalar subquery: ECMAScript's text of a double at or above 2^54, where every double is whole. */
function wholeDouble(v: string): string {
  return `
    select case when length(shortest) <= 21 then shortest
      else left(mantissa, 1) || case when length(mantissa) > 1 then '.' || substr(mantissa, 2) else '' end
           || 'e+' || (length(shortest) - 1) end
    from (select shortest, rtrim(shortest, '0') as mantissa from (
      select coalesce(
        (select candidate::text
           from (select ${v}::text::numeric as whole) w,
                generate_series(1, 16) as digits,
                lateral (select ('1e' || (length(w.whole::text) - digits))::numeric as unit) u,
                lateral (values (div(w.whole, u.unit) * u.unit), ((div(w.whole, u.unit) + 1) * u.unit)) c(candidate)
          where candidate::text::float8 = ${v} order by digits limit 1),
        ${v}::text::numeric::text) as shortest) s) t`;
}
