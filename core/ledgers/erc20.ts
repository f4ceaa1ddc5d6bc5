// ERC-20 balances and supplies from Transfer, and from Deposit/Withdrawal of weth9-flavoured wrapped natives.
import type { AdditiveLedger } from "./additive-ledger.ts";

const ZERO = "'0x0000000000000000000000000000000000000000'";

/**
 * Rules: 0→x mints, x→0 burns, 0→0 mints to the zero address (v2 pairs and islands do this on their first mint),
 * x→x changes nothing. A weth9 Deposit mints and a Withdrawal burns (canonical WETH9, `deposit`/`withdraw`).
 * Each fact is read once and fanned out to its two or three changes.
 */
export const erc20: AdditiveLedger = {
  name: "erc20",
  facts: ["erc20_transfer", "weth9_deposit", "weth9_withdrawal"],
  deltas(schema, { after, upTo }, token) {
    const ofToken = token === undefined ? "" : ` and f.token = ${token}`;
    const bounds = `f.block > ${after} and f.block <= ${upTo} and f.amount > 0${ofToken}`;
    const wrap = (table: string, sign: string) => `
      select f.block, f.log_index, d.kind, d.key, d.account, ${sign}f.amount as delta
        from ${schema}.${table} f
        cross join lateral (values ('erc20', f.token, f.account), ('supply', '0x', f.token)) d(kind, key, account)
       where ${bounds}`;
    return `
      select f.block, f.log_index, d.kind, d.key, d.account, d.delta
        from ${schema}.erc20_transfer f
        cross join lateral (values
          ('erc20', f.token, f."to", case when f."to" <> ${ZERO} or f."from" = ${ZERO} then f.amount end),
          ('erc20', f.token, f."from", case when f."from" <> ${ZERO} then -f.amount end),
          ('supply', '0x', f.token,
            case when f."from" = ${ZERO} then f.amount when f."to" = ${ZERO} then -f.amount end)
        ) d(kind, key, account, delta)
       where ${bounds} and (f."from" <> f."to" or f."from" = ${ZERO}) and d.delta is not null
      union all${wrap("weth9_deposit", "")}
      union all${wrap("weth9_withdrawal", "-")}`;
  },
};
