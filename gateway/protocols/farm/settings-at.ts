// Settings of farms as reported by a block: what they take, what they pay, and until when.
import { farmSettingsNeededText } from "../../../core/farm/settings-needed.ts";
import type { Snapshot } from "../../database/snapshot.ts";
import { readFacts } from "../../history/raw-facts.ts";
import type { Address } from "../../parameters.ts";

export interface FarmAt {
  stakingToken: Address;
  /** Unix seconds; rewards flow before it. */
  periodFinish: bigint;
  rewards: readonly { token: Address; rate: bigint }[];
}

interface SettingsRow {
  farm: string;
  staking_token: Address;
  period_finish: string;
  /** Comma-separated, in one order. */
  tokens: string;
  rates: string;
}

/**
 * By farm, at the end of the block. Missing where the farm has changed since and could not be read from the chain: what it
 * pays is not known then.
 */
export async function farmsAt(snapshot: Snapshot, block: number): Promise<Map<string, FarmAt>> {
  const { fold } = snapshot;
  const [progress] = await snapshot.rows<{ read_up_to: number }>(`select read_up_to from ${fold}.farm_progress`);
  const readUpTo = Math.min(progress?.read_up_to ?? -1, block);
  // what was read in a block that the chain has replaced since is of no branch any more
  const textOf = (needed: string) => `
    with changed as (
      select s.address, s.block, b.hash from ${fold}.farm_settings s
        join ${fold}.block b on b.number = s.block and b.hash = s.block_hash where s.block <= ${readUpTo}
      union all
      select r.address, r.block, '' from ${fold}.farm_settings_retry r
        join ${fold}.block b on b.number = r.block and b.hash = r.block_hash where r.block <= ${readUpTo}
      union all
      select decode(substr(n.farm, 3), 'hex'), n.block, coalesce(b.hash, '')
        from (${needed}) n left join ${fold}.block b on b.number = n.block),
    newest as (select distinct on (address) address, block, hash from changed order by address, block desc)
    select '0x' || encode(n.address, 'hex') as farm, '0x' || encode(s.staking_token, 'hex') as staking_token,
           s.period_finish::text as period_finish,
           (select coalesce(string_agg('0x' || encode(t, 'hex'), ',' order by place), '')
              from unnest(s.reward_tokens) with ordinality u(t, place)) as tokens,
           array_to_string(s.reward_rates, ',') as rates
      from newest n
      join ${fold}.farm_settings s
        on s.address = n.address and s.block = n.block and s.block_hash = n.hash`;
  const found = await readFacts(snapshot, (facts) =>
    facts.rows<SettingsRow>(
      textOf(farmSettingsNeededText(facts.schema, { after: String(readUpTo), upTo: String(block) })),
    ),
  );
  return new Map(found.map((row) => [row.farm, toFarm(row)]));
}

const items = (list: string): string[] => (list === "" ? [] : list.split(","));

function toFarm({ staking_token, period_finish, tokens, rates }: SettingsRow): FarmAt {
  const rewardRates = items(rates);
  return {
    stakingToken: staking_token,
    periodFinish: BigInt(period_finish),
    rewards: items(tokens).map((token, i) => ({ token: token as Address, rate: BigInt(rewardRates[i] ?? 0) })),
  };
}
