// The lake of the seeded devnet, with a history of every kind: as PostgreSQL has it at any block, and byte for byte the same from
// another fold of the same facts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { indexingOf } from "../../chains/indexing.ts";
import { sourcesText } from "../../chains/sources.ts";
import { everyFactTable } from "../../core/fact-tables.ts";
import { histories } from "../../core/history/histories.ts";
import { findingDatasets, historyDatasets, priceDataset } from "../../core/lake/datasets.ts";
import { readCopy, writeCopy } from "../../database/copies.ts";
import { undelayed } from "../../database/undelayed.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { foldBatch } from "../../fold/fold-batch.ts";
import { sequence } from "../../fold/sequential-step.ts";
import { deploymentDdl } from "../../fold/tables.ts";
import { RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import type { Address } from "../../gateway/parameters.ts";
import { pricesOf } from "../../gateway/questions/token-prices.ts";
import { openReader, segmentOf, stateInIndex, stateInLake } from "../lake/lake-states.ts";
import { createIndexedFold, setCheckpoint, stepsOfChain } from "../support/folded-index.ts";
import { createFactTables, switchGateways } from "../support/index-fixture.ts";
import { makeLake } from "../support/lake.ts";
import { sized } from "../support/sized.ts";
import { openSeededGateway, openSeededSql, type SeededLake, seeded, seededChain, seededLake } from "./seeded-index.ts";

const QUESTIONS = sized({ some: 100, whole: 1_000 });
const OTHER = "tidemark_other_fold";
const PRICED_HOURS = 10;
const BATCH_BLOCKS = sized({ some: [1, 7, 150, 400], whole: [1, 2, 7, 40, 200] });

const chain = seededChain();
let sql: Sql;
let lake: SeededLake;

beforeAll(async () => {
  sql = openSeededSql();
  lake = await seededLake();
});
afterAll(async () => {
  await sql?.end();
});

/** Copies the rows of tables of one schema into those of another database. */
async function copyTables(to: Sql, { from, into, tables }: { from: string; into: string; tables: readonly string[] }) {
  for (const table of tables)
    await readCopy(sql, `copy ${from}.${table} to stdout`, (rows) =>
      writeCopy(to, `copy ${into}.${table} from stdin`, rows),
    );
}

/** The seeded facts folded again, in batches of other sizes, with steps reading beside what is written. */
async function foldAnew(other: Sql): Promise<void> {
  const identity = {
    ...{ chainId: chain.chainId, firstBlock: 0, weth9: indexingOf(chain).weth9 },
    erc4626: indexingOf(chain).erc4626Vaults.addresses,
    ...{ ponderSchema: "facts_other", foldSchema: "fold_other", sources: sourcesText(chain) },
  };
  await other.unsafe(deploymentDdl);
  await createFactTables(other, identity.ponderSchema);
  await copyTables(other, { from: seeded.ponderSchema, into: identity.ponderSchema, tables: everyFactTable });
  await setCheckpoint(other, identity.ponderSchema, seeded.finalized + 1);
  await createIndexedFold(other, identity);
  const reads = ["v3_pool_fee", "island_settings", "token"];
  await copyTables(other, { from: seeded.foldSchema, into: identity.foldSchema, tables: reads });
  const [db, beside] = await Promise.all([other.reserve(), other.reserve()]);
  const schemas = { ponder: identity.ponderSchema, fold: identity.foldSchema };
  const steps = sequence(db, identity.foldSchema, stepsOfChain(chain)(db, schemas));
  const random = seedRandom("lake batches");
  for (let after = -1; after < seeded.finalized; ) {
    const upTo = Math.min(after + random.pick(BATCH_BLOCKS), seeded.finalized);
    after = (await foldBatch(db, { identity, steps, range: { after, upTo }, beside })).upTo;
  }
  db.release();
  beside.release();
  await switchGateways(other, identity);
}

describe("the lake of the devnet", () => {
  it("has rows of nearly every dataset", () => {
    const names = [
      ...everyFactTable,
      ...historyDatasets.flatMap(({ closed, open }) => [closed, open]),
      ...findingDatasets,
      priceDataset,
    ].map((one) => (typeof one === "string" ? one : one.name));
    const found = new Set(lake.manifest.segments.flatMap(({ files }) => files.map(({ dataset }) => dataset)));
    expect(Object.keys(lake.manifest.schema).sort()).toEqual([...names].sort());
    // nothing of the scenario stops a pool or an island
    expect(names.filter((name) => !found.has(name))).toEqual(["stopped"]);
    expect(lake.manifest.segments.length).toBeGreaterThan(3);
  });

  it(`answers ${QUESTIONS} random questions of states as PostgreSQL does`, async () => {
    const random = seedRandom("lake questions");
    const duck = await openReader();
    const last = lake.manifest.segments.at(-1)!.last;
    const broken = await sql.unsafe(
      `select '0x' || encode(a.key, 'hex') as token from ${seeded.foldSchema}.quarantine q join ${seeded.foldSchema}.asset a on a.id = q.asset`,
    );
    const tokens = broken.map(({ token }) => `'${token}'`).join(", ") || "''";
    const ofBroken = `ledger = 'erc20' and token in (${tokens}) or ledger = 'supply' and account in (${tokens})`;
    let compared = 0;
    for (let i = 0; i < QUESTIONS; i += 1) {
      const [block, history] = [random.between(0, last), random.pick(histories)];
      const place = { folder: lake.folder, segment: segmentOf(lake.manifest, block)!, history: history.name };
      const expected = await stateInIndex(sql, { foldSchema: seeded.foldSchema, history, block });
      const unless = history.name === "holding" ? ofBroken : "false";
      expect(await stateInLake(duck, place, { block, unless }), `${history.name} at ${block}`).toEqual(expected);
      compared += expected.length;
    }
    duck.close();
    expect(compared).toBeGreaterThan(50 * QUESTIONS);
  });

  it("has the gateway's prices at the last block of every full hour", async () => {
    const last = lake.manifest.segments.at(-1)!.last;
    const blocks = await sql.unsafe<{ number: number; timestamp: number }[]>(
      `select number, timestamp from ${seeded.foldSchema}.block where number <= ${last + 1} order by number`,
    );
    const hourOf = (block: { timestamp: number }) => Math.floor(block.timestamp / 3_600);
    const ends = blocks.filter((block, i) => i + 1 < blocks.length && hourOf(blocks[i + 1]!) > hourOf(block));
    const duck = await openReader();
    const rows = await duck.rows(`select * from '${lake.folder}/prices/*.parquet' order by block, token`);
    duck.close();
    const random = seedRandom("lake prices");
    const gateway = openSeededGateway();
    for (let i = 0; i < PRICED_HOURS; i += 1) {
      const { number, timestamp } = random.pick(ends);
      const scope = new RequestScope(gateway.service);
      const block = blockNumbered(number);
      const tokens = [...new Set(rows.map(({ token }) => token as Address))];
      const { prices } = await scope.run(pricesOf, { tokens, block });
      await scope.close();
      const expected = [...prices].map(([token, { usd, strategy }]) => `${token} ${usd} ${strategy}`).sort();
      const found = rows.filter((row) => row.block === number);
      expect(found.map(({ token, usd, strategy }) => `${token} ${usd} ${strategy}`)).toEqual(expected);
      expect(found.every(({ hour }) => hour === timestamp - (timestamp % 3_600))).toBe(true);
    }
    await gateway.close();
    expect(rows.length).toBeGreaterThan(100);
  });

  it("is byte for byte the same from another fold, made in batches of other sizes", async () => {
    await sql.unsafe(`drop database if exists ${OTHER} with (force)`);
    await sql.unsafe(`create database ${OTHER}`);
    const url = new URL(seeded.databaseUrl);
    url.pathname = `/${OTHER}`;
    const other = postgres(url.href, { max: 2, ...undelayed(), onnotice: () => {} });
    try {
      await foldAnew(other);
      const made = await makeLake(url.href, chain);
      const text = ({ folder }: SeededLake, name: string) => readFileSync(join(folder, name), "utf8");
      expect(text(made, "SHA256SUMS")).toBe(text(lake, "SHA256SUMS"));
      expect(text(made, "manifest.json")).toBe(text(lake, "manifest.json"));
      made.remove();
    } finally {
      await other.end();
      await sql.unsafe(`drop database ${OTHER} with (force)`);
    }
  });
});
