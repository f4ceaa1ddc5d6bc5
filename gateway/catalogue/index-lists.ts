// What an index lists of itself: tokens, and what went wrong with which of them. All of it is one statement, whose answer is
// stored for a moment, as it changes only when the fold or the metadata reader has written something.
import { question } from "../cache/question.ts";
import type { ReadScope } from "../database/read-scope.ts";
import type { QuotedSchemas } from "../database/state.ts";
import { isoText } from "../database/state.ts";
import type { Address } from "../parameters.ts";

/** Most entries of each list; `…Count` tells how many there are. */
const MOST_LISTED = 200;
const LAST_MS = 1_000;

export interface QuarantinedToken {
  token: Address;
  name: string | null;
  symbol: string | null;
  block: number;
  /** Null when the contract's answers, not a log, are the reason. */
  logIndex: number | null;
  account: Address | null;
  reason: string;
}

export interface StoppedPool {
  pool: Address;
  block: number;
  logIndex: number;
  field: string;
  /** What the event says. */
  expected: string;
  /** What the replay gives. */
  replayed: string;
}

export interface Waiting {
  step: string;
  /** The contract that waits, while everything else goes on. Null: the fold goes no further than before the block. */
  address: Address | null;
  block: number;
  reason: string;
  since: string;
}

export interface IndexLists {
  /** Tokens that have been seen. */
  tracked: number;
  withMetadata: number;
  /** Tokens whose ledger is impossible, or whose contract gives odd metadata: only without decimals are the latter unanswered. */
  quarantinedCount: number;
  quarantined: QuarantinedToken[];
  metadataProblems: { token: Address; problem: string; attempts: number | null }[];
  flags: { token: Address; flag: string; block: number; detail: string }[];
  /** What is not read from the chain yet, from which block on, why and since when. */
  waiting: Waiting[];
  /** Contracts that wait alone. */
  waitingContractsCount: number;
  stoppedPoolsCount: number;
  /** Pools whose facts do not fit together: what they hold is unattributed from there on. */
  stoppedPools: StoppedPool[];
}

/** SQL condition on a token `t`: its contract's answers are odd, and its ledger is not quarantined already. */
const hasBadMetadata = (fold: string): string => `(t.decimals is null or t.problem is not null)
  and not exists (select from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset where a.key = t.address)`;

const list = (text: string): string => `(select coalesce(json_agg(l), '[]') from (${text}) l)`;

/** $1 chain id: one row of {@link IndexLists}. */
const listsText = ({ fold }: QuotedSchemas): string => `
  select (select count(*)::int from ${fold}.asset where kind = 'erc20') as tracked,
         (select count(*)::int from ${fold}.token) as "withMetadata",
         (select count(*)::int from ${fold}.quarantine)
           + (select count(*)::int from ${fold}.token t where ${hasBadMetadata(fold)}) as "quarantinedCount",
         ${list(`
    select '0x' || encode(a.key, 'hex') as token, t.name, t.symbol, q.block, q.log_index as "logIndex",
           '0x' || encode(q.account, 'hex') as account, q.reason
      from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset left join ${fold}.token t on t.address = a.key
    union all
    select '0x' || encode(t.address, 'hex'), t.name, t.symbol, t.read_at_block, null, null, coalesce(t.problem, 'decimals cannot be read')
      from ${fold}.token t where ${hasBadMetadata(fold)}
     order by 4, 1 limit ${MOST_LISTED}`)} as quarantined,
         ${list(`
    select '0x' || encode(address, 'hex') as token, problem, null::int as attempts from ${fold}.token where problem is not null
    union all
    select '0x' || encode(address, 'hex'), last_error, attempts from ${fold}.token_retry
     order by 1 limit ${MOST_LISTED}`)} as "metadataProblems",
         ${list(`
    select '0x' || encode(token, 'hex') as token, flag, block, detail from tidemark.token_flag
     where chain_id = $1::int8 order by 1, 2 limit ${MOST_LISTED}`)} as flags,
         ${list(`
    select step, null as address, block, reason, ${isoText("since")} as since from ${fold}.waiting
    union all
    select 'island', '0x' || encode(i.address, 'hex'), i.waiting_block,
           'range, fee and treasury are not read yet' || coalesce(': ' || r.last_error, ''),
           ${isoText("coalesce(r.since, now())")}
      from ${fold}.island i
      left join ${fold}.block b on b.number = i.waiting_block
      left join ${fold}.island_settings_retry r on r.address = i.address and r.block_hash = b.hash
     where i.waiting_block is not null
    union all
    select 'island', '0x' || encode(i.address, 'hex'), i.undetermined_block,
           'at some blocks from here on neither events nor the node tell range or fee' || coalesce(': ' || r.last_error, ''),
           ${isoText("coalesce(r.since, now())")}
      from ${fold}.island i
      left join ${fold}.block b on b.number = i.undetermined_block
      left join ${fold}.island_settings_retry r on r.address = i.address and r.block_hash = b.hash
     where i.undetermined_block is not null
     order by 2 nulls first, 3, 1 limit ${MOST_LISTED}`)} as waiting,
         (select count(*)::int from ${fold}.island
           where coalesce(waiting_block, undetermined_block) is not null) as "waitingContractsCount",
         (select count(*)::int from ${fold}.v3_pool where stopped_block is not null) as "stoppedPoolsCount",
         ${list(`
    select '0x' || encode(address, 'hex') as pool, stopped_block as block, stopped_log as "logIndex",
           stopped_field as field, stopped_expected as expected, stopped_replayed as replayed
      from ${fold}.v3_pool where stopped_block is not null order by stopped_block, stopped_log limit ${MOST_LISTED}`)} as "stoppedPools"`;

const indexLists = question<IndexLists>("index-lists");

/** A step of the fold is seen at once, what others write within a second. */
export function listsOf({ cache, schemas, state, prepared }: ReadScope, chainId: number): Promise<IndexLists> {
  const seconds = Math.floor(performance.now() / LAST_MS);
  const place = { at: state.lastSyncedHash, key: "", revision: `${state.foldedAt} ${state.revision} ${seconds}` };
  return cache.of(indexLists, place, async () => {
    const [lists] = await prepared<IndexLists>(listsText(schemas), [String(chainId)]);
    if (!lists) throw new Error("one row was to come, and none came");
    return lists;
  });
}
