// The fold of Uniswap v3 against the reducer run through in one go: whatever the facts, wherever batches are cut and
// however often the fold is killed, its rows as of every block are the reducer's state at that block.
import { pino } from "pino";
import type { ReservedSql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finalFacts } from "../../fold/facts/fact-source.ts";
import { type StepSequence, sequence } from "../../fold/sequential-step.ts";
import { foldIndexesDdl, foldTablesDdl } from "../../fold/tables.ts";
import { V3Step } from "../../fold/v3/step.ts";
import { emptySchema } from "../support/emptied-schema.ts";
import { createFactTables, hashOf, insertBlocks } from "../support/index-fixture.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { DEPLOYMENTS, randomV3History, type V3History } from "./random-v3-history.ts";
import { insertV3Facts, insertV3Pools, type LoggedFact } from "./v3-fact-tables.ts";
import { readSpans, readV3Tables, sorted, stateAt, statesByReducer } from "./v3-states.ts";

const SCHEMAS = { ponder: "facts_v3", fold: "fold_v3" };
const log = pino({ level: "silent" });

let database: TestDatabase;
let db: ReservedSql;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.sql.reserve();
});
afterAll(async () => {
  db?.release();
  await database?.stop();
});

async function writeHistory({ pools, facts, head }: V3History): Promise<void> {
  const { sql } = database;
  if (!(await emptySchema(sql, SCHEMAS.ponder))) await createFactTables(sql, SCHEMAS.ponder);
  await insertBlocks(sql, SCHEMAS.ponder, { from: 0, to: head });
  const created = pools.map((pool) => pool.created);
  await insertV3Pools(sql, SCHEMAS.ponder, created);
  await insertV3Facts(sql, SCHEMAS.ponder, facts);
}

const newSteps = (): StepSequence =>
  sequence(db, SCHEMAS.fold, [new V3Step(db, { schemas: SCHEMAS, deployments: DEPLOYMENTS, log })]);

async function newFold(): Promise<void> {
  if (!(await emptySchema(db, SCHEMAS.fold)))
    await db.unsafe(`${foldTablesDdl(SCHEMAS.fold)}${foldIndexesDdl(SCHEMAS.fold)}`);
}

const isInitialize = (pool: string) => (logged: LoggedFact) =>
  logged.fact.kind === "initialize" && logged.contract === pool;

/** What the chain reader stores for kodiak pools. */
async function storeInitialFees({ pools, facts }: V3History): Promise<void> {
  for (const { constants, deployment } of pools) {
    const block = facts.find(isInitialize(constants.pool))?.fact.block;
    if (deployment.flavour !== "kodiak" || block === undefined) continue;
    await db`insert into ${db(SCHEMAS.fold)}.v3_pool_fee values (${Buffer.from(constants.pool.slice(2), "hex")},
      ${constants.initialFeeProtocol0}, ${constants.initialFeeProtocol1}, ${block}, ${hashOf(block)}, 'slot0')`;
  }
}

interface Cutting {
  /** Last block of each batch, ascending. */
  cuts: readonly number[];
  /** A new process for every batch. */
  isKilledOften?: boolean;
  /** Batches (by number) whose transaction fails once. */
  failing?: readonly number[];
}

async function foldBatches(history: V3History, { cuts, isKilledOften, failing = [] }: Cutting): Promise<void> {
  await newFold();
  await storeInitialFees(history);
  let steps = newSteps();
  let after = -1;
  for (const [index, upTo] of cuts.entries()) {
    if (isKilledOften) steps = newSteps();
    expect(await steps.readyUpTo({ after, upTo })).toBe(upTo);
    if (failing.includes(index)) {
      await steps.stage({ after, upTo }, finalFacts(db, SCHEMAS));
      await steps.take({ after, upTo }, finalFacts(db, SCHEMAS));
      await db.unsafe("begin");
      await steps.write();
      await db.unsafe("rollback");
    }
    await steps.stage({ after, upTo }, finalFacts(db, SCHEMAS));
    await steps.take({ after, upTo }, finalFacts(db, SCHEMAS));
    await db.unsafe("begin");
    await steps.write();
    await db.unsafe("commit");
    steps.keep();
    after = upTo;
  }
}

const everyBlock = ({ head }: V3History): number[] => Array.from({ length: head + 1 }, (_, block) => block);

describe("the fold of v3", () => {
  it.each(["a", "b", "c"])("says at every block what the reducer holds then (history %s)", async (seed) => {
    const history = randomV3History(`fold/${seed}`, { blocks: 150, pools: 6 });
    const states = statesByReducer(history);
    await writeHistory(history);
    await foldBatches(history, { cuts: [history.head] });
    const spans = await readSpans(db, SCHEMAS.fold);
    expect(spans.length).toBeGreaterThan(500);
    let state: ReadonlyMap<string, string> = new Map();
    for (let block = 0; block <= history.head; block += 1) {
      const changed = states.get(block);
      // the block before the next change has the same rows as the block of the last
      if (changed === undefined && !states.has(block + 1)) continue;
      state = changed ?? state;
      expect(sorted(stateAt(spans, block)), `block ${block}`).toEqual(sorted(state));
    }
    for (const { from, to, lvl } of spans) if (lvl !== null) expect(lvl).toBe(Math.floor(Math.log2(to - from)));
  });

  it("writes the same rows block by block, in odd batches, after kills and after failed transactions", async () => {
    const history = randomV3History("fold/cuts", { blocks: 120, pools: 6 });
    await writeHistory(history);
    await foldBatches(history, { cuts: [history.head] });
    const whole = await readV3Tables(db, SCHEMAS.fold);
    expect(whole.v3_nft_interval?.length).toBeGreaterThan(20);
    const blocks = [...new Set(history.facts.map(({ fact }) => fact.block))];
    await foldBatches(history, {
      cuts: everyBlock(history).filter((block) => block % 50 === 0 || blocks.includes(block)),
    });
    expect(await readV3Tables(db, SCHEMAS.fold)).toEqual(whole);
    const odd = [...blocks.filter((_, index) => index % 7 === 3 || index % 5 === 0), history.head];
    await foldBatches(history, { cuts: odd, isKilledOften: true });
    expect(await readV3Tables(db, SCHEMAS.fold)).toEqual(whole);
    await foldBatches(history, { cuts: odd, failing: [0, 3, 4, 9] });
    expect(await readV3Tables(db, SCHEMAS.fold)).toEqual(whole);
  });
});

/** The history with one swap, in its middle, whose event reports another end. */
function corrupted(history: V3History): { history: V3History; victim: LoggedFact } {
  const swaps = history.facts.filter(({ fact }) => fact.kind === "swap");
  const victim = swaps[Math.floor(swaps.length / 3)]!;
  const facts = history.facts.map((logged) =>
    logged === victim ? { ...logged, fact: { ...logged.fact, tick: 12_345 } as LoggedFact["fact"] } : logged,
  );
  return { history: { ...history, facts }, victim };
}

describe("a fact that cannot be", () => {
  it("stops its pool where it is, and no other, however batches are cut", async () => {
    const sound = randomV3History("fold/stop", { blocks: 120, pools: 4 });
    const { history, victim } = corrupted(sound);
    const { block, logIndex } = victim.fact;
    const id = sound.pools.findIndex(({ constants }) => constants.pool === victim.contract) + 1;
    await writeHistory(sound);
    await foldBatches(sound, { cuts: [sound.head] });
    const before = await readV3Tables(db, SCHEMAS.fold);

    await writeHistory(history);
    await foldBatches(history, { cuts: [history.head] });
    const whole = await readV3Tables(db, SCHEMAS.fold);
    const [stopped, ...others] = await db.unsafe(
      `select * from ${SCHEMAS.fold}.v3_pool where stopped_block is not null`,
    );
    expect(others).toEqual([]);
    expect(stopped).toMatchObject({ id, stopped_block: block, stopped_log: logIndex, stopped_field: "tick" });
    expect(stopped).toMatchObject({ stopped_expected: "12345" });
    expect(stopped?.stopped_replayed).toMatch(/^-?\d+$/);

    const of = (isVictim: boolean) => (row: string) => row.endsWith(victim.contract.slice(2)) === isVictim;
    for (const table of ["v3_pool", "v3_pool_current", "v3_pool_interval", "v3_tick_interval", "v3_position_current"])
      expect(whole[table]?.filter(of(false)), table).toEqual(before[table]?.filter(of(false)));
    const spans = await readSpans(db, SCHEMAS.fold);
    const ofVictim = spans.filter(({ key }) => key.includes(` ${victim.contract}`));
    expect(ofVictim.length).toBeGreaterThan(5);
    expect(Math.max(...ofVictim.map(({ from }) => from))).toBeLessThanOrEqual(block);

    const states = statesByReducer(history);
    for (const [at, state] of states) expect(sorted(stateAt(spans, at)), `block ${at}`).toEqual(sorted(state));
    const blocks = [...states.keys()];
    await foldBatches(history, { cuts: blocks, isKilledOften: true });
    expect(await readV3Tables(db, SCHEMAS.fold)).toEqual(whole);
  });
});

describe("a pool with facts, but without its creation", () => {
  it("is recorded as missing, and changes nothing of the others", async () => {
    const whole = randomV3History("fold/uncreated", { blocks: 60, pools: 4 });
    await writeHistory(whole);
    await foldBatches(whole, { cuts: [whole.head] });
    const before = await readV3Tables(db, SCHEMAS.fold);

    const { pool } = whole.pools.at(-1)!.constants;
    const history = { ...whole, pools: whole.pools.slice(0, -1) };
    await writeHistory(history);
    await foldBatches(history, { cuts: [20, history.head], isKilledOften: true });
    const after = await readV3Tables(db, SCHEMAS.fold);
    for (const [table, rows] of Object.entries(before)) {
      const others = rows.filter((row) => !row.endsWith(pool.slice(2)));
      expect(others.length, table).toBeLessThan(rows.length);
      expect(after[table], table).toEqual(others);
    }
    const missing = await db.unsafe(`select * from ${SCHEMAS.fold}.missing_history where kind = 'v3-pool'`);
    const { block } = history.facts.find(isInitialize(pool))!.fact;
    expect(missing).toMatchObject([{ contract: Buffer.from(pool.slice(2), "hex"), block }]);
  });
});

describe("a kodiak pool whose initial protocol fee is not read", () => {
  it("holds the fold back before its Initialize, and says so", async () => {
    const history = randomV3History("fold/wait", { blocks: 20, pools: 2 });
    const kodiak = history.pools.find(({ deployment }) => deployment.flavour === "kodiak")!;
    const block = history.facts.find(isInitialize(kodiak.constants.pool))!.fact.block;
    await writeHistory(history);
    await newFold();
    const steps = newSteps();
    const range = { after: -1, upTo: history.head };
    expect(await steps.readyUpTo(range)).toBe(block - 1);
    const [waiting] = await db.unsafe(`select * from ${SCHEMAS.fold}.waiting`);
    expect(waiting).toMatchObject({ step: "v3", block });
    expect(waiting?.reason).toContain(kodiak.constants.pool);
    await storeInitialFees(history);
    // read on another branch of the chain
    await db.unsafe(`update ${SCHEMAS.fold}.v3_pool_fee set block_hash = '${hashOf(block, 1)}'`);
    expect(await steps.readyUpTo(range)).toBe(block - 1);
    await db.unsafe(`update ${SCHEMAS.fold}.v3_pool_fee set block_hash = '${hashOf(block)}'`);
    expect(await steps.readyUpTo(range)).toBe(history.head);
    expect(await db.unsafe(`select * from ${SCHEMAS.fold}.waiting`)).toEqual([]);
  });
});
