import type { AsOf } from "../history/as-of.ts";
import { readMany } from "../history/many-rows.ts";
import { listParameter } from "../history/sql-values.ts";

/** Unix seconds of each of `blocks`, by block. @throws Error for a block that is not indexed */
export async function blockTimes(at: AsOf, blocks: readonly number[]): Promise<ReadonlyMap<number, bigint>> {
  const wanted = new Set(blocks);
  const text = `select number, timestamp from ${at.fold}.block where number = any(${listParameter(1, "int4")})`;
  const many = await readMany(at.unbatched, { text, parameters: [[...wanted].join(",")] }, ["number", "timestamp"]);
  const found = new Map<number, bigint>();
  for (let i = 0; i + 1 < many.length; i += 2) found.set(Number(many[i]), BigInt(many[i + 1] as string));
  for (const block of wanted) if (!found.has(block)) throw new Error(`block ${block} is not indexed`);
  return found;
}
