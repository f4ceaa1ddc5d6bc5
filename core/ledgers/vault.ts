// Which vaults there are and what is staked in them; and what else they hold, to hand it out as rewards or incentives.
import type { AdditiveLedger } from "./additive-ledger.ts";
import { everyContract, type Listing, listingDeltas } from "./listing.ts";

/** Kinds of listings by token. In these it is staked: */
export const REWARD_VAULT = "reward-vault";
export const FARM = "farm";
export const INFRARED = "infrared";
export const BAULT = "bault";
/** These hand it out: */
export const FARM_REWARD = "farm-reward";
export const INFRARED_REWARD = "infrared-reward";
export const INCENTIVE = "incentive";

/** As `t`: tokens sent to `contract` earlier in the transaction of the fact `f`; with `order` only the first in that order. */
const sentBefore = (schema: string, contract: string, order?: string): string => `
        cross join lateral (
          select t.token from ${schema}.erc20_transfer t
           where t.block = f.block and t.log_index < f.log_index and t.tx_index = f.tx_index and t."to" = ${contract}
           ${order === undefined ? "" : `order by ${order} limit 1`}) t`;

const BY_STAKER = `(t."from" = f.account) desc, (t.amount = f.amount) desc, t.log_index desc`;

const listings: readonly Listing[] = [
  { table: "vault_created", kind: "f.kind", key: everyContract, contract: "f.vault" },
  { table: "vault_created", kind: "f.kind", key: "f.asset", contract: "f.vault", condition: "f.asset is not null" },
  // A farm's factory does not say what the farm takes. It is the token of the last Transfer from the staker to the farm before
  // its log of a stake, in one transaction: the farm pulls the stake and calls nobody else before it logs. KodiakFarm.sol
  // A token may send its holders something by itself whenever it moves, as those that pay dividends do, or call the staker, who may
  // then send something too: transfers with the amount of the stake come first. With fees on transfer none has that amount.
  {
    table: "stake",
    kind: `'${FARM}'`,
    key: "t.token",
    contract: "f.vault",
    condition: "f.protocol = 'farm' and f.kind = 'stake'",
    join: (schema) => sentBefore(schema, "f.vault", BY_STAKER),
  },
  // No log names the reward tokens that a farm is made with. Its start pulls the rewards, and nobody can have staked before.
  // KodiakFarm.sol, startFarm
  {
    table: "other_event",
    kind: `'${FARM_REWARD}'`,
    key: "t.token",
    contract: "f.contract",
    condition: "f.event = 'FarmStarted'",
    join: (schema) => sentBefore(schema, "f.contract"),
  },
  // Other reward tokens show when they join a farm, get a rate or are paid there, and when they are put into an Infrared vault. A
  // renewed period names what is staked. KodiakFarm.sol, _retroCatchUp
  {
    table: "reward",
    kind: "f.protocol || '-reward'",
    key: "f.token",
    contract: "f.vault",
    condition: `f.token is not null and (f.protocol = 'farm' and f.kind in ('token_added', 'rate', 'paid')
                or f.protocol = 'infrared' and f.kind = 'added')`,
  },
  {
    table: "incentive",
    kind: `'${INCENTIVE}'`,
    key: "f.token",
    contract: "f.vault",
    condition: "f.kind in ('whitelisted', 'added')",
  },
];

export const vaults: AdditiveLedger = {
  name: "vault",
  facts: ["erc20_transfer", "vault_created", "stake", "reward", "incentive", "other_event"],
  joined: ["erc20_transfer"],
  deltas: (schema, range) => listingDeltas(schema, range, listings),
};
