// ERC-20 balances and supplies from Transfer, and from Deposit/Withdrawal of weth9-flavoured wrapped natives.
import { literal } from "../sql-literal.ts";
import { ZERO_ADDRESS } from "../zero-address.ts";
import type { AdditiveLedger } from "./additive-ledger.ts";

const ZERO = literal(ZERO_ADDRESS);

/**
 * Rules: 0→x mints, x→0 burns, 0→0 mints to the zero address (v2 pairs and islands do this on their first mint),
 * x→x changes nothing. A weth9 Deposit mints and a Withdrawal burns (canonical WETH9, `deposit`/`withdraw`).
 * A weth9, and shares of v2 pairs, islands, baults and listed ERC-4626 vaults, may be sent to the zero address, which then holds
 * them: see `sentToZero`.
 * One plain scan per kind of change: fanning each fact out in a lateral join takes four times as long.
 */
export const erc20: AdditiveLedger = {
  name: "erc20",
  facts: [
    ...["erc20_transfer", "weth9_deposit", "weth9_withdrawal"],
    ...["v2_pair_created", "island_created", "island_flow", "vault_created", "vault_flow"],
  ],
  joined: ["v2_pair_created", "island_created", "island_flow", "vault_created", "vault_flow"],
  deltas(schema, { after, upTo, fold }) {
    const bounds = `f.block > ${after} and f.block <= ${upTo} and f.amount > 0`;
    const held = (account: string) => `f.block, f.log_index, 'erc20' as kind, f.token as key, ${account} as account`;
    const supply = "f.block, f.log_index, 'supply' as kind, '0x' as key, f.token as account";
    const transfers = `${schema}.erc20_transfer f where ${bounds}`;
    const wrap = (table: string, sign: string) => `
      select ${held("f.account")}, ${sign}f.amount as delta from ${schema}.${table} f where ${bounds}
      union all select ${supply}, ${sign}f.amount from ${schema}.${table} f where ${bounds}`;
    return `
      select ${held('f."to"')}, f.amount as delta from ${transfers}
         and (f."to" <> ${ZERO} or f."from" = ${ZERO}) and (f."from" <> f."to" or f."from" = ${ZERO})
      union all
      select ${held('f."from"')}, -f.amount from ${transfers} and f."from" <> ${ZERO} and f."from" <> f."to"
      union all
      select ${supply}, case when f."from" = ${ZERO} then f.amount else -f.amount end
        from ${transfers} and (f."from" = ${ZERO} or f."to" = ${ZERO})
      union all${sentToZero({ schema, fold }, bounds)}
      union all${wrap("weth9_deposit", "")}
      union all${wrap("weth9_withdrawal", "-")}`;
  },
};

/**
 * Gives back, to the zero address and the supply, what the rules took for a burn by mistake. A pair burns what it holds itself
 * (UniswapV2Pair.sol, `burn`), an island logs `Burned` (KodiakIsland.sol), and a bault and a listed vault `Withdraw` (EIP-4626;
 * Solady ERC4626.sol, `_withdraw`) of as many shares after it in the same transaction; what is sent there otherwise stays in the supply,
 * and locks its part of what is behind the shares for ever. Such a log stands for one transfer: of several equal ones in a transaction
 * as many are burnt as there are logs, no matter which, since a token with hooks lets others burn as much between a transfer and its
 * log. A listed vault burns what it has of its own shares without a log (Yearn VaultV3.vy, `_burn_shares`), and may burn fewer than it
 * logs, where it takes its fee in shares. A weth9 burns without a Transfer (WETH9.sol, `withdraw`): all that is sent to the zero
 * address stays.
 */
const sentToZero = ({ schema, fold }: { schema: string; fold: string }, bounds: string): string => `
      select f.block, f.log_index, v.kind, v.key, v.account, f.amount as delta
        from ${schema}.erc20_transfer f
        left join ${schema}.v2_pair_created p on p.pair = f.token
        left join ${schema}.island_created i on i.island = f.token
        left join ${schema}.vault_created c on c.vault = f.token and c.kind = 'bault'
       cross join lateral (values ('erc20', f.token, f."to"), ('supply', '0x', f.token)) v (kind, key, account)
       where ${bounds} and f."to" = ${ZERO} and f."from" <> ${ZERO}
         and (f.token in (select token from ${fold}.weth9)
              or p.pair is not null and f."from" <> f.token
              or i.island is not null and ${isNotBurntBy(schema, { table: "island_flow", contract: "island", kind: "burn" })}
              or c.vault is not null and ${isNotBurntBy(schema, WITHDRAWN)}
              or f.token in (select token from ${fold}.erc4626) and f."from" <> f.token
                 and ${isNotBurntBy(schema, WITHDRAWN, { log: burnsFromOwner(schema), transfer: 't."from" <> f.token' })}
                 and ${isNotBurntLessFee(schema)})`;

const WITHDRAWN = { table: "vault_flow", contract: "vault", kind: "withdraw" };

/**
 * SQL condition: `f` and the transfers of as many shares to the zero address after it are more than there are logs of `kind`. `counted`:
 * conditions on the logs `b` and the transfers `t`.
 */
const isNotBurntBy = (
  schema: string,
  log: { table: string; contract: string; kind: string },
  counted = { log: "true", transfer: "true" },
): string => `(
                   select count(*) from ${schema}.${log.table} b
                    where b.kind = '${log.kind}' and b.${log.contract} = f.token and b.block = f.block and b.tx_index = f.tx_index
                      and b.shares = f.amount and ${counted.log}) < (
                   select count(*) from ${schema}.erc20_transfer t
                    where t.block = f.block and t.tx_index = f.tx_index and t.log_index >= f.log_index
                      and t.token = f.token and t.amount = f.amount and t."to" = ${ZERO} and t."from" <> ${ZERO}
                      and ${counted.transfer})`;

/** SQL condition: the vault of the `Withdraw` `b` burns from the owner: it has not taken all of the shares first, to burn its own. */
const burnsFromOwner = (schema: string): string => `not exists (
                   select from ${schema}.erc20_transfer t
                     join ${schema}.erc20_transfer u on u.block = t.block and u.tx_index = t.tx_index and u.token = t.token
                    where t.block = b.block and t.tx_index = b.tx_index and t.token = b.vault and t.log_index < u.log_index
                      and t."from" = b.owner and t."to" = b.vault and t.amount = b.shares
                      and u."from" = b.vault and u."to" = ${ZERO} and u.log_index < b.log_index)`;

/**
 * SQL condition: `f` is not the burn of a listed vault whose `Withdraw` also counts the shares that went to somebody as a fee. Such a
 * burn is the owner's last transfer to the zero address before a `Withdraw` of more shares, where no transfer there has as many.
 */
const isNotBurntLessFee = (schema: string): string => `not exists (
                   select from ${schema}.vault_flow b
                    where b.kind = 'withdraw' and b.vault = f.token and b.block = f.block and b.tx_index = f.tx_index
                      and b.log_index > f.log_index and b.owner = f."from" and b.shares > f.amount
                      and ${burnsFromOwner(schema)}
                      and not exists (
                          select from ${schema}.erc20_transfer t
                           where t.block = f.block and t.tx_index = f.tx_index and t.log_index < b.log_index and t.token = f.token
                             and t."to" = ${ZERO} and (t.amount = b.shares or t."from" = f."from" and t.log_index > f.log_index))
                      and not exists (
                          select from ${schema}.vault_flow o
                           where o.kind = 'withdraw' and o.vault = f.token and o.block = f.block and o.tx_index = f.tx_index
                             and o.owner = f."from" and o.log_index > f.log_index and o.log_index < b.log_index))`;
