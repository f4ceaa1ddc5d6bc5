// Ponder's cache under another list of factories: what they announced is known there, too.
import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { shareAnnounced } from "../../launcher/ponder/announced-contracts.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let sql: postgres.Sql;

const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`;
const [FACTORY, OTHER, THIRD] = [address("a"), address("b"), address("c")];
const [POOL, OTHER_POOL, LATER_POOL] = [address("1"), address("2"), address("3")];
const CREATED = `0x${"e".repeat(64)}`;

beforeAll(async () => {
  database = await startTestDatabase();
  ({ sql } = database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  // as Ponder 0.17.7 makes them
  await sql.unsafe(`
    drop schema if exists ponder_sync cascade; create schema ponder_sync;
    create table ponder_sync.factories (id int primary key generated always as identity, factory jsonb not null unique);
    create table ponder_sync.factory_addresses (id int primary key generated always as identity, factory_id int not null,
      chain_id int8 not null, block_number int8 not null, address text not null);
    create table ponder_sync.logs (chain_id int8, block_number int8, log_index int4, address varchar(42), topic0 varchar(66),
      data text, primary key (chain_id, block_number, log_index))`);
});

const listOf = (addresses: readonly string[], fromBlock = 5) => ({
  ...{ type: "log", chainId: 31337, address: addresses, eventSelector: CREATED },
  ...{ childAddressLocation: "offset32", fromBlock },
});

/** What Ponder keeps once it has read these factories: `announced` names factory, pool and block. */
async function read(factories: readonly string[], announced: readonly (readonly [string, string, number])[]) {
  const [list] =
    await sql`insert into ponder_sync.factories (factory) values (${sql.json(listOf(factories))}) returning id`;
  for (const [factory, pool, block] of announced) {
    await sql`insert into ponder_sync.factory_addresses (factory_id, chain_id, block_number, address)
              values (${list?.id}, 31337, ${block}, ${pool})`;
    const data = `0x${"0".repeat(62)}0a${"0".repeat(24)}${pool.slice(2)}`;
    await sql`insert into ponder_sync.logs values (31337, ${block}, 0, ${factory}, ${CREATED}, ${data}) on conflict do nothing`;
  }
}

const knownTo = async (factories: readonly string[]) => {
  const rows = await sql`
    select address, block_number::int as block from ponder_sync.factory_addresses
     where factory_id = (select id from ponder_sync.factories where factory = ${sql.json(listOf(factories))})
     order by block_number`;
  return rows.map(({ address: pool, block }) => [pool, block]);
};

it("the cache knows what the factories left in a list have announced, and nothing of those that were taken out", async () => {
  await read(
    [FACTORY, OTHER],
    [
      [FACTORY, POOL, 7],
      [OTHER, OTHER_POOL, 8],
    ],
  );
  expect(await shareAnnounced(sql, 31337, { addresses: [FACTORY], startBlock: 5 })).toBe(1);
  expect(await knownTo([FACTORY])).toEqual([[POOL, 7]]);
  expect(await shareAnnounced(sql, 31337, { addresses: [FACTORY], startBlock: 5 })).toBe(0);
});

it("the cache knows for a list that is used again what was announced while another one was read", async () => {
  await read([FACTORY, OTHER], [[FACTORY, POOL, 7]]);
  await read(
    [FACTORY, OTHER, THIRD],
    [
      [FACTORY, POOL, 7],
      [OTHER, LATER_POOL, 90],
      [THIRD, OTHER_POOL, 91],
    ],
  );
  expect(await shareAnnounced(sql, 31337, { addresses: [FACTORY, OTHER], startBlock: 5 })).toBe(1);
  expect(await knownTo([FACTORY, OTHER])).toEqual([
    [POOL, 7],
    [LATER_POOL, 90],
  ]);
});

it("the cache changes nothing for the only list there is, for lists of other starts, and before Ponder has a cache", async () => {
  await read([FACTORY], [[FACTORY, POOL, 7]]);
  expect(await shareAnnounced(sql, 31337, { addresses: [FACTORY], startBlock: 5 })).toBe(0);
  expect(await shareAnnounced(sql, 31337, { addresses: [FACTORY, OTHER], startBlock: 6 })).toBe(0);
  expect(await shareAnnounced(sql, 31337, { addresses: [], startBlock: 5 })).toBe(0);
  await sql`drop schema ponder_sync cascade`;
  expect(await shareAnnounced(sql, 31337, { addresses: [FACTORY], startBlock: 5 })).toBe(0);
});
