// What accounts have staked, one for one, in reward vaults, farms, Infrared vaults and listed staking vaults.
import type { AdditiveLedger } from "./additive-ledger.ts";

export const STAKE = "stake";

/**
 * Asset (`stake`, vault), account = whose stake it is. `delegate_stake` and `delegate_withdraw` say again, of the log
 * before them, who paid: they move nothing, and the stake is the account's. Berachain RewardVault.sol
 */
export const stakes: AdditiveLedger = {
  name: "reward-vault",
  facts: ["stake"],
  deltas: (schema, { after, upTo }, token) => `
      select f.block, f.log_index, '${STAKE}' as kind, f.vault as key, f.account,
             case f.kind when 'stake' then f.amount else -f.amount end as delta
        from ${schema}.stake f
       where f.block > ${after} and f.block <= ${upTo} and f.kind in ('stake', 'withdraw') and f.amount > 0
         ${token === undefined ? "" : `and f.vault = ${token}`}`,
};
