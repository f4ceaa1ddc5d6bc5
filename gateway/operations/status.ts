// How far everything is, and what went wrong with which token. Answers also while nothing else can be answered.
import { MOST_OVERLAID_FACTS } from "../block-point.ts";
import type { Operation, OperationContext } from "../context.ts";
import { isMissingTable, publicError, UnavailableError } from "../errors.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import { countFacts } from "../ledger/overlay.ts";
import { isoText, type LedgerState } from "../ledger/state.ts";
import type { Address } from "../parameters.ts";

/** Blocks between the chain's head and ours that still count as being there. */
const NEAR_HEAD_BLOCKS = 10;
/** A node that has not told its head for so long may be anywhere by now. */
const LONGEST_UNHEARD_SECONDS = 60;
/** Most entries of each list; `…Count` tells how many there are. */
const MOST_LISTED = 200;

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

export interface Status {
  chainId: number;
  chain: string;
  /**
   * `unknown`: nobody knows how far behind we are, as the node has not been heard of lately. `stopped`: the chain has
   * replaced blocks that were final.
   */
  state: "starting" | "backfilling" | "folding" | "ready" | "unknown" | "stopped";
  /** One sentence; null when ready. */
  reason: string | null;
  firstBlock: number;
  lastSyncedBlock: number | null;
  lastSyncedTimestamp: number | null;
  chainHead: number | null;
  /** Blocks between the chain's head and lastSyncedBlock. */
  lag: number | null;
  /** When the node last told it, ISO 8601. */
  chainHeadAt: string | null;
  rpcError: string | null;
  fold: { watermark: number; facts: number; factsAbove: number; hasMoreFactsAbove: boolean; updatedAt: string } | null;
  builds: { ponderSchema: string; ponderBuild: string; foldSchema: string; since: string | null } | null;
  tokens: { tracked: number; withMetadata: number } | null;
  /** Tokens whose ledger is impossible, or whose contract gives odd metadata: only without decimals are the latter unanswered. */
  quarantinedCount: number;
  quarantined: QuarantinedToken[];
  metadataProblems: { token: Address; problem: string; attempts: number | null }[];
  flags: { token: Address; flag: string; block: number; detail: string }[];
  /** What keeps a part of the fold from going on, and since when. */
  waiting: { step: string; block: number; reason: string; since: string }[];
  stoppedPoolsCount: number;
  /** Pools whose facts do not fit together: what they hold is unattributed from there on. */
  stoppedPools: StoppedPool[];
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

/** SQL condition on a token `t`: its contract's answers are odd, and its ledger is not quarantined already. */
const hasBadMetadata = (fold: string): string => `(t.decimals is null or t.problem is not null)
  and not exists (select from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset where a.key = t.address)`;

export const status: Operation<Record<string, never>, Status> = {
  name: "status",
  async run(_input, context) {
    try {
      return await context.snapshot.withFacts((facts) => describe(context, facts));
    } catch (error) {
      const known = publicError(error);
      if (!(known instanceof UnavailableError) || known.code === "DATABASE_UNAVAILABLE") throw error;
      return withoutIndex(context, known);
    }
  },
};

async function describe(context: OperationContext, facts: FactsScope): Promise<Status> {
  const { chain } = context;
  const { state } = facts;
  const { fold } = facts.schemas;
  // one round trip for all of them
  const [factsAbove, [heard], [counts], quarantined, metadataProblems, flags, waiting, stoppedPools] =
    await Promise.all([
      state.lastSynced === undefined ? 0 : countFacts(facts, { after: state.watermark, upTo: state.lastSynced }),
      facts.rows<Heard>(heardText(chain.chainId)),
      facts.rows<{ tracked: number; with_metadata: number; quarantined: number }>(`
    select (select count(*)::int from ${fold}.asset where kind = 'erc20') as tracked,
           (select count(*)::int from ${fold}.token) as with_metadata,
           (select count(*)::int from ${fold}.quarantine)
             + (select count(*)::int from ${fold}.token t where ${hasBadMetadata(fold)}) as quarantined`),
      facts.rows<QuarantinedToken>(`
    select '0x' || encode(a.key, 'hex') as token, t.name, t.symbol, q.block, q.log_index as "logIndex",
           '0x' || encode(q.account, 'hex') as account, q.reason
      from ${fold}.quarantine q join ${fold}.asset a on a.id = q.asset left join ${fold}.token t on t.address = a.key
    union all
    select '0x' || encode(t.address, 'hex'), t.name, t.symbol, t.read_at_block, null, null, coalesce(t.problem, 'decimals cannot be read')
      from ${fold}.token t where ${hasBadMetadata(fold)}
     order by 4, 1 limit ${MOST_LISTED}`),
      facts.rows<{ token: Address; problem: string; attempts: number | null }>(`
    select '0x' || encode(address, 'hex') as token, problem, null::int as attempts from ${fold}.token where problem is not null
    union all
    select '0x' || encode(address, 'hex'), last_error, attempts from ${fold}.token_retry
     order by 1 limit ${MOST_LISTED}`),
      facts.rows<{ token: Address; flag: string; block: number; detail: string }>(`
    select '0x' || encode(token, 'hex') as token, flag, block, detail from tidemark.token_flag
     where chain_id = ${chain.chainId} order by token, flag limit ${MOST_LISTED}`),
      facts.rows<Status["waiting"][number]>(
        `select step, block, reason, ${isoText("since")} as since from ${fold}.waiting order by step`,
      ),
      facts.rows<StoppedPool & { count: number }>(`
    select '0x' || encode(address, 'hex') as pool, stopped_block as block, stopped_log as "logIndex",
           stopped_field as field, stopped_expected as expected, stopped_replayed as replayed,
           count(*) over ()::int as count
      from ${fold}.v3_pool where stopped_block is not null order by stopped_block, stopped_log limit ${MOST_LISTED}`),
    ]);
  const { live } = state;
  return {
    ...headOf(context, { ...state, headAt: heard?.at }),
    ...stateOf(state, { factsAbove, unheardSeconds: heard?.seconds }),
    fold: {
      watermark: state.watermark,
      facts: state.foldedFacts,
      factsAbove: Math.min(factsAbove, MOST_OVERLAID_FACTS),
      hasMoreFactsAbove: factsAbove > MOST_OVERLAID_FACTS,
      updatedAt: state.foldedAt,
    },
    builds: live
      ? {
          ponderSchema: live.ponder,
          ponderBuild: state.ponderBuild,
          foldSchema: live.fold,
          since: state.liveSince ?? null,
        }
      : null,
    tokens: { tracked: counts?.tracked ?? 0, withMetadata: counts?.with_metadata ?? 0 },
    quarantinedCount: counts?.quarantined ?? 0,
    quarantined,
    metadataProblems,
    flags,
    waiting,
    stoppedPoolsCount: stoppedPools[0]?.count ?? 0,
    stoppedPools: stoppedPools.map(({ count: _, ...stop }) => stop),
  };
}

interface Heard {
  at: string;
  /** Since then. */
  seconds: number;
}

/** When the node last told its head, by the database's clock. */
const heardText = (chainId: number): string => `
  select ${isoText("updated_at")} as at, extract(epoch from now() - updated_at)::float8 as seconds
    from tidemark.chain_head where chain_id = ${chainId}`;

interface HeadFields extends Pick<LedgerState, "lastSynced" | "lastSyncedTimestamp" | "chainHead" | "rpcError"> {
  headAt: string | undefined;
}

const headOf = ({ chain }: OperationContext, state: HeadFields) => ({
  chainId: chain.chainId,
  chain: chain.name,
  firstBlock: chain.startBlock,
  lastSyncedBlock: state.lastSynced ?? null,
  lastSyncedTimestamp: state.lastSyncedTimestamp ?? null,
  chainHead: state.chainHead ?? null,
  lag:
    state.chainHead === undefined || state.lastSynced === undefined
      ? null
      : Math.max(0, state.chainHead - state.lastSynced),
  chainHeadAt: state.headAt ?? null,
  rpcError: state.rpcError ?? null,
});

function stateOf(
  state: LedgerState,
  { factsAbove, unheardSeconds = 0 }: { factsAbove: number; unheardSeconds: number | undefined },
): Pick<Status, "state" | "reason"> {
  const { lastSynced, chainHead, watermark, stop } = state;
  if (stop)
    return {
      state: "stopped",
      reason: `the chain has replaced block ${stop.block}, which was final; answered up to block ${stop.fork}, where both branches are one, until the index is made anew`,
    };
  if (lastSynced === undefined) return { state: "starting", reason: "no block is synced yet" };
  if (chainHead === undefined) return { state: "starting", reason: "the chain's head is not known yet" };
  if (chainHead - lastSynced > NEAR_HEAD_BLOCKS)
    return { state: "backfilling", reason: `synced up to block ${lastSynced} of ${chainHead}` };
  if (factsAbove > MOST_OVERLAID_FACTS)
    return { state: "folding", reason: `folded up to block ${watermark} of ${lastSynced}` };
  if (unheardSeconds > LONGEST_UNHEARD_SECONDS)
    return { state: "unknown", reason: `the node has not told its head for ${Math.round(unheardSeconds)} seconds` };
  return { state: "ready", reason: null };
}

/** No index to read: what is known of the chain alone. */
async function withoutIndex(context: OperationContext, reason: UnavailableError): Promise<Status> {
  const { service, chain } = context;
  const [row] = await service.database
    .rows<{ chain_head: number; rpc_error: string | null; heard: string }>(
      `select chain_head, rpc_error, ${isoText("updated_at")} as heard from tidemark.chain_head where chain_id = ${chain.chainId}`,
    )
    .catch((error: unknown) => {
      if (isMissingTable(error)) return [];
      throw error;
    });
  const head: HeadFields = {
    lastSynced: undefined,
    lastSyncedTimestamp: undefined,
    chainHead: row?.chain_head,
    rpcError: row?.rpc_error ?? undefined,
    headAt: row?.heard,
  };
  return {
    ...headOf(context, head),
    state: reason.code === "STARTING" ? "starting" : "folding",
    reason: reason.message,
    fold: null,
    builds: null,
    tokens: null,
    quarantinedCount: 0,
    quarantined: [],
    metadataProblems: [],
    flags: [],
    waiting: [],
    stoppedPoolsCount: 0,
    stoppedPools: [],
  };
}
