// How many facts lie between the watermark and the head: counted once for a head, without a transaction.
import { factTables } from "../../core/fact-tables.ts";
import { MOST_OVERLAID_FACTS } from "../block-point.ts";
import type { OperationContext } from "../context.ts";
import { keepAnswers } from "../ledger/kept-answers.ts";
import type { BlockPoint } from "../ledger/point.ts";
import type { ReadPrepared } from "./index-lists.ts";

const kept = keepAnswers<number>({ most: 100, weigh: () => 1 });

/** $1 watermark, $2 block: facts of all kinds in (watermark, block], up to one more than may be overlaid; the block's hash. */
function countText(schema: string): string {
  const tables = factTables
    .filter((table) => table !== "block")
    .map((table) => `select 1 from ${schema}.${table} where block > $1::int4 and block <= $2::int4`);
  return `
    select (select hash from ${schema}.block where number = $2::int4) as hash,
           (select count(*)::int from (${tables.join(" union all ")} limit ${MOST_OVERLAID_FACTS + 1}) f) as n`;
}

/** In (watermark, point.block], counted up to one more than may be overlaid. @throws HeadReplacedError */
export async function factsAbove(
  { snapshot }: Pick<OperationContext, "snapshot">,
  point: BlockPoint,
  read: ReadPrepared,
): Promise<number> {
  if (point.block <= point.watermark) return 0;
  return kept.of({ snapshot, point, about: `facts above ${point.watermark}` }, async () => {
    const bounds = [String(point.watermark), String(point.block)];
    const [row] = await read<{ hash: string | null; n: number }>(countText(snapshot.schemas.ponder), bounds);
    if (!row || row.hash !== point.hash) throw new HeadReplacedError();
    return row.n;
  });
}

/** The block is not there any more: what was counted is of another branch. */
export class HeadReplacedError extends Error {
  override name = "HeadReplacedError";
}
