// The state of the index in one snapshot: its head, and the chain as last seen. Read first of all.
import { lastPruned } from "../../core/history/pruned.ts";
import { LIVE_COLUMNS, type LiveSchemas } from "../../fold/tables.ts";
import { UnavailableError } from "../errors.ts";
import type { RecentChanges } from "./recent-changes.ts";

/** The chain has replaced blocks that were final: nothing above `fork` is answered; undefined: no block of the index is left. */
export interface ChainStop {
  block: number;
  fork: number | undefined;
}

export interface IndexState {
  live: LiveSchemas | undefined;
  /** When gateways were pointed at these schemas, ISO 8601. */
  liveSince: string | undefined;
  /** Highest block that can be answered: {@link head}, or {@link stop}'s fork; undefined before the first fact, and where there is no fork. */
  lastSynced: number | undefined;
  lastSyncedTimestamp: number | undefined;
  /** Undefined where the chain has replaced final blocks. */
  lastSyncedHash: string | undefined;
  /** The fold's head. */
  head: number;
  /** Nothing up to here can be replaced. */
  finalized: number;
  foldedFacts: number;
  foldedAt: string;
  ponderBuild: string;
  /** The part of its chain file that the index is made of: `chains/sources.ts`; undefined where the index does not record it. */
  sources: string | undefined;
  /** Short for {@link sources}. */
  sourcesDigest: string;
  /** Identifies these fact tables among others of the same name. */
  factOid: string;
  /** The node's head as last polled. */
  chainHead: number | undefined;
  /** Highest block ever shown or seen, this snapshot's own head included. */
  highestHead: number | undefined;
  rpcError: string | undefined;
  /** Changes with everything that shapes answers and does not come from a block: see fold/revision.ts. */
  revision: string;
  /** How often blocks were taken back: those of the same hash may have come back with other facts, if the node had left some out. */
  rewinds: number;
  /** Tokens that have left the range of a uint256 in final blocks: their balances of every block have been deleted. */
  withoutHistory: number;
  /** While it is the same with regard to our head, answers about all blocks up to the head are the same: see {@link proofText}. */
  proof: string;
  /** The last block whose state needs intervals that an operator has pruned, whether they are loaded again or not; undefined: there is none. */
  prunedTo: number | undefined;
  /** From here on some contract is not read yet, or not determined: answers about these blocks may change. */
  waitingFrom: number | undefined;
  stop: ChainStop | undefined;
  /** What blocks have changed, as far as this process has followed them. */
  changes?: RecentChanges | undefined;
}

/** What decides which blocks can be answered, and out of which index. */
type Standing = Pick<IndexState, "live" | "lastSynced" | "head" | "finalized" | "factOid" | "highestHead" | "stop">;

interface StandingRow {
  facts: string | null;
  fold: string | null;
  head: number | null;
  finalized: number | null;
  is_indexed: boolean | null;
  folded_facts: string | null;
  fact_oid: string | null;
  chain_head: number | null;
  highest_head: number | null;
  stop_block: number | null;
  stop_fork: number | null;
}

export interface StateRow extends StandingRow {
  live_since: string | null;
  head_timestamp: number | null;
  head_hash: string | null;
  folded_at: string | null;
  ponder_build: string | null;
  sources: string | null;
  sources_digest: string | null;
  rpc_error: string | null;
  revision: string | null;
  rewinds: number | null;
  without_history: number | null;
  proof: string | null;
  waiting_from: number | null;
  pruned_to: number | null;
  /** Identifies this chain among others of the same id that were here before. */
  instance: string | null;
}

interface StatePlace {
  /** Quoted name of the fold's schema. */
  fold: string;
  chainId: number;
}

/** SELECT list of a {@link StandingRow} over {@link standingRelations}. */
const STANDING_COLUMNS = `
           ${LIVE_COLUMNS}, m.head,
           m.finalized, m.is_indexed, m.folded_facts::text as folded_facts, m.fact_oid::text as fact_oid,
           c.chain_head, c.highest_head, s.block as stop_block, s.fork as stop_fork`;

/** FROM list: always one row. */
const standingRelations = ({ fold, chainId }: StatePlace): string => `
           (select) here
      left join tidemark.live l on l.chain_id = ${chainId}
      left join tidemark.chain_head c on c.chain_id = ${chainId}
      left join tidemark.chain_stop s on s.chain_id = ${chainId}
      left join ${fold}.meta m on true
      left join ${fold}.block b on b.number = m.head`;

/** SQL of a timestamp as ISO 8601 with milliseconds, UTC. */
export const isoText = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A change of anything else that shapes answers raises the revision with it (fold/revision.ts). */
const PROOF = `
  concat_ws(' ', m.fact_oid, m.finalized, m.is_indexed, m.folded_facts = 0, m.revision, m.rewinds, coalesce(b.hash, '-')) as proof`;

/**
 * SELECT text of at most one row: the fold's `head`, and the `proof` with regard to block `number`, an int4 expression. It
 * stays the same while blocks are added; another branch, finality and whatever shapes answers change it.
 */
export const proofText = (fold: string, number: string): string =>
  `select m.head, ${PROOF} from ${fold}.meta m left join ${fold}.block b on b.number = ${number}`;

/** SELECT text of one row for {@link stateOf}. `sources` is read in a way that also works for a fold of an older version, which lacks it. */
export const stateText = (place: StatePlace): string => `
    select ${STANDING_COLUMNS}, ${PROOF}, ${isoText("l.since")} as live_since, b.timestamp as head_timestamp, b.hash as head_hash,
           ${isoText("m.updated_at")} as folded_at, m.ponder_build_id as ponder_build, to_jsonb(m)->>'sources' as sources,
           md5(to_jsonb(m)->>'sources') as sources_digest, c.rpc_error,
           m.revision::text as revision, m.rewinds,
           (select count(*)::int4 from ${place.fold}.quarantine q where q.block <= m.finalized) as without_history,
           (select min(least(i.waiting_block, i.undetermined_block)) from ${place.fold}.island i
             where coalesce(i.waiting_block, i.undetermined_block) is not null) as waiting_from,
           ${lastPruned(place.fold)} as pruned_to,
           (select i.instance from tidemark.instance i where i.chain_id = ${place.chainId}) as instance
      from ${standingRelations(place)}`;

const given = <T>(value: T | null): T | undefined => value ?? undefined;

/** A fork below the first block, as fold/node/chain-standing.ts notes it, means that there is no fork. */
function stopOf({ stop_block: block, stop_fork: fork }: StandingRow): ChainStop | undefined {
  return block === null || fork === null ? undefined : { block, fork: fork < 0 ? undefined : fork };
}

const lower = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : Math.min(one, other);

/** Undefined while there is no fold, or its tables cannot be read yet. */
function standingOf(row: StandingRow): Standing | undefined {
  const { head, finalized } = row;
  if (head === null || finalized === null || row.is_indexed !== true) return undefined;
  const stop = stopOf(row);
  const synced = row.folded_facts === "0" ? undefined : head;
  const lastSynced = stop === undefined ? synced : lower(synced, stop.fork);
  const highest = Math.max(row.highest_head ?? -1, row.chain_head ?? -1);
  return {
    live: row.facts !== null && row.fold !== null ? { facts: row.facts, fold: row.fold } : undefined,
    lastSynced,
    head,
    finalized,
    factOid: String(row.fact_oid),
    highestHead: highest < 0 ? undefined : Math.max(highest, synced ?? -1),
    stop,
  };
}

/** @throws UnavailableError (`INDEX_FOLDING`) where {@link standingOf} is undefined */
export function stateOf(row: StateRow | undefined): IndexState {
  const standing = row && standingOf(row);
  if (!row || !standing)
    throw new UnavailableError(
      "INDEX_FOLDING",
      "The index is being folded for the first time; /status says how far it is. Retry when it is ready.",
    );
  return {
    ...standing,
    liveSince: given(row.live_since),
    lastSyncedTimestamp: standing.stop !== undefined ? undefined : given(row.head_timestamp),
    lastSyncedHash: standing.stop !== undefined ? undefined : given(row.head_hash),
    foldedFacts: Number(row.folded_facts),
    foldedAt: String(row.folded_at),
    ponderBuild: String(row.ponder_build),
    sources: given(row.sources),
    sourcesDigest: row.sources_digest ?? "",
    chainHead: given(row.chain_head),
    rpcError: given(row.rpc_error),
    revision: row.revision ?? "",
    rewinds: row.rewinds ?? 0,
    withoutHistory: row.without_history ?? 0,
    proof: row.proof ?? "",
    waitingFrom: given(row.waiting_from),
    prunedTo: given(row.pruned_to),
  };
}
