// How far everything is, and what went wrong with which token. Answers also while nothing else can be answered.
import { quoted } from "../../fold/tables.ts";
import { type IndexLists, listsOf } from "../catalogue/index-lists.ts";
import type { Operation, OperationContext } from "../context.ts";
import { isoText, type LedgerState } from "../database/state.ts";
import { isMissingTable, publicError, UnavailableError } from "../errors.ts";

/** Blocks between the chain's head and ours that still count as being there. */
const NEAR_HEAD_BLOCKS = 10;
/** A node that has not told its head for so long may be anywhere by now. */
const LONGEST_UNHEARD_SECONDS = 60;

/** Its lists may be a second old while the fold stands still. */
export interface Status extends Omit<IndexLists, "tracked" | "withMetadata"> {
  chainId: number;
  chain: string;
  /**
   * `folding`: the index is being made, or another one takes its place. `unknown`: nobody knows how far behind we are, as
   * the node has not been heard of lately. `stopped`: the chain has replaced blocks that were final.
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
  /** `watermark`: its head; `finalized`: the last block that cannot be replaced. Of one that cannot be read yet, too. */
  fold: { watermark: number; finalized: number; facts: number; updatedAt: string } | null;
  builds: { ponderSchema: string; ponderBuild: string; foldSchema: string; since: string | null } | null;
  tokens: { tracked: number; withMetadata: number } | null;
}

export const status: Operation<Record<string, never>, Status> = {
  name: "status",
  async run(_input, context) {
    try {
      await context.snapshot.open();
      return await context.snapshot.read(async (scope) => {
        const { chainId } = context.chain;
        const [[heard], lists] = await Promise.all([
          scope.prepared<Heard>(HEARD_TEXT, [String(chainId)]),
          listsOf(scope, chainId),
        ]);
        return describe(context, { state: scope.state, heard, lists });
      });
    } catch (error) {
      const publicFailure = publicError(error);
      if (!(publicFailure instanceof UnavailableError) || publicFailure.code === "DATABASE_UNAVAILABLE") throw error;
      return withoutIndex(context, publicFailure);
    }
  },
};

interface Read {
  state: LedgerState;
  heard: Heard | undefined;
  lists: IndexLists;
}

function describe(context: OperationContext, { state, heard, lists }: Read): Status {
  const { tracked, withMetadata, ...listed } = lists;
  const { live } = state;
  return {
    ...headOf(context, { ...state, headAt: heard?.at }),
    ...stateOf(state, heard?.seconds),
    fold: {
      watermark: state.watermark,
      finalized: state.finalized,
      facts: state.foldedFacts,
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

function stateOf({ lastSynced, chainHead, stop }: LedgerState, unheardSeconds = 0): Pick<Status, "state" | "reason"> {
  if (stop)
    return {
      state: "stopped",
      reason: `the chain has replaced block ${stop.block}, which was final; answered up to block ${stop.fork}, where both branches are one, until the index is made anew`,
    };
  if (lastSynced === undefined) return { state: "starting", reason: "no block is synced yet" };
  if (chainHead === undefined) return { state: "starting", reason: "the chain's head is not known yet" };
  if (chainHead - lastSynced > NEAR_HEAD_BLOCKS)
    return { state: "backfilling", reason: `synced up to block ${lastSynced} of ${chainHead}` };
  if (unheardSeconds > LONGEST_UNHEARD_SECONDS)
    return { state: "unknown", reason: `the node has not told its head for ${Math.round(unheardSeconds)} seconds` };
  return { state: "ready", reason: null };
}

/** No index that can be read: what is known of the chain, and how far the fold is that is being made. */
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
    fold: await unfinishedFold(context),
    builds: null,
    tokens: null,
    quarantinedCount: 0,
    quarantined: [],
    metadataProblems: [],
    flags: [],
    waiting: [],
    waitingContractsCount: 0,
    stoppedPoolsCount: 0,
    stoppedPools: [],
  };
}

async function unfinishedFold({ service, chain }: OperationContext): Promise<Status["fold"]> {
  try {
    const { fold } = await service.live.of(chain.chainId);
    const [row] = await service.database.rows<{ head: number; finalized: number; facts: string; updated: string }>(
      `select head, finalized, folded_facts::text as facts, ${isoText("updated_at")} as updated from ${quoted(fold)}.meta`,
    );
    if (!row) return null;
    return { watermark: row.head, finalized: row.finalized, facts: Number(row.facts), updatedAt: row.updated };
  } catch (error) {
    if (isMissingTable(error) || error instanceof UnavailableError) return null;
    throw error;
  }
}
