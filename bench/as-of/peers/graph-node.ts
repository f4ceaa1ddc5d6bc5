// Peer: the tables that graph-node makes for an entity `Balance @entity { id: Bytes!, token: Bytes!, account: Bytes!,
// balance: BigInt! }` in a release build (store/postgres/src/relational/ddl.rs): versions by block range, a GiST index over
// (id, block_range) and over each reference, BRIN over the ranges, a B-tree of closed ones and of the other attributes. The
// reference to the account has no index here, which only favours graph-node in bytes and writes.
import type { Sql } from "postgres";
import { tokenAddress } from "../generate.ts";

/** The block number by which graph-node asks for open rows. */
const OPEN = 2_147_483_647;

/** graph-node's id of a balance: token and account. */
const idOf = (token: string, account: string): string => `${tokenAddress(token)} || ${account}`;

/** At its best: every range is inserted once, already closed, so that no version is dead. */
export async function writeGraphNode(db: Sql): Promise<void> {
  await db.unsafe(`
    create extension if not exists btree_gist;
    create schema sgd1;
    set work_mem = '512MB';
    create table sgd1.balance (
      vid bigserial primary key, block_range int4range not null,
      id bytea not null, token bytea not null, account bytea not null, balance numeric not null);
    insert into sgd1.balance (block_range, id, token, account, balance)
    select int4range(block, next_block), ${idOf("token", "account")}, ${tokenAddress("token")}, account, balance
      from made.change where balance > 0 order by block, token, account;
    reset work_mem;
    set maintenance_work_mem = '256MB';
    create index brin_balance on sgd1.balance using brin (lower(block_range), coalesce(upper(block_range), ${OPEN}), vid);
    create index balance_block_range_closed on sgd1.balance (coalesce(upper(block_range), ${OPEN}))
      where coalesce(upper(block_range), ${OPEN}) < ${OPEN};
    create index balance_id_block_range on sgd1.balance using gist (id, block_range);
    create index attr_token on sgd1.balance using gist (token, block_range);
    create index attr_balance on sgd1.balance (balance)`);
  await db.unsafe("vacuum (analyze) sgd1.balance");
}

/** Without a limit, which its interface does not allow. graph-node plans every such query again, and this text is planned again, too. */
export const wholeOf = (token: number, block: number): string => `
  select account, balance as amount from sgd1.balance
   where token = ${tokenAddress(String(token))} and block_range @> ${block}`;

const PAGE = 1_000;

/** Reads as a client must: a thousand at a time, by id. Resolves to the number of pages. */
export async function readPaged(
  db: Sql,
  input: { token: number; block: number },
  take: (row: { account: Buffer; amount: string }) => void,
): Promise<number> {
  let after = "''";
  for (let pages = 1; ; pages++) {
    const rows = await db.unsafe<{ id: string; account: Buffer; amount: string }[]>(`
      select encode(id, 'hex') as id, account, balance as amount from sgd1.balance
       where token = ${tokenAddress(String(input.token))} and block_range @> ${input.block} and id > ${after}
       order by id limit ${PAGE}`);
    for (const row of rows) take(row);
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return pages;
    after = `decode('${last.id}', 'hex')`;
  }
}

/** Ids of the balances in temporary table `batch` (token, account, …), as a literal of bytea[]. */
export async function idsOfBatch(db: Sql): Promise<string> {
  const rows = await db.unsafe<{ id: string }[]>(`select encode(${idOf("token", "account")}, 'hex') as id from batch`);
  return `{${rows.map(({ id }) => `"\\\\x${id}"`).join(",")}}`;
}

/** New versions at `block` of the balances in temporary table `batch` (token, account, balance), as a batch is flushed. */
export async function writeBatch(db: Sql, { block, ids }: { block: number; ids: string }): Promise<void> {
  await db.unsafe("begin");
  await db.unsafe(
    `update sgd1.balance set block_range = int4range(lower(block_range), ${block})
      where id = any($1::bytea[]) and block_range @> ${OPEN}`,
    [ids],
  );
  await db.unsafe(`
    insert into sgd1.balance (block_range, id, token, account, balance)
    select int4range(${block}, null), ${idOf("token", "account")}, ${tokenAddress("token")}, account, balance from batch`);
  await db.unsafe("commit");
}
