// What accounts have staked, one for one, in reward vaults, farms, Infrared vaults and listed staking vaults; and what is owed to
// them one for one where a vault has their shares burnt before it pays.
import type { AdditiveLedger } from "./additive-ledger.ts";

export const STAKE = "stake";

/**
 * Asset (`stake`, vault), account = whose stake it is. `delegate_stake` and `delegate_withdraw` repeat the log before them and add who
 * paid: they move nothing, and the stake is the account's. Berachain RewardVault.sol
 * What waits to be withdrawn belongs to the owner whose shares were burnt: each event of a request names the owner. Berachain
 * WBERAStakerVault.sol
 */
export const stakes: AdditiveLedger = {
  name: "reward-vault",
  facts: ["vault_flow", "stake"],
  deltas(schema, { after, upTo }) {
    const where = `f.block > ${after} and f.block <= ${upTo}`;
    return `
      select f.block, f.log_index, '${STAKE}' as kind, f.vault as key, f.account,
             case f.kind when 'stake' then f.amount else -f.amount end as delta
        from ${schema}.stake f
       where ${where} and f.kind in ('stake', 'withdraw') and f.amount > 0
      union all
      select f.block, f.log_index, '${STAKE}' as kind, f.vault as key, f.owner as account,
             case f.kind when 'withdrawal_requested' then f.assets else -f.assets end as delta
        from ${schema}.vault_flow f
       where ${where} and f.kind in ('withdrawal_requested', 'withdrawal_completed', 'withdrawal_cancelled') and f.assets > 0`;
  },
};
