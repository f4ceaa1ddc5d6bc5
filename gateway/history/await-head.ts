// The fold reads the node's head twice a second. A block that a request names in between may have just been mined, and may
// even be folded already.
import { setTimeout as sleep } from "node:timers/promises";
import type { ChainFile } from "../../chains/chain-file.ts";
import { isMissingTable } from "../../database/error-codes.ts";
import { quoted } from "../../fold/tables.ts";
import type { ChainMemory } from "../database/chain-memory.ts";
import type { Database } from "../database/database.ts";
import { type BlockChoice, BlockNotSyncedError, HIGHEST_NUMBER } from "./block-choice.ts";

/** Blocks that a chain may have grown by since the node's head was read. */
const MOST_NEW_BLOCKS = 20;
/** Without news of the node for longer than this the chain may have grown by {@link MOST_UNREPORTED_BLOCKS}. */
const LONGEST_SINCE_REPORT_SECONDS = 3;
const MOST_UNREPORTED_BLOCKS = 1_000;
const LONGEST_WAIT_MS = 1_200;
const POLL_MS = 50;

/**
 * For a block just above the highest head known: waits until the node is read again, so that a real block is never taken for one
 * beyond the chain and answered with an older one. Call it before the snapshot is opened. Far-away numbers, which mean
 * "now", do not wait.
 * @throws BlockNotSyncedError when it is not, as then nobody knows
 */
export async function awaitHead({ service, chain }: Waiting, choice: BlockChoice): Promise<void> {
  if (choice.kind !== "number" || choice.number > HIGHEST_NUMBER) return;
  if (choice.number <= (service.memory.highestHead(chain.chainId, undefined) ?? -1)) return;
  const started = performance.now();
  let seen: NodeHead | undefined;
  for (let firstAt: string | undefined; performance.now() - started < LONGEST_WAIT_MS; await sleep(POLL_MS)) {
    seen = await readNodeHead({ service, chain });
    if (!seen || choice.number <= seen.highest || choice.number > seen.highest + newBlocksSince(seen)) return;
    if (await isFolded(service, { fold: seen.fold, block: choice.number })) return;
    firstAt ??= seen.at;
    if (seen.at !== firstAt) return;
  }
  if (seen && seen.seconds * 1_000 > LONGEST_WAIT_MS)
    throw new BlockNotSyncedError({ requested: choice.number, lastSynced: seen.highest, highestHead: undefined });
}

const newBlocksSince = ({ seconds }: NodeHead): number =>
  seconds > LONGEST_SINCE_REPORT_SECONDS ? MOST_UNREPORTED_BLOCKS : MOST_NEW_BLOCKS;

type Service = { database: Database; memory: ChainMemory };

/** The waiting request's service and chain. */
export interface Waiting {
  service: Service;
  chain: Pick<ChainFile, "chainId">;
}

interface NodeHead {
  highest: number;
  at: string;
  /** Since then. */
  seconds: number;
  /** Schema of the fold that gateways read. */
  fold: string;
}

async function readNodeHead({ service, chain }: Waiting): Promise<NodeHead | undefined> {
  const [head] = await rowsIfThere<NodeHead>(
    service,
    `select h.highest_head as highest, h.updated_at::text as at,
            extract(epoch from clock_timestamp() - h.updated_at)::float8 as seconds, l.fold_schema as fold
       from tidemark.chain_head h join tidemark.live l on l.chain_id = h.chain_id where h.chain_id = ${chain.chainId}`,
  );
  return head;
}

async function isFolded(service: Service, { fold, block }: { fold: string; block: number }): Promise<boolean> {
  const found = await rowsIfThere(service, `select 1 from ${quoted(fold)}.meta where head >= ${block}`);
  return found.length > 0;
}

async function rowsIfThere<Row extends object>(service: Service, text: string): Promise<Row[]> {
  try {
    return await service.database.rows<Row>(text);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}
