// Which v2 pairs there are at a block, and their reserves.
import { v2Reserves } from "../../core/told/told-state.ts";
import type { OperationContext } from "../context.ts";
import type { BlockPoint } from "../ledger/point.ts";
import { readTold } from "../ledger/told-at.ts";
import type { Address } from "../parameters.ts";

export interface V2Pair {
  address: Address;
  token0: Address;
  token1: Address;
  createdBlock: number;
  createdLog: number;
}

/** Every pair at the block, in order of creation. */
export async function allPairs(
  { chain, snapshot }: Pick<OperationContext, "chain" | "snapshot">,
  { block }: BlockPoint,
): Promise<V2Pair[]> {
  if (!chain.v2) return [];
  return snapshot.withFacts(({ prepared, schemas }) =>
    prepared<V2Pair>(
      `select pair as address, token0, token1, block as "createdBlock", log_index as "createdLog"
         from ${schemas.ponder}.v2_pair_created where block <= $1::int4 order by block, log_index`,
      [String(block)],
    ),
  );
}

/** Reserves as the pair last told them; raw units. */
export interface Reserves {
  reserve0: bigint;
  reserve1: bigint;
}

/** Of every pair that has told any by the end of the block. */
export async function reservesAt(
  context: Pick<OperationContext, "chain" | "snapshot">,
  point: BlockPoint,
): Promise<ReadonlyMap<Address, Reserves>> {
  if (!context.chain.v2) return new Map();
  const told = await readTold(context, v2Reserves, { point });
  return new Map(
    [...told].flatMap(([pair, tellings]) => {
      const values = tellings.at(-1)?.values;
      return values ? [[pair, { reserve0: values.reserve0 ?? 0n, reserve1: values.reserve1 ?? 0n }] as const] : [];
    }),
  );
}
