// Whether the head can be answered and will go on being answered, and if not, why. Pure rules over what was read.
import type { IndexLists } from "../catalogue/index-lists.ts";
import { type KnownPart, NAME_OF, partOf } from "../catalogue/parts.ts";
import type { ChainStop, IndexState } from "../database/state.ts";
import { GatewayError } from "../errors.ts";
import { NEAR_HEAD_BLOCKS } from "../history/point.ts";

/** A node that has not reported its head for so long may be anywhere by now. */
const LONGEST_SINCE_REPORT_SECONDS = 6;
/** A fold that has been silent for as long as the node, or for this much less, has not asked the node. */
const LONGEST_BETWEEN_SIGNS_SECONDS = 2;
/** For this long the node may have new blocks without any being folded. Ponder may be restarted in between. */
const LONGEST_STANDING_SECONDS = 30;
/** For this long the fold may lack something that it cannot go on without. */
const LONGEST_WAITING_SECONDS = 6;

/**
 * `folding`: the index is being made, or another one takes its place. `failing`: a part dies again and again, hangs or is not
 * running. `unknown`: how far behind we are is not known, as the node has not reported lately, or lacks blocks itself. `stalled`: every part
 * lives, and no block is folded. `incomplete`: facts begin too late. `stopped`: the chain has replaced blocks that were final.
 */
type ReadinessState =
  | "starting"
  | "backfilling"
  | "folding"
  | "ready"
  | "failing"
  | "unknown"
  | "stalled"
  | "incomplete"
  | "stopped";

export interface Readiness {
  state: ReadinessState;
  /** One sentence; null when ready. */
  reason: string | null;
}

interface Evidence {
  state: IndexState;
  /** Since the node last reported its head. */
  secondsSinceReport: number | undefined;
  /** By the database's clock, Unix milliseconds. */
  now: number;
  parts: readonly KnownPart[];
  lists: Pick<IndexLists, "waiting" | "stopped">;
  firstBlock: number;
}

/** What keeps the index that gateways read from being ready; the first that applies, causes before what follows from them. */
export function readinessOf({ state, secondsSinceReport = 0, now, parts, lists, firstBlock }: Evidence): Readiness {
  const { lastSynced, chainHead, stop, rpcError } = state;
  if (stop) return { state: "stopped", reason: reasonOfStop(stop) };
  const failing = state.live && failureOf(parts);
  if (failing !== undefined) {
    const reason = `${failing}; another index is being made, and is read instead once it has caught up`;
    return isBeingReplaced(parts) ? { state: "folding", reason } : { state: "failing", reason: failing };
  }
  if (lastSynced === undefined) return { state: "starting", reason: "no block is synced yet" };
  if (chainHead === undefined) return { state: "starting", reason: "the chain's head is not known yet" };
  const unreported = whyUnreported({ seconds: secondsSinceReport, rpcError, parts });
  if (unreported !== undefined) return unreported;
  const behind = nodeBehind(state, { chainHead, now });
  if (behind !== undefined) return { state: "unknown", reason: behind };
  const stalled = stallOf({ now, parts, lists, lastSynced });
  if (stalled !== undefined) return { state: "stalled", reason: stalled };
  if (chainHead - lastSynced > NEAR_HEAD_BLOCKS)
    return { state: "backfilling", reason: `synced up to block ${lastSynced} of ${chainHead}` };
  const late = lists.stopped.find(({ kind }) => kind === "position-manager");
  if (late)
    return {
      state: "incomplete",
      reason: `facts of ${late.address} are missing before block ${late.block} (${late.reason}); either it is older than the first indexed block ${firstBlock}, and startBlock in the chain file must be earlier, or the node has left logs out: index anew`,
    };
  return { state: "ready", reason: null };
}

function reasonOfStop({ block, fork }: ChainStop): string {
  const answered =
    fork === undefined
      ? "nothing is answered, as the two share no block of the index,"
      : `answered up to block ${fork}, the last that both branches share,`;
  return `the chain has replaced block ${block}, which was final; ${answered} until the index is made anew`;
}

/** The node lacks blocks that are final here, and no other one of its pool has newer ones: it cannot say how far the chain is. */
function nodeBehind(
  { finalized, foldedAt }: IndexState,
  { chainHead, now }: { chainHead: number; now: number },
): string | undefined {
  const seconds = Math.round((now - Date.parse(foldedAt)) / 1_000);
  if (chainHead >= finalized || seconds <= LONGEST_STANDING_SECONDS) return undefined;
  return `the node is at block ${chainHead} and lacks block ${finalized}, which is final here; nothing newer has been folded for ${seconds} seconds`;
}

/** Why nobody can be expected to write the next block; undefined: somebody writes. */
function failureOf(parts: readonly KnownPart[]): string | undefined {
  const own = parts.filter(({ isLive }) => isLive);
  // Ponder may run without a process that reports about it; the fold reports about itself
  if (!own.some(({ part }) => part === "fold")) return `${NAME_OF.fold} of this index has never been heard of`;
  return reasonsOf(own);
}

interface Unreported extends Pick<Evidence, "parts"> {
  seconds: number;
  rpcError: string | undefined;
}

/**
 * The fold asks the node for its head. Where the fold has died and has not lived for long since, the node is not to blame, nor
 * while the fold itself is silent: that has a cause of its own once its next sign is overdue.
 */
function whyUnreported({ seconds, rpcError, parts }: Unreported): Readiness | undefined {
  if (seconds <= LONGEST_SINCE_REPORT_SECONDS) return undefined;
  const since = `for ${Math.round(seconds)} seconds`;
  const reason = `the node has not reported its head ${since}`;
  if (rpcError !== undefined) return { state: "unknown", reason: `${reason}: ${rpcError}` };
  const fold = parts.find(({ part, isLive }) => part === "fold" && isLive);
  if (fold !== undefined && fold.heard_seconds > seconds - LONGEST_BETWEEN_SIGNS_SECONDS) return undefined;
  const error = fold?.error ?? null;
  if (error === null) return { state: "unknown", reason };
  return {
    state: "failing",
    reason: `${NAME_OF.fold} last died of: ${error}, and the node's head has not been read ${since}`,
  };
}

/**
 * The old writers were stopped and those of another build started, as `npm start` with changed code does, so nothing needs fixing:
 * for each part that is silent, one was started since that writes the index to come.
 */
function isBeingReplaced(parts: readonly KnownPart[]): boolean {
  const stateOf = (row: KnownPart) => partOf(row).state;
  const away = parts.filter((row) => row.isLive && stateOf(row) !== "working");
  const isReplaced = (row: KnownPart) =>
    stateOf(row) === "silent" &&
    parts.some(
      (other) =>
        !other.isLive && other.part === row.part && other.started_at > row.heard_at && stateOf(other) === "working",
    );
  return away.length > 0 && away.every(isReplaced);
}

/** The same where there is no index yet: of what was started last of each part. */
export function failureOfNewest(parts: readonly KnownPart[]): string | undefined {
  const isNewest = (row: KnownPart) =>
    !parts.some((other) => other.part === row.part && other.started_at > row.started_at);
  return reasonsOf(parts.filter(isNewest));
}

function reasonsOf(parts: readonly KnownPart[]): string | undefined {
  const reasons = parts.map(partOf).flatMap(({ state, reason }) => (state === "working" ? [] : [reason ?? state]));
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

type StallEvidence = Pick<Evidence, "now" | "parts" | "lists"> & { lastSynced: number };

function stallOf({ now, parts, lists, lastSynced }: StallEvidence): string | undefined {
  const waited = lists.waiting.find(
    ({ address, since }) => address === null && now - Date.parse(since) > LONGEST_WAITING_SECONDS * 1_000,
  );
  if (waited) return `the fold does not get past block ${waited.block - 1}: ${waited.reason}`;
  const fold = parts.find(({ part, isLive }) => part === "fold" && isLive);
  const seconds = fold?.behind_seconds ?? 0;
  if (seconds <= LONGEST_STANDING_SECONDS) return undefined;
  return `the node has had newer blocks for ${Math.round(seconds)} seconds, and none after block ${lastSynced} is indexed`;
}

type NotReadyState = Exclude<ReadinessState, "ready">;

const CODE_OF: Readonly<Record<NotReadyState, string>> = {
  starting: "STARTING",
  backfilling: "CATCHING_UP",
  folding: "INDEX_FOLDING",
  failing: "PART_FAILING",
  unknown: "NODE_UNAVAILABLE",
  stalled: "STALLED",
  incomplete: "HISTORY_MISSING",
  stopped: "CHAIN_REPLACED",
};

/** States that waiting does not end: facts must be indexed again. */
const STAYS: ReadonlySet<NotReadyState> = new Set(["incomplete", "stopped"]);

/** 503 of `/ready`; the code says of which kind the reason is. */
export class NotReadyError extends GatewayError {
  override name = "NotReadyError";

  constructor(state: NotReadyState, reason: string | null, details: Record<string, unknown>) {
    super(`Not ready: ${reason ?? state}`, {
      code: CODE_OF[state],
      status: 503,
      details: { state, ...details },
      ...(STAYS.has(state) ? {} : { retryAfterSeconds: 2 }),
    });
  }
}
