// A v3 pool as its factory announced it, and why its state may be unknown.
import type { V3Flavour } from "../../core/concentrated/protocol-fee.ts";
import { GatewayError } from "../errors.ts";
import { hexColumns } from "../history/sql-values.ts";
import type { Address } from "../parameters.ts";

/** Where replay and events first differ: from there on the pool's state is unknown. */
interface V3Stop {
  block: number;
  logIndex: number;
  field: string;
  /** What the event says. */
  expected: string;
  /** What the replay gives. */
  replayed: string;
}

export interface V3Pool {
  /** Its number in the fold's tables. */
  id: number;
  address: Address;
  factory: Address;
  /** The position manager built on its factory. */
  manager: Address;
  token0: Address;
  token1: Address;
  /** Hundredths of a basis point. */
  fee: number;
  tickSpacing: number;
  flavour: V3Flavour;
  createdBlock: number;
  /** As of the block asked. */
  stopped: V3Stop | undefined;
}

export interface PoolInfoRow {
  id: number;
  address: Address;
  factory: Address;
  manager: Address;
  token0: Address;
  token1: Address;
  fee: number;
  tick_spacing: number;
  flavour: V3Flavour;
  created_block: number;
  stopped_block: number | null;
  stopped_log: number | null;
  stopped_field: string | null;
  stopped_expected: string | null;
  stopped_replayed: string | null;
}

/** SELECT list over the fold's `v3_pool`. */
export const poolInfoColumns = `id, ${hexColumns(["address", "factory", "manager", "token0", "token1"])},
  fee, tick_spacing, flavour, created_block,
  stopped_block, stopped_log, stopped_field, stopped_expected, stopped_replayed`;

/** The pool as of `block`. */
export const toV3Pool = (row: PoolInfoRow, block: number): V3Pool => ({
  id: row.id,
  address: row.address,
  factory: row.factory,
  manager: row.manager,
  token0: row.token0,
  token1: row.token1,
  fee: row.fee,
  tickSpacing: row.tick_spacing,
  flavour: row.flavour,
  createdBlock: row.created_block,
  stopped: stopOf(row, block),
});

function stopOf(row: PoolInfoRow, block: number): V3Stop | undefined {
  if (row.stopped_block === null || row.stopped_block > block) return undefined;
  return {
    block: row.stopped_block,
    logIndex: row.stopped_log ?? 0,
    field: row.stopped_field ?? "",
    expected: row.stopped_expected ?? "",
    replayed: row.stopped_replayed ?? "",
  };
}

/** @throws PoolStoppedError */
export function requireRunning(pool: V3Pool): void {
  if (pool.stopped) throw new PoolStoppedError(pool.address, pool.stopped);
}

/** 409, as it is permanent: the facts of this pool do not fit together. Its holdings are `unattributed`. */
export class PoolStoppedError extends GatewayError {
  override name = "PoolStoppedError";

  constructor(pool: Address, stop: V3Stop) {
    super(
      `Pool ${pool} is stopped since block ${stop.block}: ${stop.field} is ${stop.expected} in the event and ${stop.replayed} in the replay. Ask for an earlier block.`,
      { code: "POOL_STOPPED", status: 409, details: { pool, ...stop } },
    );
  }
}

export class PoolNotFoundError extends GatewayError {
  override name = "PoolNotFoundError";

  constructor(pool: Address, block: number) {
    super(`There is no v3 pool at ${pool} at block ${block}.`, {
      code: "POOL_NOT_FOUND",
      status: 404,
      details: { pool, block },
    });
  }
}
