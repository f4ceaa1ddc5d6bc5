// The fold looks at the node's head twice a second. A block asked for in between may have just been mined.
import { setTimeout as sleep } from "node:timers/promises";
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { isMissingTable } from "../errors.ts";

/** Blocks that a chain may have grown by since the last look. */
const MOST_NEW_BLOCKS = 20;
const LONGEST_WAIT_MS = 1_200;
const POLL_MS = 50;

/**
 * For a block just above the highest head known: waits for the next look, so that a real block is never taken for one
 * beyond the chain and answered with an older one. Call it before the snapshot is opened. Far-away numbers, which mean
 * "now", do not wait.
 */
export async function awaitNextLook({ service, chain }: OperationContext, choice: BlockChoice): Promise<void> {
  if (choice.kind !== "number") return;
  const started = Date.now();
  for (let firstLook: string | undefined; Date.now() - started < LONGEST_WAIT_MS; await sleep(POLL_MS)) {
    const look = await lastLook({ service, chain });
    if (!look || choice.number <= look.highest || choice.number > look.highest + MOST_NEW_BLOCKS) return;
    firstLook ??= look.at;
    if (look.at !== firstLook) return;
  }
}

async function lastLook({ service, chain }: Pick<OperationContext, "service" | "chain">) {
  try {
    const [look] = await service.database.rows<{ highest: number; at: string }>(
      `select highest_head as highest, updated_at::text as at from tidemark.chain_head where chain_id = ${chain.chainId}`,
    );
    return look;
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}
