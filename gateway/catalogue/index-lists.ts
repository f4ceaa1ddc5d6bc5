// What an index lists of itself: tokens, and what went wrong with which of them. All of it is one statement, whose answer is
// stored for a moment, as it changes only when the fold or the metadata reader has written something.
import { question } from "../cache/question.ts";
import type { ReadScope } from "../database/read-scope.ts";
import { isoText } from "../database/state.ts";
import type { Address } from "../parameters.ts";

/** Most entries of each list; `…Count` says how many there are. */
const MOST_LISTED = 200;
const LAST_MS = 1_000;

interface QuarantinedToken {
  token: Address;
  name: string | null;
  symbol: string | null;
  block: number;
  /** Null when the contract's answers, not a log, are the reason. */
  logIndex: number | null;
  account: Address | null;
  reason: string;
}

interface StoppedPool {
  pool: Address;
  block: number;
  logIndex: number;
  field: string;
  /** What the event says. */
  expected: string;
  /** What the replay gives. */
  replayed: string;
}

/** What has stopped, by what it is; a `position-manager` is listed where its beginning is not among the facts. */
export const STOPPED_KINDS = [
  ...(["v3-pool", "v2-pair", "island", "reward-vault", "farm", "bault", "infrared"] as const),
  ...(["launch-curve", "position-manager"] as const),
] as const;

/** A contract whose state is unknown, or not fully known, from `block` on. */
interface StoppedContract {
  kind: (typeof STOPPED_KINDS)[number];
  address: Address;
  block: number;
  logIndex: number;
  reason: string;
}

interface Waiting {
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
  /** Only kinds of which something has stopped. */
  stoppedCounts: { kind: StoppedContract["kind"]; count: number }[];
  /** Everything that has stopped, pools too: position managers, then in order of blocks. */
  stopped: StoppedContract[];
}

/** SQL condition on a token `t`: its contract's answers are odd, and its ledger is not quarantined already. */
const hasBadMetadata = (fold: string): string => `(t.decimals is null or t.problem is not null)
  and not exists (select from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset where a.key = t.address)`;

/**
 * SELECT text of (kind, address, block, logIndex, reason). A contract whose own ledger is impossible has stopped as what it is:
 * an issuer by its shares or stakes, a pool by what it has been paid.
 */
const stoppedText = (fold: string): string => {
  const mismatch = (kind: string) => `
    select '${kind}' as kind, '0x' || encode(address, 'hex') as address, stopped_block as block, stopped_log as "logIndex",
           stopped_field || ' is ' || stopped_expected || ' in the event and ' || stopped_replayed || ' in the replay' as reason
      from ${fold}.${kind === "island" ? "island" : "v3_pool"} where stopped_block is not null`;
  const isAnnounced = (table: string, column: string) =>
    `exists (select from ${fold}.${table} f where f.${column} = broken.address)`;
  return `${mismatch("v3-pool")} union all ${mismatch("island")}
    union all
    select kind, '0x' || encode(contract, 'hex'), block, log_index, reason from ${fold}.missing_history
    union all
    select known.kind, broken.address, broken.block, broken.log_index, broken.reason
      from (select '0x' || encode(case when a.kind = 'v3-reserve' then q.account else a.key end, 'hex') as address,
                   a.kind, q.block, q.log_index, q.reason
              from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset) broken
     cross join lateral (select case
         when broken.kind = 'v3-reserve' then 'v3-pool'
         when ${isAnnounced("v2_pair_created", "pair")} then 'v2-pair'
         when ${isAnnounced("island_created", "island")} then 'island'
         when ${isAnnounced("launch_pool", "pool")} or ${isAnnounced("launch_pool", "token")} then 'launch-curve'
         else (select v.kind from ${fold}.vault_created v where v.vault = broken.address limit 1) end as kind) known
     where known.kind is not null`;
};

const list = (text: string): string => `(select coalesce(json_agg(l), '[]') from (${text}) l)`;

/** $1 chain id: one row of {@link IndexLists}. */
const listsText = (fold: string): string => `
  with halted as materialized (${stoppedText(fold)}),
  unread_farm as materialized (
    select r.address, min(r.block) as block, min(r.since) as since, max(r.last_error) as last_error
      from ${fold}.farm_settings_retry r join ${fold}.block b on b.number = r.block and b.hash = r.block_hash group by r.address)
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
    select 'island', '0x' || encode(i.address, 'hex'), w.block, w.reason || coalesce(': ' || r.last_error, ''),
           ${isoText("coalesce(r.since, now())")}
      from ${fold}.island i
     cross join lateral (values
       (i.waiting_block, 'range, fee and treasury are not read yet'),
       (i.undetermined_block, 'at some blocks from here on neither events nor the node tell range or fee')) w(block, reason)
      left join ${fold}.block b on b.number = w.block
      left join ${fold}.island_settings_retry r on r.address = i.address and r.block_hash = b.hash
     where w.block is not null
    union all
    select 'farm', '0x' || encode(address, 'hex'), block, 'what it pays is not read yet: ' || last_error, ${isoText("since")}
      from unread_farm
     order by 2 nulls first, 3, 1 limit ${MOST_LISTED}`)} as waiting,
         (select count(*)::int from ${fold}.island
           where coalesce(waiting_block, undetermined_block) is not null)
           + (select count(*)::int from unread_farm) as "waitingContractsCount",
         (select count(*)::int from ${fold}.v3_pool where stopped_block is not null) as "stoppedPoolsCount",
         ${list(`
    select '0x' || encode(address, 'hex') as pool, stopped_block as block, stopped_log as "logIndex",
           stopped_field as field, stopped_expected as expected, stopped_replayed as replayed
      from ${fold}.v3_pool where stopped_block is not null order by stopped_block, stopped_log limit ${MOST_LISTED}`)} as "stoppedPools",
         ${list("select kind, count(*)::int as count from halted group by kind order by kind")} as "stoppedCounts",
         ${list(`select * from halted order by kind = 'position-manager' desc, block, "logIndex", address limit ${MOST_LISTED}`)} as stopped`;

const indexLists = question<IndexLists>("index-lists");

/** A step of the fold is seen at once, what others write within a second. */
export function listsOf({ cache, fold, state, prepared }: ReadScope, chainId: number): Promise<IndexLists> {
  const seconds = Math.floor(performance.now() / LAST_MS);
  const place = { at: state.lastSyncedHash, key: "", revision: `${state.foldedAt} ${state.revision} ${seconds}` };
  return cache.of(indexLists, place, async () => {
    const [lists] = await prepared<IndexLists>(listsText(fold), [String(chainId)]);
    if (!lists) throw new Error("one row was to come, and none came");
    return lists;
  });
}
