// What a quote is based on: the block, its pools, its gas price.

import type { ReaderCache } from "../cache/answer-cache.ts";
import { question } from "../cache/question.ts";
import type { OperationContext } from "../context.ts";
import type { Snapshot } from "../database/snapshot.ts";
import type { BlockChoice } from "../history/block-choice.ts";
import { type BlockPoint, pointOf } from "../history/point.ts";
import type { RouterState } from "./router-state.ts";
import { routerStateAt } from "./router-state-at.ts";

export interface RouterPlace {
  /** Of the index, whether its transaction is over or not. */
  cache: ReaderCache;
  point: BlockPoint;
  state: RouterState;
  /** Base fee of the block and the chain file's tip. */
  gasPriceWei: bigint;
  /** Unix seconds of the last synced block, which deadlines are counted from. */
  latestTimestamp: number;
  /** See {@link sharedAt}. */
  shared: Map<string, Promise<unknown>>;
}

/** Made once for all that use the same place: each opening of the router is a place of its own. */
export function sharedAt<T>({ shared }: RouterPlace, key: string, make: () => Promise<T>): Promise<T> {
  const made = (shared.get(key) as Promise<T> | undefined) ?? make();
  shared.set(key, made);
  return made;
}

/** @throws what pointOf and routerStateAt throw */
export async function openRouter(context: OperationContext, choice: BlockChoice): Promise<RouterPlace> {
  const { chain, service, snapshot } = context;
  const point = await pointOf(context, choice);
  const [baseFee, state] = await Promise.all([baseFeeAt(snapshot, point), routerStateAt(context, point)]);
  return {
    shared: new Map(),
    cache: service.cache.for({ index: snapshot.index, state: snapshot.state, isOpen: false }),
    point,
    state,
    gasPriceWei: baseFee + BigInt(chain.gasTipWei),
    latestTimestamp: snapshot.state.lastSyncedTimestamp ?? point.timestamp ?? 0,
  };
}

const baseFees = question<bigint>("base-fees");

/** Wei. */
const baseFeeAt = (snapshot: Snapshot, point: BlockPoint): Promise<bigint> =>
  snapshot.cache.of(baseFees, { at: point.hash, key: "" }, async () => {
    const [row] = await snapshot.rows<{ base_fee: string | null }>(
      `select base_fee::text as base_fee from ${snapshot.fold}.block where number = ${point.block}`,
    );
    return BigInt(row?.base_fee ?? 0);
  });
