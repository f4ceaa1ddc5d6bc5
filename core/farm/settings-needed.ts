// At which blocks farms must be asked: the rates given at a farm's creation are in no event, nor is the end of its period, which
// begins with `FarmStarted` and moves when a call makes the farm check it. KodiakFarm.sol
import type { BlocksAfterSql } from "../blocks-after.ts";

/** What no event says about a farm, by the end of a block. */
export interface FarmSettings {
  stakingToken: string;
  /** Unix seconds; rewards flow before it. 0: not started. */
  periodFinish: bigint;
  /** Tokens with what all stakers together get of each per second, raw units. */
  rewards: readonly { token: string; rate: bigint }[];
}

/**
 * SELECT text of (block, farm) with `after < block <= upTo` at whose end a farm must be read, once per farm and block.
 * `schema` is the quoted name of Ponder's schema.
 */
export const farmSettingsNeededText = (schema: string, { after, upTo }: BlocksAfterSql): string => {
  const inRange = `f.block > ${after} and f.block <= ${upTo}`;
  return `
    select f.block, f.vault as farm from ${schema}.vault_created f where ${inRange} and f.kind = 'farm'
    union
    select f.block, f.vault from ${schema}.reward f
     where ${inRange} and f.protocol = 'farm' and f.kind in ('rate', 'token_added', 'renewed')
    union
    select f.block, f.contract from ${schema}.other_event f
     where ${inRange} and f.event = 'FarmStarted'
       and f.contract in (select vault from ${schema}.vault_created where kind = 'farm')`;
};
