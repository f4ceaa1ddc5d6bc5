// What a range of blocks says of islands, and what was read from the chain for it.
import type { Sql } from "postgres";
import type { BlocksAfter } from "../../core/blocks-after.ts";
import { type IslandFactRow, islandFactsText, islandSourceTables, needsSettings } from "../../core/island/fact-rows.ts";
import type { IslandSettings } from "../../core/island/facts.ts";
import type { FactSource } from "../facts/fact-source.ts";
import { READ_FACTS } from "../facts/facts-reader.ts";
import { cutAt } from "../facts/stage-facts.ts";
import type { Standing } from "../history/version-log.ts";
import { quoted } from "../tables.ts";

export interface IslandFacts {
  /** The last block of the range that was read. */
  upTo: number;
  rows: readonly IslandFactRow[];
  standing: Standing;
  /** By island and block, on this branch of the chain; what is not read yet is missing. */
  settings: ReadonlyMap<string, IslandSettings>;
}

/** Whole blocks after `after`, as many as can be read at once; of `islands` alone where some are given. */
export async function readIslandFacts(
  { foldSchema, source, islands }: { foldSchema: string; source: FactSource; islands?: readonly string[] },
  { after, upTo }: BlocksAfter,
): Promise<IslandFacts> {
  const { schema, db, read } = source;
  const facts = await read(async () => {
    const cut = await cutAt(db, schema, { after, upTo, limit: READ_FACTS, tables: islandSourceTables });
    const text = islandFactsText(schema, { after, upTo: cut }, islands && "$1::text[]");
    return { upTo: cut, rows: await db.unsafe<IslandFactRow[]>(text, islands ? [[...islands]] : []) };
  });
  return { ...facts, standing: source.standing, settings: await readSettings(db, { foldSchema, schema }, facts.rows) };
}

async function readSettings(
  db: Sql,
  { foldSchema, schema }: { foldSchema: string; schema: string },
  rows: readonly IslandFactRow[],
): Promise<Map<string, IslandSettings>> {
  const needed = rows.filter(needsSettings);
  if (needed.length === 0) return new Map();
  const found = await db.unsafe(
    `select '0x' || encode(r.address, 'hex') as island, r.block, r.tick_lower, r.tick_upper, r.manager_fee_bps,
            '0x' || encode(r.treasury, 'hex') as treasury
       from ${quoted(foldSchema)}.island_settings r
       join ${schema}.block b on b.number = r.block and b.hash = r.block_hash where r.block = any($1::int4[])`,
    [[...new Set(needed.map(({ block }) => block))]],
  );
  return new Map(
    found.map(({ island, block, tick_lower, tick_upper, manager_fee_bps, treasury }) => [
      `${island} ${block}`,
      {
        tickLower: tick_lower ?? undefined,
        tickUpper: tick_upper ?? undefined,
        managerFeeBps: manager_fee_bps ?? undefined,
        treasury: treasury ?? undefined,
      },
    ]),
  );
}
