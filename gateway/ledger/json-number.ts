// PostgreSQL writes numbers exactly as ECMAScript prints them, so that answers can be built where the rows are.

/** From here on PostgreSQL's shortest text of a double can have more digits than ECMAScript's. */
const WHOLE_DOUBLES = "18014398509481984"; // 2^54

/**
 * Lateral joins that turn `amount` (numeric, raw units) into `<alias>.digits`: the nearest double of
 * amount × 10^-decimals, printed as ECMAScript's Number::toString does (ECMA-262 §6.1.6.1.20).
 *
 * - Scaling multiplies by an exact power of ten; the cast numeric → float8 goes through text and rounds once.
 * - PostgreSQL prints 1e-07, 1e+15; ECMAScript 1e-7 and, below 1e21, all digits. Casting the *text* to numeric spells
 *   it out (float8 → numeric would keep 15 digits).
 * - PostgreSQL's Ryu never takes a decimal that lies exactly halfway between two doubles, ECMAScript does when it
 *   reads back as the same double (1e23). Such halfway points with fewer digits exist only above 2^54: there the
 *   shorter neighbours are tried.
 */
export function ecmaScriptDigits(amount: string, decimals: number, alias = "number"): string {
  return `
    cross join lateral (select (${amount} * 1e-${decimals}::numeric)::float8 as v offset 0) ${alias}_double
    cross join lateral (select case
      when ${alias}_double.v < 1e-6 then regexp_replace(${alias}_double.v::text, 'e-0', 'e-')
      when ${alias}_double.v >= 1e-4 and ${alias}_double.v < 1e15 then ${alias}_double.v::text
      when ${alias}_double.v < ${WHOLE_DOUBLES} then ${alias}_double.v::text::numeric::text
      else (${wholeDouble(`${alias}_double.v`)}) end as digits offset 0) ${alias}`;
}

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
                generate_series(1, 16) as kept,
                lateral (select ('1e' || (length(w.whole::text) - kept))::numeric as unit) u,
                lateral (values (div(w.whole, u.unit) * u.unit), ((div(w.whole, u.unit) + 1) * u.unit)) c(candidate)
          where candidate::text::float8 = ${v} order by kept limit 1),
        ${v}::text::numeric::text) as shortest) s) t`;
}
