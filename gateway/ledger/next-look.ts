// The fold looks at the node's head twice a second. A block asked for in between may have just been mined, and may even
// be indexed already.
import { setTimeout as sleep } from "node:timers/promises";
import { type BlockChoice, BlockNotSyncedError } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { isMissingTable } from "../errors.ts";

/** Blocks that a chain may have grown by since the last look. */
const MOST_NEW_BLOCKS = 20;
/** Or, when nobody has heard of the node for longer than this, since then. */
const LONGEST_UNHEARD_SECONDS = 3;
const MOST_UNHEARD_BLOCKS = 1_000;
const LONGEST_WAIT_MS = 1_200;
/** Block numbers are int4. */
const HIGHEST_NUMBER = 2 ** 31 - 1;
const POLL_MS = 50;

/**
 * For a block just above the highest head known: waits for the next look, so that a real block is never taken for one
 * beyond the chain and answered with an older one. Call it before the snapshot is opened. Far-away numbers, which mean
 * "now", do not wait.
 * @throws BlockNotSyncedError when no look comes, so that nobody can tell
 */
export async function awaitNextLook({ service, chain }: OperationContext, choice: BlockChoice): Promise<void> {
  if (choice.kind !== "number" || choice.number > HIGHEST_NUMBER) return;
  if (choice.number <= (service.live.highestHead(chain.chainId, undefined) ?? -1)) return;
  const started = performance.now();
  let look: Look | undefined;
  for (let firstLook: string | undefined; performance.now() - started < LONGEST_WAIT_MS; await sleep(POLL_MS)) {
    look = await lastLook({ service, chain });
    if (!look || choice.number <= look.highest || choice.number > look.highest + newBlocksSince(look)) return;
    if (await isIndexed(service, { schema: look.schema, block: choice.number })) return;
    firstLook ??= look.at;
    if (look.at !== firstLook) return;
  }
  if (look && look.seconds * 1_000 > LONGEST_WAIT_MS)
    throw new BlockNotSyncedError({ requested: choice.number, lastSynced: look.highest, highestHead: undefined });
}

const newBlocksSince = ({ seconds }: Look): number =>
  seconds > LONGEST_UNHEARD_SECONDS ? MOST_UNHEARD_BLOCKS : MOST_NEW_BLOCKS;

type Service = OperationContext["service"];

interface Look {
  highest: number;
  at: string;
  /** Since then. */
  seconds: number;
  /** Ponder's. */
  schema: string;
}

async function lastLook({ service, chain }: Pick<OperationContext, "service" | "chain">): Promise<Look | undefined> {
  const [look] = await rowsIfThere<Look>(
    service,
    `select h.highest_head as highest, h.updated_at::text as at,
            extract(epoch from clock_timestamp() - h.updated_at)::float8 as seconds, l.ponder_schema as schema
       from tidemark.chain_head h join tidemark.live l on l.chain_id = h.chain_id where h.chain_id = ${chain.chainId}`,
  );
  return look;
}

async function isIndexed(service: Service, { schema, block }: { schema: string; block: number }): Promise<boolean> {
  const facts = `"${schema.replaceAll('"', '""')}"`;
  const found = await rowsIfThere(service, `select 1 from ${facts}.block where number = ${block}`);
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
