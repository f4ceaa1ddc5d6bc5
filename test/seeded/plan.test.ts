// What a plan says an index will ask of its node, against what `npm start` asked of the seeded devnet, counted on the way.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Counts, countOf, KINDS, startCountingNode, sumOf } from "../../bench/scale/counting-node.ts";
import { startProduct } from "../../bench/scale/product.ts";
import { indexSizes, rowsOf, sumOver, type TableSizes } from "../../bench/scale/table-sizes.ts";
import { makePlan } from "../../plan/make-plan.ts";
import { figuresOf, readMeasured } from "../../plan/measured.ts";
import { readOptions } from "../../plan/options.ts";
import type { Shown } from "../../plan/show.ts";
import { seeded, seededChain } from "./seeded-index.ts";

/** Ponder's allowance for a node on the same machine, at the start. */
const RATE = 500;

let folder: string;
let counts: Counts;
let sizes: TableSizes;
let plan: Shown;
let secondsTaken: number;

async function onNewDatabase<T>(use: (place: { databaseUrl: string; sql: Sql }) => Promise<T>): Promise<T> {
  const admin = postgres(seeded.databaseUrl, { max: 1, onnotice: () => {} });
  const name = `plan_${Date.now()}`;
  await admin.unsafe(`create database ${name}`);
  const databaseUrl = Object.assign(new URL(seeded.databaseUrl), { pathname: `/${name}` }).href;
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await use({ databaseUrl, sql });
  } finally {
    await sql.end({ timeout: 2 });
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end({ timeout: 2 });
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-plan-"));
  const chain = { ...seededChain(), pollingIntervalMs: 1_000 };
  const chainFile = join(folder, "chain.json");
  writeFileSync(chainFile, JSON.stringify(chain));
  const node = await startCountingNode(seeded.rpcUrl);
  try {
    const options = readOptions([
      ...["--chain", chainFile, "--rpc-url", seeded.rpcUrl, "--sample", "--rpc-rate", String(RATE), "--lake"],
    ])!;
    plan = await makePlan(options);
    await onNewDatabase(async ({ databaseUrl, sql }) => {
      const startedAt = performance.now();
      const product = await startProduct({ chain, rpcUrl: node.url, databaseUrl, sql });
      try {
        await product.settled(seeded.head);
        // settings of farms are read last
        await sleep(3_000);
        secondsTaken = (performance.now() - startedAt) / 1000;
        counts = node.take();
        sizes = await indexSizes(sql, product.schemas);
      } finally {
        await product.stop();
      }
    });
  } finally {
    await node.stop();
  }
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const planned = (method: string, why: string): number =>
  plan.plan.requests.byMethod.find((line) => line.method === method && line.why.includes(why))?.count ?? 0;

function expectWithin(counted: number, predicted: number, factor: number): void {
  expect(predicted).toBeGreaterThanOrEqual(counted / factor);
  expect(predicted).toBeLessThanOrEqual(counted * factor);
}

describe("the plan of the seeded devnet", () => {
  it("knows the blocks, and finds as many transfers by its sample as the index has, within a twentieth", () => {
    const { load } = plan.plan;
    expect(load.blocks).toBe(rowsOf(sizes, "facts.block"));
    expectWithin(rowsOf(sizes, "facts.erc20_transfer"), load.transfers, 1.05);
    expectWithin(rowsOf(sizes, "raw.transactions"), load.transactions, 1.1);
  });

  it("has the requests for blocks within a tenth, and those for logs within a quarter", () => {
    expectWithin(countOf(counts, KINDS.block), planned("eth_getBlockByNumber", "every block"), 1.1);
    expectWithin(countOf(counts, KINDS.logs), planned("eth_getLogs", "for a range"), 1.25);
  });

  it("has all requests within a quarter", () => {
    const { idlePerSecond, perPoll } = figuresOf(readMeasured()).requests;
    const polls = secondsTaken * (idlePerSecond + perPoll);
    console.info(`counted ${sumOf(counts)} in ${secondsTaken.toFixed(0)} s, planned ${plan.plan.requests.total}`);
    expectWithin(sumOf(counts) - polls, plan.plan.requests.total, 1.25);
  });

  it("has the bytes of Ponder's copy and of the facts within a quarter", () => {
    const bytes = (schema: string) => sumOver(sizes, (table) => table.startsWith(`${schema}.`)).bytes;
    for (const [schema, predicted] of [
      ["raw", plan.plan.postgres.raw],
      ["facts", plan.plan.postgres.facts],
    ] as const) {
      console.info(`${schema}: ${bytes(schema)} bytes, planned ${Math.round(predicted)}`);
      expectWithin(bytes(schema), predicted, 1.25);
    }
  });
});
