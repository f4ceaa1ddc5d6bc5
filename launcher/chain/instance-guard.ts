// Keeps two instances of one chain id apart: Ponder's RPC cache is keyed by chain id alone, so a newly made devnet would
// get the old one's logs. The database remembers which instance it holds.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { deploymentDdl, quoted } from "../../fold/tables.ts";

export interface ChainInstance {
  chainId: number;
  /** The devnet's instance id; for a real chain, its genesis hash. */
  instance: string;
  /** A devnet of the launcher's own, which can be seeded anew: the index of an earlier one is worth nothing. */
  isReplaceable: boolean;
}

/** Connections of a process that was just stopped may outlive it for a moment. */
const PATIENCE_MS = 10_000;
const POLL_MS = 200;

/**
 * Makes the database hold this instance and no other. What belongs to another devnet, or is of unknown origin, is dropped for a
 * devnet; a real chain keeps what is of unknown origin. Returns the schemas that were dropped, `undefined` when all was well.
 * @throws OtherGenesisError for a real chain where the database holds another one; InstanceInUseError where what would be dropped is
 * still written
 */
export async function guardInstance(
  sql: Sql,
  { chainId, instance, isReplaceable }: ChainInstance,
  patienceMs: number = PATIENCE_MS,
): Promise<string[] | undefined> {
  await sql.unsafe(deploymentDdl);
  const [stored] = await sql`select instance from tidemark.instance where chain_id = ${chainId}`;
  if (stored?.instance === instance) return undefined;
  if (stored !== undefined && !isReplaceable)
    throw new OtherGenesisError(chainId, { holds: String(stored.instance), serves: instance });
  if (isReplaceable) await requireIdle(sql, chainId, patienceMs);
  const dropped = isReplaceable ? await resetChain(sql, chainId) : [];
  await sql`
    insert into tidemark.instance (chain_id, instance) values (${chainId}, ${instance})
    on conflict (chain_id) do update set instance = excluded.instance, since = now()`;
  return dropped.length > 0 ? dropped : undefined;
}

async function requireIdle(sql: Sql, chainId: number, patienceMs: number): Promise<void> {
  for (const deadline = performance.now() + patienceMs; ; await sleep(POLL_MS)) {
    const busy = await indexersOf(sql, chainId);
    if (busy.length === 0) return;
    if (performance.now() > deadline) throw new InstanceInUseError(chainId, busy);
  }
}

/** The node has another block 0 than the chain that the database holds: one of the two is not the one that is meant. */
export class OtherGenesisError extends Error {
  override name = "OtherGenesisError";
  constructor(chainId: number, { holds, serves }: { holds: string; serves: string }) {
    super(
      `the database holds another chain ${chainId} (${holds}) than the node serves (block 0 is ${serves}): nothing was dropped. Correct RPC_URL or DATABASE_URL; if the node is right, run npm run reset`,
    );
  }
}

/** The data to drop belong to another chain of this id, and a process is still writing them. */
export class InstanceInUseError extends Error {
  override name = "InstanceInUseError";
  constructor(chainId: number, busy: readonly string[]) {
    super(
      `the database holds another chain ${chainId}, which ${busy.join(" and ")} still write${busy.length > 1 ? "" : "s"}: correct RPC_URL or DATABASE_URL, or stop that first to have its index dropped`,
    );
  }
}

/** Which of Ponder and the fold are connected for this chain, wherever they run: both hold locks as long as they are. */
export async function indexersOf(sql: Sql, chainId: number): Promise<string[]> {
  const [found] = await sql`
    select exists (select from pg_stat_activity
                    where datname = current_database()
                      and starts_with(application_name, ${`facts_${chainId}_`})) as ponder,
           exists (select from pg_locks l join pg_namespace n on starts_with(n.nspname, ${`fold_${chainId}_`})
                    where l.locktype = 'advisory' and l.granted
                      and l.database = (select oid from pg_database where datname = current_database())
                      and l.objid = (hashtext('tidemark ' || n.nspname)::int8 & 4294967295)::oid) as fold`;
  return [...(found?.ponder ? ["Ponder"] : []), ...(found?.fold ? ["the fold"] : [])];
}

/**
 * Drops everything of a chain: its rows in Ponder's RPC cache, Ponder's and the fold's schemas, its rows in `tidemark`. In this order:
 * where it is interrupted, no new facts are made of what the cache holds of a branch that is gone, and the record of what the
 * remaining facts belong to is still there.
 */
export async function resetChain(sql: Sql, chainId: number): Promise<string[]> {
  const others = await otherCachedChains(sql, chainId);
  if (others === 0) await sql`drop schema ponder_sync cascade`;
  else if (others !== undefined) await deleteRows(sql, "ponder_sync", chainId);
  const found = await sql`
    select nspname as name from pg_namespace
    where nspname like ${`facts\\_${chainId}\\_%`} or nspname like ${`fold\\_${chainId}\\_%`}`;
  const schemas = found.map(({ name }) => String(name));
  // One transaction per schema: a schema of many tables takes many locks.
  for (const schema of schemas) await sql`drop schema if exists ${sql(schema)} cascade`;
  await deleteRows(sql, "tidemark", chainId);
  return others === undefined ? schemas : [...schemas, "ponder_sync"];
}

/** All or none of the chain's rows. */
async function deleteRows(sql: Sql, schema: string, chainId: number): Promise<void> {
  const tables = await tablesByChain(sql, schema);
  // One text, which PostgreSQL takes as one transaction; why not one of postgres.js: see rewindCheckpoints.
  await sql.unsafe(tables.map((table) => `delete from ${table} where chain_id = ${chainId}`).join("; "));
}

/** How many other chains the RPC cache holds; `undefined` when there is no cache. */
async function otherCachedChains(sql: Sql, chainId: number): Promise<number | undefined> {
  const [cache] = await sql`select to_regclass('ponder_sync.intervals') is not null as there`;
  if (!cache?.there) return undefined;
  const [others] = await sql`
    select count(distinct chain_id)::int as count
    from (select chain_id from ponder_sync.intervals union all select chain_id from ponder_sync.blocks) cached
    where chain_id <> ${chainId}`;
  return Number(others?.count);
}

/** Tables of `schema` whose rows name their chain. */
async function tablesByChain(sql: Sql, schema: string): Promise<string[]> {
  const tables = await sql`
    select c.table_schema as schema, c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = ${schema} and c.column_name = 'chain_id' and t.table_type = 'BASE TABLE'`;
  return tables.map(({ schema, name }) => `${quoted(String(schema))}.${quoted(String(name))}`);
}
