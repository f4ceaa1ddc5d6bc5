// The law of the fold: after any history of reorgs, kills and restarts its tables are those of a fold that saw only the
// final chain, row for row. `REORG_WALKS=25` walks as many ways, of twenty reorgs each; `REORG_SEED` begins at one of them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sized } from "../support/sized.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { RandomWalk } from "./reorgs/random-walk.ts";

const CHOSEN = process.env.REORG_WALKS;
const WALKS = Number(CHOSEN ?? sized({ some: 0, whole: 2 }));
const FIRST = Number(process.env.REORG_SEED ?? 1);
const REORGS = 20;
const EVENTS_PER_COMPARISON = 10;

let database: TestDatabase;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database?.stop());

async function walk(seed: string): Promise<RandomWalk> {
  const walked = new RandomWalk(database, seed);
  const about = () => `seed ${seed}, event ${walked.counts.events}: ${walked.story.slice(-12).join("; ")}`;
  try {
    await walked.begin();
    while (walked.counts.reorgs < REORGS) {
      expect(await walked.step(), about()).toEqual([]);
      if (walked.counts.events % EVENTS_PER_COMPARISON === 0) expect(await walked.compare(), about()).toEqual([]);
    }
    expect(await walked.compare(), about()).toEqual([]);
  } catch (error) {
    if (error instanceof Error && !error.message.includes(seed)) error.message = `${about()}: ${error.message}`;
    throw error;
  } finally {
    await walked.end();
  }
  return walked;
}

describe("a fold that follows a chain", () => {
  const rows: Record<string, number> = {};
  const seeds = Array.from({ length: WALKS }, (_, i) => `reorgs ${FIRST + i}`);
  // a turn fails that has just found other facts of a block; an island stops in the block of its creation
  if (CHOSEN === undefined) seeds.push("reorgs 20", "reorgs 21");

  it.each(seeds)(
    "has the tables of the branch that it names, whatever came before (%s)",
    {
      timeout: 1_200_000,
    },
    async (seed) => {
      const { counts } = await walk(seed);
      if (CHOSEN !== undefined) console.log(JSON.stringify(counts));
      for (const [table, n] of Object.entries(counts.rows)) rows[table] = Math.max(rows[table] ?? 0, n);
    },
  );

  it("has had rows in every table that was compared", () => {
    expect(Object.keys(rows)).not.toEqual([]);
    expect(Object.keys(rows).filter((table) => rows[table] === 0)).toEqual([]);
  });
});
