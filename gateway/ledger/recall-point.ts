// The block that is meant without a transaction, where everything about it is known: what is kept of that block can be
// answered then, and a transaction that is opened after all is held to it.
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { guess } from "./glance.ts";
import { type Looked, look } from "./look.ts";
import { type BlockPoint, fixBlock, isKnownNear } from "./point.ts";

/** Blocks that are remembered. */
const MOST_POINTS = 50_000;

type Fact = Pick<BlockPoint, "timestamp"> & { hash: string };

/** Final blocks by index and number. */
const finals = new Map<string, Fact>();
function remember(index: string, { block, hash, timestamp, watermark }: BlockPoint): void {
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
  remember(snapshot.index, point);
  return point;
}

async function recall({ chain, service, snapshot }: OperationContext, choice: BlockChoice) {
  if (!snapshot.mayAssume) return undefined;
  const { database, live } = service;
  const seen = snapshot.assumed ?? (await look({ database, live, chainId: chain.chainId }));
  const point = seen && pointIn(seen, guess({ chain }, choice, seen.state));
  if (point) snapshot.assume(seen, point);
  return point;
}

function pointIn(seen: Looked, block: number | undefined): BlockPoint | undefined {
  const { lastSynced, watermark } = seen.state;
  if (block === undefined || lastSynced === undefined) return undefined;
  const fact = factOf(seen, block);
  if (!fact || !isKnownNear(seen, { block, hash: fact.hash })) return undefined;
  return { block, ...fact, lastSynced: Math.max(lastSynced, block), watermark };
}

function factOf({ state, index }: Pick<Looked, "state" | "index">, block: number): Fact | undefined {
  const { lastSynced, lastSyncedHash: hash, lastSyncedTimestamp: timestamp, watermark } = state;
  if (block === lastSynced && hash !== undefined) return { hash, timestamp };
  return block <= watermark ? finals.get(`${index} ${block}`) : undefined;
}
