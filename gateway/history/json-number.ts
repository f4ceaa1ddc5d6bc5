// PostgreSQL writes numbers exactly as ECMAScript prints them, so that answers can be built where the rows are.

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
