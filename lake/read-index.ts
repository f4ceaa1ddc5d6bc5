// What the writer reads of an index besides rows: which one gateways read, and how far it is final.
import type { Sql } from "postgres";
import { readSources } from "../chains/sources.ts";
import { everyFactTable } from "../core/fact-tables.ts";
import type { FactColumns } from "../core/lake/datasets.ts";
import { quoted } from "../fold/tables.ts";
import { type ReadContracts, readContracts } from "./read-contracts.ts";

export interface FinalIndex {
  ponderSchema: string;
  foldSchema: string;
  firstBlock: number;
  /** What it was made from; undefined where it does not say. */
  contracts: ReadContracts | undefined;
  finalized: number;
  /** The last block whose rows are never taken back and wait for nothing. */
  lastWritable: number;
  /** Why that is not the last final block; for people. */
  waitsFor: string | undefined;
}

/** Undefined while there is none that can be read. */
export async function readFinalIndex(db: Sql, chainId: number): Promise<FinalIndex | undefined> {
  const [there] = await db`select to_regclass('tidemark.live') is not null as there`;
  if (!there?.there) return undefined;
  const [live] = await db`select ponder_schema, fold_schema from tidemark.live where chain_id = ${chainId}`;
  if (!live) return undefined;
  const [ponderSchema, foldSchema] = [String(live.ponder_schema), String(live.fold_schema)];
  const s = quoted(foldSchema);
  const [meta] = await db.unsafe(
    `select m.first_block, m.finalized, m.is_indexed, to_jsonb(m)->>'sources' as sources, w.block as waits_at,
            '0x' || encode(w.address, 'hex') as island, r.block as replaced, r.fork
       from ${s}.meta m left join lateral (
         select i.waiting_block as block, i.address from ${s}.island i
          where i.waiting_block <= m.finalized order by i.waiting_block, i.id limit 1) w on true
       left join tidemark.chain_stop r on r.chain_id = $1`,
    [chainId],
  );
  if (!meta?.is_indexed) return undefined;
  const sources = readSources(meta.sources ?? undefined);
  const finalized = Number(meta.finalized);
  const bounds = [
    ...(meta.replaced === null ? [] : [branchBound(Number(meta.replaced), Number(meta.fork))]),
    ...(meta.waits_at === null ? [] : [islandBound(Number(meta.waits_at), String(meta.island))]),
  ];
  const lowest = bounds.sort((a, b) => a.last - b.last)[0];
  return {
    ponderSchema,
    foldSchema,
    finalized,
    firstBlock: Number(meta.first_block),
    contracts: sources && readContracts(sources, chainId),
    lastWritable: lowest?.last ?? finalized,
    waitsFor: lowest?.waitsFor,
  };
}

interface Bound {
  /** The last block that can still be written. */
  last: number;
  waitsFor: string;
}

/** What is above the fork is of a branch that is gone. */
const branchBound = (replaced: number, fork: number): Bound => ({
  last: fork,
  waitsFor:
    `an index that is made anew: the chain has replaced block ${replaced}, which was final, and ` +
    `${fork < 0 ? "all blocks" : `blocks after ${fork}`} here are of the branch that is gone`,
});

/** What is from there on is not whole. */
const islandBound = (block: number, island: string): Bound => ({
  last: block - 1,
  waitsFor: `range and fee of island ${island} at block ${block}, which the node has not given yet`,
});

/** The hash of a final block; undefined where the index does not have it. */
export async function readBlockHash(
  db: Sql,
  { foldSchema }: Pick<FinalIndex, "foldSchema">,
  block: number,
): Promise<string | undefined> {
  const [row] = await db.unsafe(`select hash from ${quoted(foldSchema)}.block where number = $1::int4`, [block]);
  return row && String(row.hash);
}

/** The columns of every table of facts, as Ponder made them. */
export async function readFactColumns(
  db: Sql,
  { ponderSchema }: Pick<FinalIndex, "ponderSchema">,
): Promise<ReadonlyMap<string, FactColumns>> {
  const rows = await db<{ table: string; column: string; type: string }[]>`
    select table_name as table, column_name as column, udt_name as type from information_schema.columns
     where table_schema = ${ponderSchema} and table_name = any(${[...everyFactTable]}) order by ordinal_position`;
  const of = (table: string): FactColumns =>
    rows.filter((row) => row.table === table).map(({ column, type }) => [column, type] as const);
  return new Map(everyFactTable.map((table) => [table, of(table)]));
}
