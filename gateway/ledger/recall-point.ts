// The block that is meant without a transaction, where everything about it is known: what is kept of that block can be
// answered then, and a transaction that is opened after all is held to it.
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { isKnownNear } from "./facts-above.ts";
import { guess } from "./glance.ts";
import { type Looked, look } from "./look.ts";
import { type BlockPoint, fixBlock } from "./point.ts";
import type { Standing } from "./state.ts";

/** Blocks that are remembered. */
const MOST_POINTS = 50_000;

type Fact = Pick<BlockPoint, "timestamp"> & { hash: string };

/** Final blocks by index and number. */
const finals = new Map<string, Fact>();
export function rememberPoint(index: string, { block, hash, timestamp, watermark }: BlockPoint): void {
  if (hash === undefined || block > watermark) return;
  finals.set(`${index} ${block}`, { hash, timestamp });
  const [oldest] = finals.keys();
  if (finals.size > MOST_POINTS && oldest !== undefined) finals.delete(oldest);
}

/**
 * The block `choice` means: {@link fixBlock} in this request's snapshot, or the same without one. Ask for no transaction
 * before it. @throws what fixBlock throws
 */
export async function pointOf(context: OperationContext, choice: BlockChoice): Promise<BlockPoint> {
  const recalled = await recall(context, choice);
  if (recalled) return recalled;
  const { chain, snapshot } = context;
  const point = await snapshot.withFacts((facts) => fixBlock(facts, chain, choice));
  rememberPoint(snapshot.index, point);
  return point;
}

async function recall(context: OperationContext, choice: BlockChoice): Promise<BlockPoint | undefined> {
  const { snapshot } = context;
  if (!snapshot.mayAssume) return undefined;
  const recalled = await recallIn(context, choice, snapshot.assumed);
  if (recalled) snapshot.assume(recalled.seen, recalled.point);
  return recalled?.point;
}

/** The block `choice` means by `looked`, or by the next look, and where it was seen; undefined where that cannot tell. */
export async function recallIn(
  { chain, service }: OperationContext,
  choice: BlockChoice,
  looked?: Looked,
): Promise<{ seen: Looked; point: BlockPoint & { hash: string } } | undefined> {
  const { database, live } = service;
  const seen = looked ?? (await look({ database, live, chainId: chain.chainId }));
  const point = seen && pointIn(seen, guess({ chain }, choice, seen.state));
  return point && { seen, point };
}

/** Whether the next look will tell of the block, unless something has changed. */
export function mayRecall(index: string, { lastSynced, watermark }: Standing, block: number): boolean {
  return block === lastSynced || (block <= watermark && finals.has(`${index} ${block}`));
}

function pointIn(seen: Looked, block: number | undefined): (BlockPoint & { hash: string }) | undefined {
  const { lastSynced, watermark, finalized } = seen.state;
  if (block === undefined || lastSynced === undefined) return undefined;
  const fact = factOf(seen, block);
  if (!fact || !isKnownNear(seen, { block, hash: fact.hash })) return undefined;
  return { block, ...fact, lastSynced: Math.max(lastSynced, block), watermark, finalized };
}

function factOf({ state, index }: Pick<Looked, "state" | "index">, block: number): Fact | undefined {
  const { lastSynced, lastSyncedHash: hash, lastSyncedTimestamp: timestamp, watermark } = state;
  if (block === lastSynced && hash !== undefined) return { hash, timestamp };
  return block <= watermark ? finals.get(`${index} ${block}`) : undefined;
}
