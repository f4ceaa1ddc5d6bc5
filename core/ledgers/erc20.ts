// ERC-20 balances and supplies from Transfer, and from Deposit/Withdrawal of weth9-flavoured wrapped natives.
import type { AdditiveLedger } from "./additive-ledger.ts";

const ZERO = "'0x0000000000000000000000000000000000000000'";

/**
 * Rules: 0→x mints, x→0 burns, 0→0 mints to the zero address (v2 pairs and islands do this on their first mint),
 * x→x changes nothing. A weth9 Deposit mints and a Withdrawal burns (canonical WETH9, `deposit`/`withdraw`).
 */
export const erc20: AdditiveLedger = {
  name: "erc20",
  facts: ["erc20_transfer", "weth9_deposit", "weth9_withdrawal"],
  deltas(schema, { after, upTo }) {
    const bounds = `block > ${after} and block <= ${upTo}`;
    return `
      select block, log_index, 'erc20' as kind, token as key, "to" as account, amount as delta
        from ${schema}.erc20_transfer where ${bounds} and amount > 0 and "from" <> "to" and "to" <> ${ZERO}
      union all
      select block, log_index, 'erc20', token, "to", amount
        from ${schema}.erc20_transfer where ${bounds} and amount > 0 and "from" = ${ZERO} and "to" = ${ZERO}
      union all
      select block, log_index, 'erc20', token, "from", -amount
        from ${schema}.erc20_transfer where ${bounds} and amount > 0 and "from" <> "to" and "from" <> ${ZERO}
      union all
      select block, log_index, 'supply', '0x', token, case when "from" = ${ZERO} then amount else -amount end
        from ${schema}.erc20_transfer where ${bounds} and amount > 0
         and ("from" = ${ZERO} or "to" = ${ZERO})
      union all
      select block, log_index, 'erc20', token, account, amount from ${schema}.weth9_deposit where ${bounds} and amount > 0
      union all
      select block, log_index, 'supply', '0x', token, amount from ${schema}.weth9_deposit where ${bounds} and amount > 0
      union all
      select block, log_index, 'erc20', token, account, -amount from ${schema}.weth9_withdrawal where ${bounds} and amount > 0
      union all
      select block, log_index, 'supply', '0x', token, -amount from ${schema}.weth9_withdrawal where ${bounds} and amount > 0`;
  },
};
