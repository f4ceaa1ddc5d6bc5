// Blocks that were replaced are noticed once, however the rows come and go in between.
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BlockMemory, createReorgWatch, MOST_WATCHED, type SeenBlock } from "../../fold/reorg-watch.ts";
import { deploymentDdl } from "../../fold/tables.ts";
import { createFactTables, hashOf, insertBlocks } from "../support/index-fixture.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const chain = (from: number, to: number, fork = "a"): SeenBlock[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ number: from + i, hash: `${fork}${from + i}` }));

describe("the memory of blocks", () => {
  it("takes a growing chain for what it is", () => {
    const memory = new BlockMemory();
    expect(memory.see([])).toBeUndefined();
    expect(memory.see(chain(1, 5))).toBeUndefined();
    expect(memory.see(chain(3, 9))).toBeUndefined();
  });

  it("tells the first replaced block and how many there were, once", () => {
    const memory = new BlockMemory();
    memory.see(chain(1, 10));
    const after = [...chain(1, 7), ...chain(8, 9, "b")];
    expect(memory.see(after)).toEqual({ block: 8, hash: "b8", depth: 3 });
    expect(memory.see(after)).toBeUndefined();
    expect(memory.see([...after, ...chain(10, 11, "b")])).toBeUndefined();
  });

  it("remembers blocks that are away for a while", () => {
    const memory = new BlockMemory();
    memory.see(chain(1, 10));
    expect(memory.see(chain(1, 4))).toBeUndefined();
    expect(memory.see(chain(1, 10))).toBeUndefined();
    expect(memory.see(chain(1, 4))).toBeUndefined();
    expect(memory.see([...chain(1, 4), ...chain(5, 6, "b")])).toEqual({ block: 5, hash: "b5", depth: 6 });
    expect(memory.see([...chain(1, 4), ...chain(5, 10, "b")])).toBeUndefined();
  });

  it("forgets what is too far below", () => {
    const memory = new BlockMemory();
    memory.see(chain(1, 2 * MOST_WATCHED));
    expect(memory.see(chain(1, 1, "b"))).toBeUndefined();
    expect(memory.see(chain(MOST_WATCHED + 1, MOST_WATCHED + 1, "b"))).toMatchObject({ depth: MOST_WATCHED });
  });
});

describe("the watch over the facts", () => {
  const SCHEMA = "facts_watched";
  let database: TestDatabase;
  /** The fold's: one connection, on which it opens its transactions. */
  let reader: Sql;
  beforeAll(async () => {
    database = await startTestDatabase();
    reader = postgres(database.url, { max: 1, onnotice: () => {} });
    await createFactTables(database.sql, SCHEMA);
    await database.sql.unsafe(deploymentDdl);
  });
  afterAll(async () => {
    await reader.end({ timeout: 2 });
    await database.stop();
  });

  it("writes down what was replaced, and survives facts that are gone", async () => {
    const { sql } = database;
    const watch = createReorgWatch(reader, { chainId: 31337, ponderSchema: SCHEMA, log: pino({ level: "silent" }) });
    await insertBlocks(sql, SCHEMA, { from: 1, to: 20 });
    await watch.look(20);
    await sql`delete from ${sql(SCHEMA)}.block where number > 17`;
    await insertBlocks(sql, SCHEMA, { from: 18, to: 21, fork: 1 });
    await watch.look(21);
    await watch.look(21);
    const written = await sql`select chain_id::int, block, hash, depth from tidemark.reorg`;
    expect([...written]).toEqual([{ chain_id: 31337, block: 18, hash: hashOf(18, 1), depth: 3 }]);
    await sql`drop schema ${sql(SCHEMA)} cascade`;
    await expect(watch.look(22)).resolves.toBeUndefined();
  });
});
