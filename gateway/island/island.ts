// An island as its factory announced it, and the ways in which its state may not be tellable.
import type { IslandRow } from "../../core/island/state.ts";
import { UnavailableError } from "../errors.ts";
import type { Address } from "../parameters.ts";

/** Where events contradicted each other: from there on the island's state is not told. */
export interface IslandStop {
  block: number;
  logIndex: number;
  field: string;
  /** What the event says. */
  expected: string;
  /** What the replay gives. */
  replayed: string;
}

export interface Island {
  /** Its number in the fold's tables. */
  id: number;
  address: Address;
  /** The v3 pool that it holds its position in. */
  pool: Address;
  token0: Address;
  token1: Address;
  createdBlock: number;
  createdLog: number;
  /** As of the block asked. */
  stopped: IslandStop | undefined;
}

export interface IslandInfoRow {
  id: number;
  address: Address;
  pool: Address;
  token0: Address;
  token1: Address;
  created_block: number;
  created_log: number;
  stopped_block: number | null;
  stopped_log: number | null;
  stopped_field: string | null;
  stopped_expected: string | null;
  stopped_replayed: string | null;
}

const hex = (column: string) => `'0x' || encode(${column}, 'hex') as ${column}`;

/** SELECT list over the fold's `island`. */
export const islandInfoColumns = `id, ${["address", "pool", "token0", "token1"].map(hex).join(", ")},
  created_block, created_log, stopped_block, stopped_log, stopped_field, stopped_expected, stopped_replayed`;

/** The island as of `block`. */
export const toIsland = (row: IslandInfoRow, block: number): Island => ({
  id: row.id,
  address: row.address,
  pool: row.pool,
  token0: row.token0,
  token1: row.token1,
  createdBlock: row.created_block,
  createdLog: row.created_log,
  stopped: stopOf(row, block),
});

/** Whether what no event tells of the island has not been read from the chain yet: it has no row at the block then. */
export const isPending = ({ stopped }: Island, row: IslandRow | undefined): boolean =>
  stopped === undefined && row === undefined;

function stopOf(row: IslandInfoRow, block: number): IslandStop | undefined {
  if (row.stopped_block === null || row.stopped_block > block) return undefined;
  return {
    block: row.stopped_block,
    logIndex: row.stopped_log ?? 0,
    field: row.stopped_field ?? "",
    expected: row.stopped_expected ?? "",
    replayed: row.stopped_replayed ?? "",
  };
}

export class IslandPendingError extends UnavailableError {
  override name = "IslandPendingError";

  constructor(island: Address) {
    super(
      "ISLAND_PENDING",
      `The range, fee and treasury of island ${island} have not been read from the chain yet. Retry in a few seconds.`,
      { island },
    );
  }
}
