// Which contracts factories have announced, in Ponder's cache. Ponder 0.17.7 remembers for each factory alone up to which block it
// was read, but stores the contracts under the whole list of factories that a source has. When that list changes, for instance
// because a factory is taken out, Ponder believes that it has read everything, finds no contracts under the new list, and indexes
// none of their logs.
import type { Sql } from "postgres";
import type { ContractGroup } from "../../chains/indexing.ts";

/**
 * Gives the list `factories` the contracts that were noted under other lists and that one of `factories` announced, as the logs
 * stored with them show. Resolves to how many were missing.
 */
export async function shareAnnounced(sql: Sql, chainId: number, factories: ContractGroup): Promise<number> {
  const { startBlock } = factories;
  const addresses = factories.addresses.map((address) => address.toLowerCase());
  const [cache] = await sql`select to_regclass('ponder_sync.factory_addresses') is not null as there`;
  if (!cache?.there || addresses.length === 0) return 0;
  // 24 digits of the word, the 0x and the words before stand before the address
  const added = await sql`
    with listed as (
      select id, factory, jsonb_set(factory, '{address}', to_jsonb(${addresses}::text[])) as ours
        from ponder_sync.factories
       where factory->>'type' = 'log' and factory->>'chainId' = ${String(chainId)}
         and factory->>'fromBlock' = ${String(startBlock)} and factory->>'childAddressLocation' ~ '^offset[0-9]+$'
         and factory->'address' ?| ${addresses}::text[]),
    wanted as (
      insert into ponder_sync.factories (factory) select distinct ours from listed where factory <> ours
      on conflict (factory) do update set factory = excluded.factory returning id, factory)
    insert into ponder_sync.factory_addresses (factory_id, chain_id, block_number, address)
    select distinct wanted.id, noted.chain_id, noted.block_number, noted.address
      from wanted
      join listed on listed.ours = wanted.factory and listed.id <> wanted.id
      join ponder_sync.factory_addresses noted on noted.factory_id = listed.id
      join ponder_sync.logs l on l.chain_id = noted.chain_id and l.block_number = noted.block_number
       and l.address = any(${addresses}) and l.topic0 = wanted.factory->>'eventSelector'
       and '0x' || substr(l.data, 27 + 2 * substr(wanted.factory->>'childAddressLocation', 7)::int, 40) = noted.address
     where not exists (select from ponder_sync.factory_addresses known
                        where known.factory_id = wanted.id and known.address = noted.address)
    returning 1`;
  return added.length;
}
