// A request's block, fixed inside its snapshot.
import type { ChainFile } from "../../chains/chain-file.ts";
import { type BlockChoice, resolveBlockNumber } from "../block-point.ts";
import { InvalidInputError } from "../errors.ts";
import { requireFoldedNear } from "./overlay.ts";
import type { FactsScope } from "./snapshot.ts";
import { blockAt } from "./state.ts";

export interface BlockPoint {
  block: number;
  /** Of the block's own fact; undefined only while Ponder has cut the row back and brings it again. */
  hash: string | undefined;
  timestamp: number | undefined;
  lastSynced: number;
  watermark: number;
}

/**
 * The block `choice` means, answerable in this snapshot.
 * @throws what resolveBlockNumber throws; InvalidInputError for a timestamp before the first block; FoldBehindError
 */
export async function fixBlock(facts: FactsScope, chain: ChainFile, choice: BlockChoice): Promise<BlockPoint> {
  const { state } = facts;
  const range = { firstBlock: chain.startBlock, lastSynced: state.lastSynced, highestHead: state.highestHead };
  let block: number;
  if (choice.kind === "timestamp") {
    resolveBlockNumber({ kind: "latest" }, range);
    const found = await blockAt(facts, choice.timestamp);
    if (found === undefined)
      throw new InvalidInputError(choice.parameter, `${choice.timestamp} lies before the first indexed block`);
    block = found;
  } else block = resolveBlockNumber(choice, range);
  const [[fact]] = await Promise.all([
    facts.rows<{ hash: string; timestamp: number }>(
      `select hash, timestamp from ${facts.schemas.ponder}.block where number = ${block}`,
    ),
    requireFoldedNear(facts, block),
  ]);
  return {
    block,
    hash: fact?.hash,
    timestamp: fact?.timestamp,
    lastSynced: Math.max(state.lastSynced ?? block, block),
    watermark: state.watermark,
  };
}
