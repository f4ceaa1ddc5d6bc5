// What a node must hold before Ponder may start on tables that exist already. Ponder takes the node's head less finality as
// its first final block and compares nothing: started on a node that is behind, it writes final blocks a second time;
// started on another branch, it silently joins the two.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { blockHashAt, headOf } from "../../chains/json-rpc.ts";
import {
  findReplaced,
  type Indexed,
  type ReplacedBlock,
  readFinalBlock,
  recordReplaced,
} from "../../fold/node/chain-standing.ts";
import { HopelessError } from "../process/supervised-child.ts";

/** Ponder 0.17.7's own numbers, by chain id. */
const FINALITY: Readonly<Record<number, number>> = {
  1: 65,
  137: 200,
  11155111: 65,
  42161: 240,
  42170: 240,
};
const OTHER_FINALITY = 30;
const PATIENCE_MS = 10_000;
const POLL_MS = 500;
/** One answer of a node proves nothing. */
const POLLS = 3;

export interface Standing extends Indexed {
  rpcUrl: string;
}

/**
 * Resolves when the node has every block that is final here, and as many above it as finality wants.
 * @throws HopelessError when it has another block in place of the newest final one; Error when it stays behind; RpcError
 */
export async function awaitStanding(
  sql: Sql,
  { rpcUrl, ...indexed }: Standing,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const final = await readFinalBlock(sql, indexed.ponderSchema);
  if (final === undefined) return;
  const node = { head: () => headOf(rpcUrl), hashAt: (block: number) => blockHashAt(rpcUrl, block) };
  let replaced: ReplacedBlock | undefined;
  for (let poll = 0; poll < POLLS; poll++) {
    if (poll > 0) await sleep(POLL_MS);
    replaced = await findReplaced(sql, indexed.ponderSchema, { final, node });
    if (replaced === undefined) break;
  }
  if (replaced) throw new HopelessError(await recordReplaced(sql, indexed, { replaced, node }));
  const needed = final.number + (FINALITY[indexed.chainId] ?? OTHER_FINALITY);
  for (const deadline = performance.now() + patienceMs; ; await sleep(POLL_MS)) {
    const head = await node.head();
    if (head >= needed) return;
    if (performance.now() > deadline)
      throw new Error(
        `the node is at block ${head}, but block ${final.number} is final here: waiting for block ${needed}`,
      );
  }
}
