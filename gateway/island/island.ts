// An island as its factory announced it, and the ways in which its state may not be tellable.
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
  /** Its number in the fold's tables; undefined when it was created above the watermark. */
  id: number | undefined;
  address: Address;
  /** The v3 pool that it holds its position in. */
  pool: Address;
  token0: Address;
  token1: Address;
  createdBlock: number;
  createdLog: number;
  /** As of the block asked. */
  stopped: IslandStop | undefined;
  /** What no event tells of it has not been read from the chain yet. */
  isPending: boolean;
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

/** `folded`: the block up to which the fold's tables were read. */
export const toIsland = (row: IslandInfoRow, folded: number): Island => ({
  id: row.id,
  address: row.address,
  pool: row.pool,
  token0: row.token0,
  token1: row.token1,
  createdBlock: row.created_block,
  createdLog: row.created_log,
  stopped: stopOf(row, folded),
  isPending: false,
});

function stopOf(row: IslandInfoRow, folded: number): IslandStop | undefined {
  if (row.stopped_block === null || row.stopped_block > folded) return undefined;
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
