// Waits for the node's next block, or makes it replace its newest ones, and says which pools that moved.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import type { Pool } from "../../core/router/pool.ts";
import { postOne } from "../../devnet/json-rpc.ts";
import type { ListedPool } from "./gateway-answers.ts";
import { type NodeBlock, readBlock, readLogging, readPools, stateText } from "./pools-at-block.ts";
import type { AtBlock } from "./quoters.ts";

export interface NewBlock {
  head: NodeBlock;
  /** When the node had it, by performance.now. */
  since: number;
  /** How many blocks it and those below it have replaced. */
  replaced: number;
  /** Pools whose state has changed, as they are now. */
  moved: ReadonlyMap<Address, Pool>;
}

export interface Watched {
  rpcUrl: string;
  listed: ReadonlyMap<Address, ListedPool>;
}

const POLL_MS = 10;
const PATIENCE_MS = 120_000;

/** @throws Error when none comes for two minutes */
export async function nextBlock(watched: Watched, last: NodeBlock): Promise<NewBlock> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const head = await readBlock(watched.rpcUrl);
    if (head.hash === last.hash) continue;
    const since = performance.now();
    const touched = await touchedIn(watched, head);
    const before = await readPools(watched.rpcUrl, touched, { blockHash: head.parentHash });
    return { head, since, replaced: 0, moved: await movedPools(watched, { touched, before, block: head }) };
  }
  throw new Error(`no new block for ${PATIENCE_MS / 1_000} s`);
}

/** Only anvil can do this: empty blocks take the place of the newest `depth`, which had moved some pools. */
export async function replaceBlocks(watched: Watched, depth: number): Promise<NewBlock> {
  const { rpcUrl } = watched;
  const old = await readBlock(rpcUrl);
  const touched = new Set<ListedPool>();
  for (let block = old, left = depth; left > 0; left--) {
    for (const pool of await touchedIn(watched, block)) touched.add(pool);
    block = await readBlock(rpcUrl, block.parentHash);
  }
  const before = await readPools(rpcUrl, [...touched], { blockHash: old.hash });
  await postOne(rpcUrl, "anvil_reorg", [depth, []]);
  const since = performance.now();
  const head = await readBlock(rpcUrl);
  return {
    head,
    since,
    replaced: depth,
    moved: await movedPools(watched, { touched: [...touched], before, block: head }),
  };
}

async function touchedIn({ rpcUrl, listed }: Watched, { hash }: NodeBlock): Promise<ListedPool[]> {
  return (await readLogging(rpcUrl, hash)).flatMap((address) => listed.get(address) ?? []);
}

async function movedPools(
  { rpcUrl }: Watched,
  { touched, before, block }: { touched: readonly ListedPool[]; before: ReadonlyMap<Address, Pool>; block: NodeBlock },
): Promise<Map<Address, Pool>> {
  const at: AtBlock = { blockHash: block.hash };
  const now = await readPools(rpcUrl, touched, at);
  return new Map([...now].filter(([address, pool]) => stateText(pool) !== stateText(before.get(address))));
}
