// How far everything is, and what went wrong with which token. Works even while nothing else can be answered.
import { isMissingTable } from "../../database/error-codes.ts";
import { type LiveSchemas, quoted } from "../../fold/tables.ts";
import { type IndexLists, listsOf } from "../catalogue/index-lists.ts";
import { type KnownPart, type PartRow, type PartStatus, partOf } from "../catalogue/parts.ts";
import {
  type BloomStatus,
  bloomsOf,
  type LakeStatus,
  type PrunedHistory,
  prunedOf,
  type ReportedHead,
  readSignsOfLife,
  type SignsOfLife,
} from "../catalogue/signs-of-life.ts";
import type { Operation, OperationContext } from "../context.ts";
import { type IndexState, isoText } from "../database/state.ts";
import { publicError, UnavailableError } from "../errors.ts";
import { failureOfNewest, type Readiness, readinessOf } from "./readiness.ts";

/** Its lists may be a second old while the fold stands still. */
export interface Status extends Omit<IndexLists, "tracked" | "withMetadata">, Readiness {
  chainId: number;
  chain: string;
  /** The processes that write this chain's indexes. */
  parts: PartStatus[];
  /** The writer of the history lake; null where there is none. */
  lake: LakeStatus | null;
  firstBlock: number;
  lastSyncedBlock: number | null;
  lastSyncedTimestamp: number | null;
  chainHead: number | null;
  /** Blocks between the chain's head and lastSyncedBlock. */
  lag: number | null;
  /** When the node last reported it, ISO 8601. */
  chainHeadAt: string | null;
  rpcError: string | null;
  blooms: BloomStatus;
  /** `watermark`: its head; `finalized`: the last block that cannot be replaced. Of one that cannot be read yet, too. */
  fold: { watermark: number; finalized: number; facts: number; updatedAt: string } | null;
  builds: { ponderSchema: string; ponderBuild: string; foldSchema: string; since: string | null } | null;
  tokens: { tracked: number; withMetadata: number } | null;
  /** What PostgreSQL does not have any more; null: it has everything. */
  pruned: PrunedHistory | null;
}

export const status: Operation<Record<string, never>, Status> = {
  name: "status",
  async run(_input, context) {
    try {
      await context.snapshot.open();
      return await context.snapshot.read(async (scope) => {
        const { chainId } = context.chain;
        const [signs, lists] = await Promise.all([
          readSignsOfLife((text) => scope.prepared(text, []), { chainId, fold: scope.fold }),
          listsOf(scope, chainId),
        ]);
        return describe(context, { state: scope.state, signs, lists });
      });
    } catch (error) {
      const publicFailure = publicError(error);
      if (!(publicFailure instanceof UnavailableError) || publicFailure.code === "DATABASE_UNAVAILABLE") throw error;
      return withoutIndex(context, publicFailure);
    }
  },
};

interface Read {
  state: IndexState;
  signs: SignsOfLife;
  lists: IndexLists;
}

/** Whether gateways read what the part writes. */
const known = (rows: readonly PartRow[], live: LiveSchemas | undefined): KnownPart[] =>
  rows.map((row) => ({ ...row, isLive: row.schema === (row.part === "fold" ? live?.fold : live?.facts) }));

function describe(context: OperationContext, { state, signs, lists }: Read): Status {
  const { tracked, withMetadata, ...listed } = lists;
  const { live } = state;
  const { reported } = signs;
  const parts = known(signs.parts, live);
  const firstBlock = context.chain.startBlock;
  return {
    ...headOf(context, { ...state, headAt: reported?.at }),
    ...readinessOf({ state, secondsSinceReport: reported?.seconds, now: nowOf(reported), parts, lists, firstBlock }),
    parts: parts.map(partOf),
    lake: signs.lake,
    blooms: bloomsOf(signs.blooms),
    fold: {
      watermark: state.head,
      finalized: state.finalized,
      facts: state.foldedFacts,
      updatedAt: state.foldedAt,
    },
    builds: live
      ? {
          ponderSchema: live.facts,
          ponderBuild: state.ponderBuild,
          foldSchema: live.fold,
          since: state.liveSince ?? null,
        }
      : null,
    tokens: { tracked, withMetadata },
    pruned: prunedOf(signs.pruned),
    ...listed,
  };
}

const nowOf = (reported: ReportedHead | null): number =>
  reported === null ? Date.now() : Date.parse(reported.at) + reported.seconds * 1_000;

interface HeadFields extends Pick<IndexState, "lastSynced" | "lastSyncedTimestamp" | "chainHead" | "rpcError"> {
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

/** No index that can be read: what is known of the chain, and how far the fold is that is being made. */
async function withoutIndex(context: OperationContext, reason: UnavailableError): Promise<Status> {
  const { service, chain } = context;
  const { database } = service;
  const place = { chainId: chain.chainId, fold: undefined };
  const signs = (await ifThere(() => readSignsOfLife(database.rows, place))) ?? NO_SIGNS;
  const { reported } = signs;
  const parts = known(signs.parts, undefined);
  const failure = failureOfNewest(parts);
  const waitsFor = parts.map(partOf).find(({ reason }) => reason !== null)?.reason;
  const head: HeadFields = {
    lastSynced: undefined,
    lastSyncedTimestamp: undefined,
    chainHead: reported?.block,
    rpcError: reported?.rpcError ?? undefined,
    headAt: reported?.at,
  };
  return {
    ...headOf(context, head),
    state: failure !== undefined ? "failing" : reason.code === "STARTING" ? "starting" : "folding",
    reason: failure ?? waitsFor ?? reason.message,
    parts: parts.map(partOf),
    lake: signs.lake,
    blooms: bloomsOf(signs.blooms),
    fold: await unfinishedFold(context),
    builds: null,
    tokens: null,
    pruned: null,
    quarantinedCount: 0,
    quarantined: [],
    metadataProblems: [],
    flags: [],
    waiting: [],
    waitingContractsCount: 0,
    stoppedPoolsCount: 0,
    stoppedPools: [],
    stoppedCounts: [],
    stopped: [],
  };
}

/** Of a database in which nothing has run yet. */
const NO_SIGNS: SignsOfLife = { reported: null, blooms: null, parts: [], pruned: [], lake: null };

async function ifThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

async function unfinishedFold({ service, chain }: OperationContext): Promise<Status["fold"]> {
  try {
    const { fold } = await service.memory.schemas(chain.chainId);
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
