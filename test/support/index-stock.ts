// Indexes without anything in them, ready in the databases of tests: making the tables of one takes longer than most tests do. A test
// that asks for an index gets one of them under the names that it wants; when it drops it, it is emptied and put away again.
import type { Sql } from "postgres";
import { recentSchema } from "../../fold/tables.ts";

type Names = Readonly<{ ponderSchema: string; foldSchema: string }>;

/** Of the schemas of one that is put away. */
export const stockedNames = (n: number | ""): Names => ({
  ponderSchema: `stock_facts_${n}`,
  foldSchema: `stock_fold_${n}`,
});

const { ponderSchema: FACTS, foldSchema: FOLD } = stockedNames("");
const RECENT = recentSchema("");

/** Functions that take indexes out and put them back. A comment on its schemas says which one it is, whatever they are called. */
export const stockDdl = `
create schema stock;
create function stock.number_of(schema text) returns text language sql as
  $$ select obj_description(to_regnamespace(quote_ident(schema))::oid, 'pg_namespace') $$;
create function stock.rename_fold(fold text, as_name text) returns void language plpgsql as $$
begin
  execute format('alter schema %I rename to %I', fold, as_name);
  execute format('alter schema %I rename to %I', fold || '${RECENT}', as_name || '${RECENT}');
end $$;
create function stock.take_facts(facts text) returns bool language plpgsql as $$
declare taken text;
begin
  perform pg_advisory_xact_lock(hashtext('stock'));
  select nspname into taken from pg_namespace where nspname ~ '^${FACTS}' order by 1 limit 1;
  if taken is null then return false; end if;
  execute format('alter schema %I rename to %I', taken, facts);
  return true;
end $$;
create function stock.take_fold(facts text, fold text) returns bool language plpgsql as $$
declare taken text := '${FOLD}' || stock.number_of(facts);
begin
  if taken is null or to_regnamespace(taken) is null then return false; end if;
  perform stock.rename_fold(taken, fold);
  return true;
end $$;
create function stock.put_back(facts text, fold text) returns bool language plpgsql as $$
declare
  number text := stock.number_of(facts);
  schemas oid[];
  statement text;
begin
  if number is null or number is distinct from stock.number_of(fold) then return false; end if;
  select array_agg(oid) into schemas from pg_namespace where nspname in (facts, fold, fold || '${RECENT}');
  -- something was added to it
  if exists (select from pg_proc where pronamespace = any (schemas)) then return false; end if;
  for statement in
    select format('delete from %s', oid::regclass) || case relname when 'asset' then ' where id <> 0' else '' end
      from pg_class
     where relnamespace = any (schemas) and relkind = 'r' and relname <> 'farm_progress' and pg_relation_size(oid) > 0
    union all
    select format('select setval(%L, 1, false)', oid::regclass) from pg_class where relnamespace = any (schemas) and relkind = 'S'
  loop
    execute statement;
  end loop;
  execute format('update %I.farm_progress set read_up_to = -1', fold);
  -- an index that is made anew is known by the oid of this table
  execute format('create table %1$I.new_block (like %1$I.block including all); drop table %1$I.block;
    alter table %1$I.new_block rename to block; alter index %1$I.new_block_pkey rename to block_pkey', facts);
  execute format('alter schema %I rename to %I', facts, '${FACTS}' || number);
  perform stock.rename_fold(fold, '${FOLD}' || number);
  return true;
end $$;
`;

/** Whether `function` did it: it can do nothing in a database without a stock. */
async function ask(sql: Sql, call: string, names: readonly string[]): Promise<boolean> {
  const [row] = await sql`select to_regnamespace('stock') is not null as there`;
  if (row?.there !== true) return false;
  const [answer] = await sql.unsafe(`select stock.${call} as done`, [...names]);
  return answer?.done === true;
}

/** Whether `schema` now has empty fact tables. */
export const takeFacts = (sql: Sql, schema: string): Promise<boolean> => ask(sql, "take_facts($1)", [schema]);

/** Whether `foldSchema` now has the tables of a fold of the facts in `ponderSchema`, all indexes among them. */
export const takeFold = (sql: Sql, { ponderSchema, foldSchema }: Names): Promise<boolean> =>
  ask(sql, "take_fold($1, $2)", [ponderSchema, foldSchema]);

/** Whether the index was one of the stock: it is empty then, and its names are nobody's. */
export const putBack = (sql: Sql, { ponderSchema, foldSchema }: Names): Promise<boolean> =>
  ask(sql, "put_back($1, $2)", [ponderSchema, foldSchema]);
