// Whether the node's chain still has the blocks that are final here. Ponder never takes final rows back: a reorg deeper than
// finality would silently leave them beside the new branch. So the newest final block is compared with the node's again and
// again, and when it was replaced everything stops, with a message that says so.
import type { Sql } from "postgres";
import { isMissingTable } from "../../database/error-codes.ts";
import { changeLive } from "../revision.ts";
import { quoted } from "../tables.ts";

/** The fold's exit code when a final block was replaced: no restart helps. */
export const CHAIN_REPLACED_EXIT = 3;

/** What is read of a node's blocks; errors of the requests pass through. */
export interface NodeBlocks {
  head(): Promise<number>;
  /** Undefined when it has no block of that number. */
  hashAt(block: number): Promise<string | undefined>;
}

interface FinalBlock {
  number: number;
  hash: string;
}

export interface ReplacedBlock {
  block: number;
  /** Hash among the facts, and the node's. */
  ours: string;
  theirs: string;
}

export interface Indexed {
  chainId: number;
  ponderSchema: string;
}

/** The newest block whose facts Ponder will never take back; undefined before the first, or without such tables. */
export async function readFinalBlock(db: Sql, ponderSchema: string): Promise<FinalBlock | undefined> {
  const schema = quoted(ponderSchema);
  try {
    const [row] = await db.unsafe(`
      select number, hash from ${schema}.block
       where number <= (select min(substr(finalized_checkpoint, 27, 16)::int8) from ${schema}._ponder_checkpoint)
       order by number desc limit 1`);
    return row && { number: Number(row.number), hash: String(row.hash) };
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/** What the node has in place of `final`, or of our block at its head where that is lower; undefined when they are the same. */
export async function findReplaced(
  db: Sql,
  ponderSchema: string,
  { final, node }: { final: FinalBlock; node: NodeBlocks },
): Promise<ReplacedBlock | undefined> {
  const same = await node.hashAt(final.number);
  if (same === final.hash) return undefined;
  // the node lacks the block only where its chain was cut back below it
  const block = same === undefined ? Math.min(final.number, await node.head()) : final.number;
  const ours = block === final.number ? final.hash : await ourHashAt(db, ponderSchema, block);
  const theirs = block === final.number ? same : await node.hashAt(block);
  return ours === undefined || theirs === undefined || theirs === ours ? undefined : { block, ours, theirs };
}

async function ourHashAt(db: Sql, ponderSchema: string, block: number): Promise<string | undefined> {
  const [row] = await db.unsafe(`select hash from ${quoted(ponderSchema)}.block where number = $1`, [block]);
  return row && String(row.hash);
}

/**
 * Records the last block that both branches share: gateways and `/status` answer up to there and no further. Resolves to the
 * message for people.
 */
export async function recordReplaced(
  db: Sql,
  { chainId, ponderSchema }: Indexed,
  { replaced, node }: { replaced: ReplacedBlock; node: NodeBlocks },
): Promise<string> {
  const fork = await findFork(db, ponderSchema, { below: replaced.block, node });
  const gone = fork === NO_FORK ? "all facts" : `facts above block ${fork}`;
  await changeLive(db, chainId, {
    change: `insert into tidemark.chain_stop (chain_id, block, ours, theirs, fork) values ($1, $2, $3, $4, $5)
      on conflict (chain_id) do update set block = excluded.block, ours = excluded.ours, theirs = excluded.theirs,
        fork = excluded.fork, since = now()`,
    parameters: [chainId, replaced.block, replaced.ours, replaced.theirs, fork],
  });
  return (
    `the chain has replaced block ${replaced.block}, which was final (${replaced.ours} here, ${replaced.theirs} there): ` +
    `${gone} are of a branch that is gone. If the node is the right one, run \`npm run reset\` and start again`
  );
}

/** Removes that record: the node has our final blocks again, or it is another node. */
export async function forgetReplaced(db: Sql, chainId: number): Promise<void> {
  await changeLive(db, chainId, {
    change: "delete from tidemark.chain_stop where chain_id = $1",
    parameters: [chainId],
  });
}

/** In place of the last block that both branches share: they share none that is indexed. */
const NO_FORK = -1;

/** Bisects for the last block that is the same on both sides. */
async function findFork(
  db: Sql,
  ponderSchema: string,
  { below, node }: { below: number; node: NodeBlocks },
): Promise<number> {
  const [first] = await db.unsafe(`select min(number) as number from ${quoted(ponderSchema)}.block`);
  const before = Number(first?.number ?? 0) - 1;
  let same = before;
  for (let other = below; other - same > 1; ) {
    const middle = Math.floor((same + other) / 2);
    if ((await ourHashAt(db, ponderSchema, middle)) === (await node.hashAt(middle))) same = middle;
    else other = middle;
  }
  return same === before ? NO_FORK : same;
}
