// What islands collected from their positions in a stretch of blocks: the pool's `Collect` beyond its `Burn`, and what was
// left of it after the manager's part, `FeesEarned`.
import type { BlocksAfter } from "../../core/blocks-after.ts";
import type { CollectedFees } from "../../core/vaults/lp-fees.ts";
import type { Snapshot } from "../database/snapshot.ts";
import { type RawFacts, readFacts } from "../history/raw-facts.ts";

interface CollectedRow {
  island: string;
  net0: string;
  net1: string;
  first0: string;
  first1: string;
  gross0: string;
  gross1: string;
}

/** By island, with `after < block <= upTo`; islands that collected nothing are missing. */
export async function readCollectedFees(
  snapshot: Snapshot,
  { after, upTo }: BlocksAfter,
): Promise<Map<string, readonly [CollectedFees, CollectedFees]>> {
  const inRange = (table: string) => `${table}.block > $1::int4 and ${table}.block <= $2::int4`;
  const textOf = ({ view }: RawFacts) => `
    with net as (
      select island, block, log_index, amount0, amount1,
             row_number() over (partition by island order by block, log_index) as place
        from ${view("island_flow")} f where ${inRange("f")} and kind = 'fees'),
    first as (
      select n.*, c.pool from net n join ${view("island_created")} c on c.island = n.island where n.place = 1),
    gross as (
      select f.island, sum(case l.kind when 'collect' then l.amount0 else -l.amount0 end) as amount0,
             sum(case l.kind when 'collect' then l.amount1 else -l.amount1 end) as amount1
        from first f join ${view("v3_liquidity")} l on l.owner = f.island and l.pool = f.pool
       where ${inRange("l")} and l.kind in ('burn', 'collect') and (l.block, l.log_index) < (f.block, f.log_index)
       group by f.island)
    select n.island, sum(n.amount0)::text as net0, sum(n.amount1)::text as net1,
           min(f.amount0)::text as first0, min(f.amount1)::text as first1,
           coalesce(min(g.amount0), 0)::text as gross0, coalesce(min(g.amount1), 0)::text as gross1
      from net n join first f on f.island = n.island left join gross g on g.island = n.island
     group by n.island`;
  const found = await readFacts(snapshot, (facts) =>
    facts.prepared<CollectedRow>(textOf(facts), [String(after), String(upTo)]),
  );
  return new Map(
    found.map((row) => [
      row.island,
      [
        { firstGross: BigInt(row.gross0), firstNet: BigInt(row.first0), collectedNet: BigInt(row.net0) },
        { firstGross: BigInt(row.gross1), firstNet: BigInt(row.first1), collectedNet: BigInt(row.net1) },
      ] as const,
    ]),
  );
}
