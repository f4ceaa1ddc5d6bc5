// Which sources an index was made from. Its name tells those of the chain file that made it, and is written down while that file is
// at hand: when another file takes over, the old index is read until the new one is whole.
import type { Sql } from "postgres";
import { ponderSchemaName } from "../chains/build-hash.ts";
import type { ChainFile } from "../chains/chain-file.ts";
import { type Sources, sourcesOf, sourcesSchema } from "./lake-sources.ts";

/** Made by whoever writes a lake, as `tidemark.lake` is. */
export const indexSourcesDdl = `
create schema if not exists tidemark;
create table if not exists tidemark.index_sources (
  chain_id int8 not null, ponder_schema text not null, sources text not null, primary key (chain_id, ponder_schema));
`;

/** What the index of a chain file is called, and what it reads. */
export interface OwnIndex {
  ponderSchema: string;
  sources: Sources;
}

export const ownIndexOf = (chain: ChainFile): OwnIndex => ({
  ponderSchema: ponderSchemaName(chain),
  sources: sourcesOf(chain),
});

export interface IndexName {
  chainId: number;
  ponderSchema: string;
}

/** Undefined where nobody has written it down. `read`: sends a SELECT. */
export async function readIndexSources(
  read: (text: string) => Promise<readonly object[]>,
  { chainId, ponderSchema }: IndexName,
): Promise<Sources | undefined> {
  const [there] = await read("select 1 as there where to_regclass('tidemark.index_sources') is not null");
  if (!there) return undefined;
  const rows = await read(`select ponder_schema, sources from tidemark.index_sources where chain_id = ${chainId}`);
  const found = rows.find((row) => "ponder_schema" in row && row.ponder_schema === ponderSchema);
  if (found === undefined || !("sources" in found)) return undefined;
  return sourcesSchema.parse(JSON.parse(String(found.sources)));
}

/** Those of `index`, written down where it is that of the chain file. */
export async function sourcesOfIndex(
  db: Sql,
  { chainId, ponderSchema }: IndexName,
  own: OwnIndex | undefined,
): Promise<Sources | undefined> {
  const name = { chainId, ponderSchema };
  const known = await readIndexSources((text) => db.unsafe(text), name);
  if (own?.ponderSchema !== ponderSchema) return known;
  if (JSON.stringify(known) === JSON.stringify(own.sources)) return known;
  await db.unsafe(indexSourcesDdl);
  await db`delete from tidemark.index_sources where to_regnamespace(quote_ident(ponder_schema)) is null`;
  await db`insert into tidemark.index_sources values (${chainId}, ${ponderSchema}, ${JSON.stringify(own.sources)})
    on conflict (chain_id, ponder_schema) do update set sources = excluded.sources`;
  return own.sources;
}
