// The few facts above the watermark, replayed by the same reducer as the fold's: what they changed. Only what they can
// touch is restored: all ticks of their pools, and the positions and token ids they name.
import type { V3Fact } from "../../core/v3/facts.ts";
import { UnknownTokenIdError } from "../../core/v3/position-manager.ts";
import type { FeeProtocol } from "../../core/v3/protocol-fee.ts";
import {
  addPool,
  applyFact,
  createWorld,
  restoreRow,
  restoreStop,
  takeChanges,
  type V3World,
} from "../../core/v3/reducer.ts";
import { ReplayMismatchError } from "../../core/v3/replay-mismatch.ts";
import type { PoolRow, V3Row } from "../../core/v3/rows.ts";
import type { V3Pool, V3Stop } from "./pool.ts";

/** A fact with the contract that logged it: the pool, or the position manager. */
export interface LoggedFact {
  contract: string;
  fact: V3Fact;
}

export interface ReplayInput {
  /** Every pool that a fact names, with its protocol fee right after `initialize`. */
  pools: readonly { pool: V3Pool; initialFee: FeeProtocol }[];
  /** Current rows at the watermark, those of each pool's manager beside it. */
  rows: readonly V3Row[];
  /** In event order. */
  facts: readonly LoggedFact[];
}

export interface ReplayOutput {
  /** Rows as they are after the last fact, with the position manager of their world; each entity once. */
  changes: readonly { manager: string; row: V3Row }[];
  /** Every pool at the end of every block that changed it, in order. */
  slots: readonly { block: number; row: PoolRow }[];
  stops: ReadonlyMap<string, V3Stop>;
}

/** @throws Error when a fact or row names a pool that is not among `pools` */
export function replayAbove({ pools, rows, facts }: ReplayInput): ReplayOutput {
  const worlds = new Map<string, V3World>();
  const worldOf = new Map<string, V3World>();
  for (const { pool, initialFee } of pools) {
    const world = worlds.get(pool.manager) ?? createWorld({ manager: pool.manager });
    worlds.set(pool.manager, world);
    worldOf.set(pool.address, world);
    addKnownPool(world, pool, initialFee);
  }
  for (const row of rows) restoreRow(known(worldOf, row.pool), row);

  const changed = new Map<string, { manager: string; row: V3Row }>();
  const stops = new Map<string, V3Stop>();
  const slots: { block: number; row: PoolRow }[] = [];
  let block: number | undefined;
  const endBlock = () => {
    for (const [manager, world] of worlds)
      for (const row of takeChanges(world)) {
        changed.set(`${manager} ${keyOf(row)}`, { manager, row });
        if (row.kind === "pool" && block !== undefined) slots.push({ block, row });
      }
  };
  for (const { contract, fact } of facts) {
    if (block !== undefined && fact.block > block) endBlock();
    block = fact.block;
    const world = "pool" in fact ? known(worldOf, fact.pool) : worlds.get(contract);
    const mismatch = world && applyKnown(world, fact);
    if (mismatch) {
      const { block: at, logIndex, field, expected, replayed } = mismatch;
      stops.set(mismatch.pool, { block: at, logIndex, field, expected, replayed });
    }
  }
  endBlock();
  return { changes: [...changed.values()], slots, stops };
}

function addKnownPool(world: V3World, pool: V3Pool, { feeProtocol0, feeProtocol1 }: FeeProtocol): void {
  const { address, fee, tickSpacing, flavour, stopped } = pool;
  const constants = { pool: address, fee, tickSpacing, flavour };
  addPool(world, { ...constants, initialFeeProtocol0: feeProtocol0, initialFeeProtocol1: feeProtocol1 });
  if (!stopped) return;
  restoreStop(world, new ReplayMismatchError({ pool: address, txIndex: 0, ...stopped }, stopped));
}

/** Facts of a token id that came into being before the index began concern nobody here. */
function applyKnown(world: V3World, fact: V3Fact): ReplayMismatchError | undefined {
  try {
    return applyFact(world, fact);
  } catch (error) {
    if (error instanceof UnknownTokenIdError) return undefined;
    throw error;
  }
}

function known(worlds: ReadonlyMap<string, V3World>, pool: string): V3World {
  const world = worlds.get(pool);
  if (!world) throw new Error(`pool ${pool} has facts or rows, but no factory created it`);
  return world;
}

/** Tells entities of one world apart. */
function keyOf(row: V3Row): string {
  switch (row.kind) {
    case "pool":
      return row.pool;
    case "tick":
      return `${row.pool} ${row.tick}`;
    case "position":
      return `${row.pool} ${row.owner} ${row.tickLower} ${row.tickUpper}`;
    case "nft":
      return `nft ${row.tokenId}`;
  }
}
