// DDL of what was read from farms.
import { retryTableDdl } from "./retry.ts";

/**
 * `s` is the fold's quoted schema.
 * - `farm_settings`: what the farm said at the end of a block that changed it; `period_finish` in Unix seconds, rates per
 *   second in the order of the tokens.
 * - `farm_progress`: every such block up to `read_up_to` is in `farm_settings`, or in `farm_settings_retry` with why not.
 */
export const farmTablesDdl = (s: string): string => `
create table ${s}.farm_settings (
  address bytea not null, block int4 not null, block_hash text not null, staking_token bytea not null,
  period_finish numeric not null, reward_tokens bytea[] not null, reward_rates numeric[] not null,
  primary key (address, block, block_hash));
${retryTableDdl(s, "farm_settings_retry")}
create table ${s}.farm_progress (one bool primary key default true check (one), read_up_to int4 not null);
insert into ${s}.farm_progress values (true, -1);
`;
