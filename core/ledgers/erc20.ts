// ERC-20 balances and supplies from Transfer, and from Deposit/Withdrawal of weth9-flavoured wrapped natives.
import type { BlocksAfterSql } from "../blocks-after.ts";
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
      union all${sentToZero({ schema, fold }, { bounds, after, upTo })}
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
 *
 * Anybody may fill a block with such transfers and logs: none of them is compared with all pairs of others.
 */
const sentToZero = (
  { schema, fold }: { schema: string; fold: string },
  { bounds, after, upTo }: BlocksAfterSql & { bounds: string },
): string => `
      select f.block, f.log_index, v.kind, v.key, v.account, f.amount as delta
        from (
          select f.block, f.tx_index, f.log_index, f.token, f."from", f."to", f.amount, p.pair, i.island, c.vault,
                 count(*) over equal_later as transfers,
                 count(*) filter (where f."from" <> f.token) over equal_later as transfers_of_others
            from ${schema}.erc20_transfer f
            left join ${schema}.v2_pair_created p on p.pair = f.token
            left join ${schema}.island_created i on i.island = f.token
            left join ${schema}.vault_created c on c.vault = f.token and c.kind = 'bault'
           where ${bounds} and f."to" = ${ZERO} and f."from" <> ${ZERO}
             and (f.token in (select token from ${fold}.weth9) or f.token in (select token from ${fold}.erc4626)
                  or p.pair is not null or i.island is not null or c.vault is not null)
          window equal_later as (partition by f.block, f.tx_index, f.token, f.amount order by f.log_index desc)) f
        left join (
          select b.block, b.tx_index, b.island as contract, b.shares, count(*) as logs
            from ${schema}.island_flow b where b.kind = 'burn' and b.block > ${after} and b.block <= ${upTo}
           group by b.block, b.tx_index, b.island, b.shares) burned
          on burned.contract = f.island and (burned.block, burned.tx_index, burned.shares) = (f.block, f.tx_index, f.amount)
        left join (
          select b.block, b.tx_index, b.vault as contract, b.shares, count(*) as logs,
                 count(*) filter (where b.vault in (select token from ${fold}.erc4626) and ${burnsFromOwner(schema)}) as logs_of_owners
            from ${schema}.vault_flow b where b.kind = 'withdraw' and b.block > ${after} and b.block <= ${upTo}
           group by b.block, b.tx_index, b.vault, b.shares) withdrawn
          on withdrawn.contract = f.token and (withdrawn.block, withdrawn.tx_index, withdrawn.shares) = (f.block, f.tx_index, f.amount)
       cross join lateral (values ('erc20', f.token, f."to"), ('supply', '0x', f.token)) v (kind, key, account)
       where f.token in (select token from ${fold}.weth9)
          or f.pair is not null and f."from" <> f.token
          or f.island is not null and f.transfers > coalesce(burned.logs, 0)
          or f.vault is not null and f.transfers > coalesce(withdrawn.logs, 0)
          or f.token in (select token from ${fold}.erc4626) and f."from" <> f.token
             and f.transfers_of_others > coalesce(withdrawn.logs_of_owners, 0) and ${isNotBurntLessFee(schema)}`;

/**
 * SQL condition: the vault of the `Withdraw` `b` burns from the owner: it has not taken all of the shares first, to burn its own
 * between that and the log.
 */
const burnsFromOwner = (schema: string): string => `coalesce((
                   select min(t.log_index) from ${schema}.erc20_transfer t
                    where t.block = b.block and t.tx_index = b.tx_index and t.token = b.vault
                      and t."from" = b.owner and t."to" = b.vault and t.amount = b.shares) > (
                   select max(t.log_index) from ${schema}.erc20_transfer t
                    where t.block = b.block and t.tx_index = b.tx_index and t.token = b.vault
                      and t."from" = b.vault and t."to" = ${ZERO} and t.log_index < b.log_index), true)`;

/**
 * SQL condition: `f` is not the burn of a listed vault whose `Withdraw` also counts the shares that went to somebody as a fee. Such a
 * burn is the owner's last transfer to the zero address before a `Withdraw` of more shares, where no transfer there has as many.
 */
const isNotBurntLessFee = (schema: string): string => `not exists (
                   select from (
                       select w.* from ${schema}.vault_flow w
                        where w.kind = 'withdraw' and w.vault = f.token and w.block = f.block and w.tx_index = f.tx_index
                          and w.log_index > f.log_index and w.owner = f."from"
                        order by w.log_index limit 1) b
                    where b.shares > f.amount and ${burnsFromOwner(schema)}
                      and not exists (
                          select from ${schema}.erc20_transfer t
                           where t.block = f.block and t.tx_index = f.tx_index and t.log_index < b.log_index and t.token = f.token
                             and t."to" = ${ZERO} and (t.amount = b.shares or t."from" = f."from" and t.log_index > f.log_index)))`;
