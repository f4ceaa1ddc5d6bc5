// What flows to reward vaults: emissions of the reward token, and what is left of the incentives that attract them.
import type { ChainFile } from "../../chains/chain-file.ts";
import type { FactsScope } from "../ledger/snapshot.ts";
import type { Address } from "../parameters.ts";

/**
 * `Distributed` to each vault with `after < block <= upTo`, raw units of the reward token. `RewardAdded` is no sum: it
 * holds what was left of the running period.
 */
export async function readEmissions(
  { rows, schemas }: FactsScope,
  { after, upTo }: { after: number; upTo: number },
): Promise<Map<string, bigint>> {
  const found = await rows<{ vault: string; amount: string }>(`
    select vault, sum(amount)::text as amount from ${schemas.ponder}.reward
     where block > ${after} and block <= ${upTo} and protocol = 'reward-vault' and kind = 'distributed'
     group by vault`);
  return new Map(found.map(({ vault, amount }) => [vault, BigInt(amount)]));
}

export interface Incentive {
  token: Address;
  /** Raw units that are still to be given for emissions. */
  remaining: bigint;
}

/**
 * What is left of each vault's incentives at the end of the block: added, less what was given away, less the fee on it,
 * all since the token was last removed. Only what is above zero. RewardVault.sol `addIncentive`, `_processIncentive`
 */
export async function readIncentives(
  { rows, schemas: { ponder } }: FactsScope,
  block: number,
): Promise<Map<string, readonly Incentive[]>> {
  const found = await rows<{ vault: string; token: Address; remaining: string }>(`
    with removed as (
      select vault, token, max(block::int8 << 31 | log_index) as place from ${ponder}.incentive
       where block <= ${block} and kind = 'removed' group by vault, token)
    select i.vault, i.token, sum(case i.kind when 'added' then i.amount else -i.amount end)::text as remaining
      from ${ponder}.incentive i left join removed r on r.vault = i.vault and r.token = i.token
     where i.block <= ${block} and i.kind in ('added', 'processed', 'booster_processed', 'fee_collected')
       and (r.place is null or (i.block::int8 << 31 | i.log_index) > r.place)
     group by i.vault, i.token
    having sum(case i.kind when 'added' then i.amount else -i.amount end) > 0
     order by i.vault, i.token`);
  const incentives = new Map<string, Incentive[]>();
  for (const { vault, token, remaining } of found) {
    const own = incentives.get(vault) ?? [];
    own.push({ token, remaining: BigInt(remaining) });
    incentives.set(vault, own);
  }
  return incentives;
}

/** The vaults that may receive emissions at the end of the block; undefined on a chain where nobody decides that. */
export async function readWhitelisted(
  { rows, schemas }: FactsScope,
  { rewardVaults }: ChainFile,
  block: number,
): Promise<Set<string> | undefined> {
  if (!rewardVaults?.beraChef) return undefined;
  const found = await rows<{ vault: string }>(
    `select vault from (
       select distinct on (args->>'receiver') args->>'receiver' as vault, args->>'isWhitelisted' as is_listed
         from ${schemas.ponder}.other_event
        where contract = $1 and event = 'VaultWhitelistedStatusUpdated' and block <= ${block}
        order by args->>'receiver', block desc, log_index desc) latest
      where is_listed = 'true'`,
    [rewardVaults.beraChef.address],
  );
  return new Set(found.map(({ vault }) => vault));
}
