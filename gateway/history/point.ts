// A request's block, fixed inside its snapshot.
import type { ChainFile } from "../../chains/chain-file.ts";
import { FINAL } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { ReadScope } from "../database/read-scope.ts";
import type { RecentChanges } from "../database/recent-changes.ts";
import { ReplicaBehindError } from "../database/shown-position.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { InvalidInputError, UnavailableError } from "../errors.ts";
import { awaitHead, type Waiting } from "./await-head.ts";
import {
  type BlockChoice,
  BlockNotSyncedError,
  ChainReplacedError,
  canResolve,
  HIGHEST_NUMBER,
  resolveBlockNumber,
  type SyncedRange,
} from "./block-choice.ts";
import { blockAt } from "./blocks-at.ts";

export interface BlockPoint {
  block: number;
  /** Undefined only where the chain has replaced final blocks. */
  hash: string | undefined;
  timestamp: number | undefined;
  lastSynced: number;
  /** The last block that cannot be replaced. */
  finalized: number;
  /** As in `IndexState`: with the hash they identify what the block's rows are. */
  rewinds: number;
  withoutHistory: number;
  changes?: RecentChanges | undefined;
}

/** A block whose time is known. */
export type TimedPoint = BlockPoint & { timestamp: number };

/** @throws UnavailableError for a block whose own row is not here */
export function requireTimestamp(point: BlockPoint): TimedPoint {
  const { block, timestamp } = point;
  if (timestamp === undefined)
    throw new UnavailableError("CATCHING_UP", `Block ${block} has no time yet. Retry in a few seconds.`);
  return { ...point, timestamp };
}

/** What a block is found with: a snapshot that is open. */
type BlockReader = Pick<ReadScope, "state" | "fold" | "rows" | "prepared" | "cache" | "isReplica">;

/** A request, as far as its block depends on it. */
type PointContext = Waiting & { chain: ChainFile; snapshot: Snapshot };

/** The block that `choice` means in this request's snapshot. @throws what {@link fixBlock} and {@link awaitHead} throw */
export async function pointOf(context: PointContext, choice: BlockChoice): Promise<BlockPoint> {
  const { chain, snapshot } = context;
  if (!snapshot.isOpen) await awaitHead(context, choice);
  if (!isBehindHead(choice, snapshot)) await snapshot.open();
  return snapshot.read((scope) => fixBlock(scope, chain, choice));
}

/** Whether our own blocks suffice to find it. */
function isBehindHead(choice: BlockChoice, snapshot: Snapshot): boolean {
  if (choice.kind === "latest") return true;
  if (choice.kind !== "number" || !snapshot.hasState) return false;
  const { state } = snapshot;
  return choice.number <= (state.lastSynced ?? -1) || isNow(choice, state);
}

/** Whatever the chain is like by now, `number` is how a client says "now". */
const isNow = ({ number }: { number: number }, { highestHead }: { highestHead: number | undefined }): boolean =>
  number > HIGHEST_NUMBER && highestHead !== undefined;

/** Blocks between the chain's head and ours that still count as being there: with more, what is missing may only not be here yet. */
export const NEAR_HEAD_BLOCKS = 10;

/**
 * The block `choice` means, answerable in this snapshot.
 * @throws what resolveBlockNumber throws; ReplicaBehindError; InvalidInputError for a timestamp before the first block
 */
export async function fixBlock(facts: BlockReader, chain: ChainFile, choice: BlockChoice): Promise<BlockPoint> {
  const { state } = facts;
  if (facts.isReplica === true && !canResolve(choice, state)) throw new ReplicaBehindError();
  const { lastSynced, highestHead, stop } = state;
  const range = { firstBlock: chain.startBlock, lastSynced, highestHead, stop };
  let block: number;
  if (choice.kind === "timestamp") block = await blockBefore(facts, choice, range);
  else block = resolveBlockNumber(choice, range);
  const fact = await blockFact(facts, block);
  return {
    block,
    hash: fact?.hash,
    timestamp: fact?.timestamp,
    lastSynced: Math.max(state.lastSynced ?? block, block),
    finalized: state.finalized,
    rewinds: state.rewinds,
    withoutHistory: state.withoutHistory,
    changes: state.changes,
  };
}

interface BlockFact {
  hash: string;
  timestamp: number | undefined;
}

const blockFacts = question<{ fact: BlockFact | undefined }>("block", { isLasting: ({ fact }) => fact !== undefined });

/** That of the last block was read together with the state. */
async function blockFact({ state, fold, prepared, cache }: BlockReader, block: number): Promise<BlockFact | undefined> {
  const { lastSynced, lastSyncedHash, lastSyncedTimestamp } = state;
  if (block === lastSynced && lastSyncedHash !== undefined)
    return { hash: lastSyncedHash, timestamp: lastSyncedTimestamp };
  const place = { at: block <= state.finalized ? FINAL : undefined, key: String(block) };
  const { fact } = await cache.of(blockFacts, place, async () => {
    const [row] = await prepared<{ hash: string; timestamp: number }>(
      `select hash, timestamp from ${fold}.block where number = $1::int4`,
      [String(block)],
    );
    return { fact: row };
  });
  return fact;
}

/** Those of `blocks` that are indexed, by block, ascending. They are in the same snapshot as `point`, and not above it. */
export async function pointsOf(
  facts: Pick<ReadScope, "prepared" | "fold">,
  point: BlockPoint,
  blocks: readonly number[],
): Promise<ReadonlyMap<number, TimedPoint>> {
  const rows = await facts.prepared<{ block: number; hash: string; timestamp: number }>(
    `select number as block, hash, timestamp from ${facts.fold}.block
      where number = any(string_to_array($1, ',')::int4[]) order by number`,
    [blocks.join(",")],
  );
  return new Map(rows.map((row) => [row.block, { ...point, ...row }]));
}

/** @throws BlockNotSyncedError, ChainReplacedError when the last block at or before the time may be one that is not here */
async function blockBefore(
  facts: BlockReader,
  choice: BlockChoice & { kind: "timestamp" },
  range: SyncedRange,
): Promise<number> {
  const lastSynced = resolveBlockNumber({ kind: "latest" }, range);
  const found = await blockAt(facts, choice.timestamp);
  if (found === undefined) throw await timeBeforeStart(facts, choice, range.firstBlock);
  const { highestHead } = range;
  if (found !== lastSynced) return found;
  if (range.stop) {
    const fact = await blockFact(facts, found);
    if (fact?.timestamp === choice.timestamp) return found;
    throw new ChainReplacedError({ kind: "timestamp" }, range.stop);
  }
  if ((highestHead ?? lastSynced) - lastSynced > NEAR_HEAD_BLOCKS)
    throw new BlockNotSyncedError({ requested: highestHead ?? lastSynced, lastSynced: found, highestHead });
  return found;
}

/** Says which time is the first that can be asked for. */
async function timeBeforeStart(
  facts: BlockReader,
  { parameter, timestamp }: BlockChoice & { kind: "timestamp" },
  firstBlock: number,
): Promise<InvalidInputError> {
  const first = (await blockFact(facts, firstBlock))?.timestamp;
  const known = first === undefined ? "" : `, ${firstBlock}, which has the time ${first}`;
  return new InvalidInputError(parameter, `${timestamp} lies before the first indexed block${known}`, {
    firstBlock,
    ...(first === undefined ? {} : { firstTimestamp: first }),
  });
}
