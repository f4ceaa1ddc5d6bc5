// A request's block, fixed inside its snapshot.
import type { ChainFile } from "../../chains/chain-file.ts";
import { type BlockChoice, BlockNotSyncedError, resolveBlockNumber, type SyncedRange } from "../block-point.ts";
import { InvalidInputError } from "../errors.ts";
import { requireNear } from "./facts-above.ts";
import type { FactsScope } from "./facts-scope.ts";
import { canTell, ReplicaBehindError } from "./replica-behind.ts";
import { blockAt } from "./state.ts";

export interface BlockPoint {
  block: number;
  /** Of the block's own fact; undefined only while Ponder has cut the row back and brings it again. */
  hash: string | undefined;
  timestamp: number | undefined;
  lastSynced: number;
  /** The fold's head; the same as {@link lastSynced} but while the chain has replaced final blocks. */
  watermark: number;
  /** The last block that cannot be replaced. */
  finalized: number;
}

/** Behind the chain by more than this, the newest block we have is no answer to "the last one before". */
const NEAR_HEAD_BLOCKS = 10;

/**
 * The block `choice` means, answerable in this snapshot.
 * @throws what resolveBlockNumber throws; ReplicaBehindError; InvalidInputError for a timestamp before the first block; FoldBehindError
 */
export async function fixBlock(facts: FactsScope, chain: ChainFile, choice: BlockChoice): Promise<BlockPoint> {
  const { state } = facts;
  if (facts.isReplica === true && !canTell(choice, state)) throw new ReplicaBehindError();
  const range = { firstBlock: chain.startBlock, lastSynced: state.lastSynced, highestHead: state.highestHead };
  let block: number;
  if (choice.kind === "timestamp") block = await blockBefore(facts, choice, range);
  else block = resolveBlockNumber(choice, range);
  const fact = await blockFact(facts, block);
  await requireNear(facts, { block, hash: fact?.hash });
  return {
    block,
    hash: fact?.hash,
    timestamp: fact?.timestamp,
    lastSynced: Math.max(state.lastSynced ?? block, block),
    watermark: state.watermark,
    finalized: state.finalized,
  };
}

interface BlockFact {
  hash: string;
  timestamp: number | undefined;
}

/** That of the last block was read together with the state. */
async function blockFact({ state, schemas, rows }: FactsScope, block: number): Promise<BlockFact | undefined> {
  const { lastSynced, lastSyncedHash, lastSyncedTimestamp } = state;
  if (block === lastSynced && lastSyncedHash !== undefined)
    return { hash: lastSyncedHash, timestamp: lastSyncedTimestamp };
  const [fact] = await rows<{ hash: string; timestamp: number }>(
    `select hash, timestamp from ${schemas.fold}.block where number = ${block}`,
  );
  return fact;
}

/** @throws BlockNotSyncedError when the last block at or before the time may be one that is not here */
async function blockBefore(
  facts: FactsScope,
  choice: BlockChoice & { kind: "timestamp" },
  range: SyncedRange,
): Promise<number> {
  const lastSynced = resolveBlockNumber({ kind: "latest" }, range);
  const found = await blockAt(facts, choice.timestamp);
  if (found === undefined)
    throw new InvalidInputError(choice.parameter, `${choice.timestamp} lies before the first indexed block`);
  const { highestHead } = range;
  const isNewestRow = async () =>
    (await facts.rows(`select 1 from ${facts.schemas.fold}.block where number > ${found} limit 1`)).length === 0;
  // Below the head only while Ponder has cut its rows back.
  const mayBeCut = found < lastSynced && (await isNewestRow());
  const isFarBehind = found === lastSynced && (highestHead ?? lastSynced) - lastSynced > NEAR_HEAD_BLOCKS;
  if (mayBeCut || isFarBehind)
    throw new BlockNotSyncedError({ requested: highestHead ?? lastSynced, lastSynced: found, highestHead });
  return found;
}
