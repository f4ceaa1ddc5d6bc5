// The block that is meant without a transaction, where everything about it is known: what is kept of that block can be
// answered then, and a transaction that is opened after all is held to it.
import type { BlockChoice } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { guess } from "./glance.ts";
import { type Looked, look } from "./look.ts";
import { type BlockPoint, fixBlock } from "./point.ts";

/** Blocks that are remembered. */
const MOST_POINTS = 50_000;

type Fact = Pick<BlockPoint, "timestamp"> & { hash: string };

/** Final blocks by index and number. */
const finals = new Map<string, Fact>();
/** Blocks near enough above a watermark. */
const near = new Set<string>();

const nearKey = (index: string, { hash, watermark }: Pick<BlockPoint, "hash" | "watermark">): string =>
  `${index} ${hash} ${watermark}`;

function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  const [oldest] = kept.keys();
  if (kept.size > MOST_POINTS && oldest !== undefined) kept.delete(oldest);
}

function remember(index: string, point: BlockPoint): void {
  const { block, hash, timestamp, watermark } = point;
  if (hash === undefined) return;
  if (block <= watermark) finals.set(`${index} ${block}`, { hash, timestamp });
  else near.add(nearKey(index, point));
  forgetOldest(finals);
  forgetOldest(near);
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

function pointIn({ state, index }: Looked, block: number | undefined): BlockPoint | undefined {
  if (block === undefined || state.lastSynced === undefined) return undefined;
  const fact = factOf({ state, index }, block);
  if (!fact) return undefined;
  const { lastSynced, watermark } = state;
  const point = { block, ...fact, lastSynced: Math.max(lastSynced, block), watermark };
  return block <= watermark || near.has(nearKey(index, point)) ? point : undefined;
}

function factOf({ state, index }: Pick<Looked, "state" | "index">, block: number): Fact | undefined {
  const { lastSynced, lastSyncedHash: hash, lastSyncedTimestamp: timestamp, watermark } = state;
  if (block === lastSynced && hash !== undefined) return { hash, timestamp };
  return block <= watermark ? finals.get(`${index} ${block}`) : undefined;
}
