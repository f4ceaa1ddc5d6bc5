// How many facts lie between the fold's watermark and a block: so few that they may be added on the fly, or too many.
import { factTables } from "../../core/fact-tables.ts";
import { FoldBehindError, MOST_OVERLAID_FACTS } from "../block-point.ts";
import type { FactsScope, QuotedSchemas } from "./facts-scope.ts";
import { type Asking, keepAnswers } from "./kept-answers.ts";
import type { Looked } from "./look.ts";
import type { BlockPoint } from "./point.ts";

type Named = Pick<BlockPoint, "block" | "hash">;

/** Counted up to one more than may be overlaid. */
const kept = keepAnswers<number>({ most: 10_000, weigh: () => 1 });

const aboutOf = (watermark: number): string => `facts above ${watermark}`;

/** Facts in (watermark, point.block], counted up to one more than may be overlaid. */
export async function countFactsAbove(facts: FactsScope, point: Named): Promise<number> {
  const { watermark } = facts.state;
  if (point.block <= watermark) return 0;
  // whoever reads facts has a connection
  const snapshot = { index: facts.index, isOpen: true };
  return kept.of({ snapshot, point, about: aboutOf(watermark) }, async () => {
    const { n } = await readCount(facts.schemas, { after: watermark, upTo: point.block }, facts.prepared);
    return n;
  });
}

/** The same without a transaction. @throws HeadReplacedError */
export async function glanceFactsAbove(
  { snapshot, schemas }: { snapshot: Asking; schemas: QuotedSchemas },
  point: Named & { hash: string; watermark: number },
  read: FactsScope["prepared"],
): Promise<number> {
  const { block, hash, watermark } = point;
  if (block <= watermark) return 0;
  return kept.of({ snapshot, point, about: aboutOf(watermark) }, async () => {
    const counted = await readCount(schemas, { after: watermark, upTo: block }, read);
    if (counted.hash !== hash) throw new HeadReplacedError();
    return counted.n;
  });
}

/** Whether so few facts lie between watermark and block that they may be added on the fly, where that is known already. */
export function isKnownNear({ index, state }: Looked, point: Named & { hash: string }): boolean {
  const { watermark } = state;
  if (point.block <= watermark) return true;
  const count = kept.known({ index, point, about: aboutOf(watermark) });
  return count !== undefined && count <= MOST_OVERLAID_FACTS;
}

/** @throws FoldBehindError when `point` lies too many facts above the watermark */
export async function requireNear(facts: FactsScope, point: Named): Promise<void> {
  if ((await countFactsAbove(facts, point)) > MOST_OVERLAID_FACTS)
    throw new FoldBehindError({ block: point.block, watermark: facts.state.watermark });
}

/** The block is not there any more: what was counted is of another branch. */
class HeadReplacedError extends Error {
  override name = "HeadReplacedError";
}

interface Counted {
  n: number;
  /** Of the last block. */
  hash: string | null;
}

async function readCount(
  { ponder }: QuotedSchemas,
  { after, upTo }: { after: number; upTo: number },
  read: FactsScope["prepared"],
): Promise<Counted> {
  const tables = factTables
    .filter((table) => table !== "block")
    .map((table) => `select 1 from ${ponder}.${table} where block > $1::int4 and block <= $2::int4`);
  const [counted] = await read<Counted>(
    `select (select hash from ${ponder}.block where number = $2::int4) as hash,
            (select count(*)::int from (${tables.join(" union all ")} limit ${MOST_OVERLAID_FACTS + 1}) f) as n`,
    [String(after), String(upTo)],
  );
  if (!counted) throw new Error("one row was asked for, and none came");
  return counted;
}
