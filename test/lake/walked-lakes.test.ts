// Lakes of a chain's final blocks, by indexes that came to them in different ways: reorgs, kills, restarts, batches of any size,
// tokens that break before or after a segment is written.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { histories } from "../../core/history/histories.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { filesOf, type Manifest, type SegmentEntry } from "../../lake/manifest.ts";
import { RandomWalk } from "../fold/reorgs/random-walk.ts";
import { switchGateways } from "../support/index-fixture.ts";
import { makeLake, type TestLake } from "../support/lake.ts";
import { sized } from "../support/sized.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { type Duck, openReader, segmentOf, stateInIndex, stateInLake } from "./lake-states.ts";

const REORGS = sized({ some: 32, whole: 45 });
const EVENTS_PER_SEGMENTS = 4;
const COMPARED_BLOCKS = 40;
const SEEDS = sized({ some: ["lakes 1"], whole: ["lakes 1", "lakes 2"] });

const chain = { chainId: 31337, name: "walk", lake: { segmentBlocks: 3, segmentTransfers: 4 } };
const followed = { chainId: 31337, ponderSchema: "facts_walk", foldSchema: "fold_walk" };
/** The same branch, folded in sets alone. */
const inSets = { chainId: 31337, ponderSchema: "facts_truth", foldSchema: "fold_final" };

interface Walked {
  database: TestDatabase;
  /** Written while the walk went on. */
  alongside: TestLake;
  /** Written when it had ended, from the same index and from another one. */
  afterwards: TestLake;
  other: TestLake;
}

async function walk(seed: string): Promise<Walked> {
  const database = await startTestDatabase();
  const walked = new RandomWalk(database, seed);
  let lake: string | undefined;
  const write = async () => {
    await switchGateways(database.sql, followed);
    const made = await makeLake(database.url, chain, lake);
    lake = made.lake;
    return made;
  };
  try {
    await walked.begin();
    while (walked.counts.reorgs < REORGS) {
      expect(await walked.step()).toEqual([]);
      if (walked.counts.events % EVENTS_PER_SEGMENTS === 0) await write();
    }
    expect(await walked.compare()).toEqual([]);
    const alongside = await write();
    const afterwards = await makeLake(database.url, chain);
    await switchGateways(database.sql, inSets);
    const other = await makeLake(database.url, chain);
    return { database, alongside, afterwards, other };
  } finally {
    await walked.end();
  }
}

interface BrokenToken {
  token: string;
  first: number;
  block: number;
}

/** Of its holders and its supply. */
async function rowsOfToken(
  duck: Duck,
  { folder, segment, token }: { folder: string; segment: SegmentEntry; token: string },
): Promise<number> {
  let rows = 0;
  for (const { path } of segment.files.filter(({ dataset }) => dataset.startsWith("holding_"))) {
    const text = `select count(*)::int4 as n from '${folder}/${path}'
      where ledger = 'erc20' and token = '${token}' or ledger = 'supply' and account = '${token}'`;
    rows += Number((await duck.rows(text))[0]?.n);
  }
  return rows;
}

const hashes = (segments: Manifest["segments"]) => filesOf({ segments }).map(({ path, sha256 }) => `${sha256} ${path}`);

describe.each(SEEDS)("lakes of one chain (%s)", (seed) => {
  let walked: Walked;

  beforeAll(async () => {
    walked = await walk(seed);
  }, 1_200_000);
  afterAll(async () => {
    for (const lake of [walked?.alongside, walked?.afterwards, walked?.other]) lake?.remove();
    await walked?.database.stop();
  });

  it("are byte for byte the same, whether written while the chain grew or in one go", () => {
    const { alongside, afterwards } = walked;
    expect(alongside.manifest.segments.length).toBeGreaterThan(4);
    for (const name of ["manifest.json", "SHA256SUMS"])
      expect(readFileSync(join(alongside.folder, name), "utf8")).toBe(
        readFileSync(join(afterwards.folder, name), "utf8"),
      );
  });

  it("are byte for byte the same from an index that never saw a reorg", () => {
    const { afterwards, other } = walked;
    const common = afterwards.manifest.segments.length;
    expect(other.manifest.segments.length).toBeGreaterThanOrEqual(common);
    expect(hashes(other.manifest.segments.slice(0, common))).toEqual(hashes(afterwards.manifest.segments));
  });

  it("have of every history at any block what PostgreSQL has", async () => {
    const { other, database } = walked;
    const random = seedRandom(`${seed}/asked`);
    const broken = await database.sql`
      select a.kind, '0x' || encode(a.key, 'hex') as token from fold_final.quarantine q join fold_final.asset a on a.id = q.asset`;
    const tokens = broken.map(({ token }) => `'${token}'`).join(", ") || "''";
    const ofBroken = `ledger = 'erc20' and token in (${tokens}) or ledger = 'supply' and account in (${tokens})`;
    const last = other.manifest.segments.at(-1)!.last;
    const duck = await openReader();
    const rows: Record<string, number> = {};
    for (let i = 0; i < COMPARED_BLOCKS; i += 1) {
      const block = random.between(0, last);
      const segment = segmentOf(other.manifest, block)!;
      for (const history of histories) {
        const unless = history.name === "holding" ? ofBroken : "false";
        const place = { folder: other.folder, segment, history: history.name };
        const expected = await stateInIndex(database.sql, { foldSchema: "fold_final", history, block });
        expect(await stateInLake(duck, place, { block, unless }), `${history.name} at ${block}`).toEqual(expected);
        rows[history.name] = (rows[history.name] ?? 0) + expected.length;
      }
    }
    duck.close();
    expect(Object.entries(rows).filter(([, n]) => n === 0)).toEqual([]);
  });

  it("have the rows of a token that broke in files of blocks before, and none later", async () => {
    const { other, database } = walked;
    const broken = await database.sql<BrokenToken[]>`
      select '0x' || encode(a.key, 'hex') as token, a.first_block as first, q.block
        from fold_final.quarantine q join fold_final.asset a on a.id = q.asset where a.kind = 'erc20'`;
    expect(broken.length).toBeGreaterThan(0);
    const duck = await openReader();
    const [before, after] = [[] as number[], [] as number[]];
    for (const token of broken)
      for (const segment of other.manifest.segments) {
        const rows = await rowsOfToken(duck, { folder: other.folder, segment, ...token });
        (segment.last < token.block ? before : after).push(rows);
      }
    duck.close();
    expect(Math.max(...before)).toBeGreaterThan(0);
    expect(Math.max(...after)).toBe(0);
  });
});
