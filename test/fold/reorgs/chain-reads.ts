// What the readers of the chain store: initial fees of kodiak pools and settings of islands, keyed by block hash, and metadata of tokens.
import type { Sql } from "postgres";
import { quoted } from "../../../fold/tables.ts";
import type { ChainBlock } from "./random-chain.ts";

/** Stores what is missing of `blocks`; resolves to how many rows that were. */
export async function storeChainReads(sql: Sql, foldSchema: string, blocks: readonly ChainBlock[]): Promise<number> {
  const s = quoted(foldSchema);
  const fees = blocks.flatMap(({ number, hash, fees: read }) => read.map((one) => ({ ...one, number, hash })));
  const settings = blocks.flatMap(({ number, hash, settings: read }) => read.map((one) => ({ ...one, number, hash })));
  if (fees.length + settings.length === 0) return 0;
  const stored = await sql.unsafe(`
    with fees as (
      insert into ${s}.v3_pool_fee
      select decode(substr(pool, 3), 'hex'), fee, fee, number, hash, 'slot0'
        from json_to_recordset('${JSON.stringify(fees)}'::json) f(pool text, fee int, number int, hash text)
      on conflict do nothing returning 1),
    settings as (
      insert into ${s}.island_settings
      select decode(substr(island, 3), 'hex'), number, hash, "tickLower", "tickUpper", "managerFeeBps",
             decode(substr(treasury, 3), 'hex')
        from json_to_recordset('${JSON.stringify(settings)}'::json)
          r(island text, number int, hash text, "tickLower" int, "tickUpper" int, "managerFeeBps" int, treasury text)
      on conflict do nothing returning 1)
    select (select count(*) from fees) + (select count(*) from settings) as stored`);
  return Number(stored[0]?.stored);
}

/** Settings of an island at a block of one branch. */
export const settingsKey = (island: string, hash: string): string => `${island} ${hash}`;

/** What the reader leaves behind where the node refuses to answer for an island. */
export async function storeRefusals(
  sql: Sql,
  foldSchema: string,
  refused: readonly { island: string; number: number; hash: string }[],
): Promise<void> {
  if (refused.length === 0) return;
  await sql.unsafe(`
    insert into ${quoted(foldSchema)}.island_settings_retry (address, block, block_hash, attempts, last_error, next_try)
    select decode(substr(island, 3), 'hex'), number, hash, 1, 'refused', now()
      from json_to_recordset('${JSON.stringify(refused)}'::json) r(island text, number int, hash text)
    on conflict do nothing`);
}

/** Stores of every token without metadata what it would say at the head: there the block's hash is its symbol. */
export async function storeMetadata(sql: Sql, foldSchema: string): Promise<void> {
  const s = quoted(foldSchema);
  await sql.unsafe(`
    insert into ${s}.token (address, symbol, read_at_block)
    select a.key, b.hash, b.number from ${s}.asset a cross join ${s}.meta m join ${s}.block b on b.number = m.head
     where a.kind = 'erc20' on conflict do nothing`);
}
