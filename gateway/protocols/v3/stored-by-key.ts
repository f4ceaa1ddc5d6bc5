// Rows of the fold's v3 tables at a block, found by their keys.
import type { AsOf } from "../../history/as-of.ts";
import { rowsOfEach, type StoredRow } from "./stored-rows.ts";

const EACH = {
  position: {
    asked: `unnest(string_to_array($2, ',')::int4[], string_to_array($3, ','), string_to_array($4, ',')::int4[],
                   string_to_array($5, ',')::int4[]) asked(pool, owner, tick_lower, tick_upper)`,
    key: {
      ...{ pool: "asked.pool", owner: "decode(substr(asked.owner, 3), 'hex')" },
      ...{ tick_lower: "asked.tick_lower", tick_upper: "asked.tick_upper" },
    },
  },
  tick: {
    asked: "unnest(string_to_array($2, ',')::int4[], string_to_array($3, ',')::int4[]) asked(pool, tick)",
    key: { pool: "asked.pool", tick: "asked.tick" },
  },
  nft: {
    asked: "unnest(string_to_array($2, ','), string_to_array($3, ',')::numeric[]) asked(manager, token_id)",
    key: { manager: "decode(substr(asked.manager, 3), 'hex')", token_id: "asked.token_id" },
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
  return at.cached<StoredRow>(rowsOfEach(kind, at, EACH[kind]), [String(at.point.block), ...columns]);
}
