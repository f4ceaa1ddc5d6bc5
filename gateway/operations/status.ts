// How far everything is, and what went wrong with which token. Answers also while nothing else can be answered.
import { MOST_OVERLAID_FACTS } from "../block-point.ts";
import type { Operation, OperationContext } from "../context.ts";
import { isMissingTable, publicError, UnavailableError } from "../errors.ts";
import { countFactsAbove, glanceFactsAbove } from "../ledger/facts-above.ts";
import type { FactsScope } from "../ledger/facts-scope.ts";
import { type Looked, look } from "../ledger/look.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { isoText, type LedgerState } from "../ledger/state.ts";
import { type IndexLists, listsOf, sharedListsOf } from "../status/index-lists.ts";

/** Blocks between the chain's head and ours that still count as being there. */
const NEAR_HEAD_BLOCKS = 10;
/** A node that has not told its head for so long may be anywhere by now. */
const LONGEST_UNHEARD_SECONDS = 60;

/** Its lists may be a second old while the fold stands still. */
export interface Status extends Omit<IndexLists, "tracked" | "withMetadata"> {
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
}

export const status: Operation<Record<string, never>, Status> = {
  name: "status",
  async run(_input, context) {
    try {
      const told = (await withoutTransaction(context)) ?? (await context.snapshot.withFacts(inTransaction(context)));
      return describe(context, told);
    } catch (error) {
      const known = publicError(error);
      if (!(known instanceof UnavailableError) || known.code === "DATABASE_UNAVAILABLE") throw error;
      return withoutIndex(context, known);
    }
  },
};

interface Told {
  state: LedgerState;
  heard: Heard | undefined;
  factsAbove: number;
  lists: IndexLists;
}

/** Two short statements, as long as the head and what is listed are known. Undefined where they cannot tell. */
async function withoutTransaction(context: OperationContext): Promise<Told | undefined> {
  const { service, chain } = context;
  const read = service.database.glance;
  const looked = read && (await lookAtHead(context));
  if (!looked) return undefined;
  const { seen, head } = looked;
  const place = { ...seen, chainId: chain.chainId };
  try {
    const [count, [heard], lists] = await Promise.all([
      glanceFactsAbove({ ...context, schemas: seen.schemas }, head, read),
      read<Heard>(HEARD_TEXT, [String(chain.chainId)]),
      sharedListsOf(place, read),
    ]);
    return { state: seen.state, heard, factsAbove: count, lists };
  } catch {
    return undefined;
  }
}

/** What else is asked in the same request is asked of the same blocks. */
async function lookAtHead({ service, chain, snapshot }: OperationContext) {
  if (!snapshot.mayAssume) return undefined;
  const { database, live } = service;
  const seen = snapshot.assumed ?? (await look({ database, live, chainId: chain.chainId }));
  const head = seen && headIn(seen);
  if (!head) return undefined;
  snapshot.assume(seen, head);
  return { seen, head };
}

function headIn({ state }: Looked): (BlockPoint & { hash: string }) | undefined {
  const { lastSynced, lastSyncedHash: hash, lastSyncedTimestamp: timestamp, watermark, finalized } = state;
  if (lastSynced === undefined || hash === undefined) return undefined;
  return { block: lastSynced, hash, timestamp, lastSynced, watermark, finalized };
}

const inTransaction =
  ({ chain, snapshot }: OperationContext) =>
  async (facts: FactsScope): Promise<Told> => {
    const { state, schemas } = facts;
    const { chainId } = chain;
    const [count, [heard], lists] = await Promise.all([
      state.lastSynced === undefined
        ? 0
        : countFactsAbove(facts, { block: state.lastSynced, hash: state.lastSyncedHash }),
      facts.prepared<Heard>(HEARD_TEXT, [String(chainId)]),
      listsOf({ chainId, schemas, index: snapshot.index, state }, facts.prepared),
    ]);
    return { state, heard, factsAbove: count, lists };
  };

function describe(context: OperationContext, { state, heard, factsAbove, lists }: Told): Status {
  const { tracked, withMetadata, ...listed } = lists;
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
    tokens: { tracked, withMetadata },
    ...listed,
  };
}

interface Heard {
  at: string;
  /** Since then. */
  seconds: number;
}

/** $1 chain id: when the node last told its head, by the database's clock. */
const HEARD_TEXT = `
  select ${isoText("updated_at")} as at, extract(epoch from now() - updated_at)::float8 as seconds
    from tidemark.chain_head where chain_id = $1::int8`;

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
