// Rows of the fold's v3 tables at a block, found by their keys.
import { changing } from "../database/recent-changes.ts";
import type { AsOf } from "../history/as-of.ts";
import { listParameter } from "../history/list-parameter.ts";
import { rowsOfEach, type StoredRow } from "./stored-rows.ts";

const EACH = {
  position: {
    wanted: `unnest(${listParameter(2, "int4")}, ${listParameter(3)}, ${listParameter(4, "int4")},
                   ${listParameter(5, "int4")}) wanted(pool, owner, tick_lower, tick_upper)`,
    key: {
      pool: "wanted.pool",
      owner: "decode(substr(wanted.owner, 3), 'hex')",
      tick_lower: "wanted.tick_lower",
      tick_upper: "wanted.tick_upper",
    },
  },
  tick: {
    wanted: `unnest(${listParameter(2, "int4")}, ${listParameter(3, "int4")}) wanted(pool, tick)`,
    key: { pool: "wanted.pool", tick: "wanted.tick" },
  },
  nft: {
    wanted: `unnest(${listParameter(2)}, ${listParameter(3, "numeric")}) wanted(manager, token_id)`,
    key: { manager: "decode(substr(wanted.manager, 3), 'hex')", token_id: "wanted.token_id" },
  },
};

/** The stored rows of `wanted`, lists of values of the columns in {@link EACH}. */
export async function readEach(
  at: AsOf,
  kind: keyof typeof EACH,
  wanted: readonly (readonly (string | number)[])[],
): Promise<StoredRow[]> {
  const [one] = wanted;
  if (!one) return [];
  const columns = one.map((_, column) => wanted.map((values) => values[column]).join(","));
  const text = rowsOfEach(kind, at, EACH[kind]);
  if (kind === "nft") return at.cached<StoredRow>(text, [String(at.point.block), ...columns]);
  const things = wanted.map(([pool]) => changing.v3Pool(Number(pool)));
  return at.cachedSince<StoredRow>(text, (block) => [block, ...columns], things);
}
