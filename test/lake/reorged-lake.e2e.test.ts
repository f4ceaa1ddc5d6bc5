// Two whole products on one real chain. The first one follows it while newest blocks are replaced and its parts are killed, and
// writes its lake meanwhile; the second comes when all is over, with a database, an index and a lake of its own. `npm run chaos` does
// the same with every fault there is, on a plainer chain.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainFolder } from "../../core/lake/paths.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { type SeededDevnet, startSeededDevnet } from "../../devnet/seeded.ts";
import { readManifest } from "../../lake/manifest.ts";
import { readFinalIndex } from "../../lake/read-index.ts";
import { freePort } from "../../machine/ports.ts";
import { type ComparedLakes, compareLakes } from "../../trials/faults/lake-comparison.ts";
import { createProduct, type Product } from "../../trials/faults/product.ts";
import { chainListingTwice } from "../support/listed-twice.ts";
import { sized } from "../support/sized.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { BranchingDevnet } from "./branching-devnet.ts";

/** Far enough into the scenario for somebody to have a stake in every kind of vault. */
const STEPS = 440;
const ACT_CHANCE = 0.6;
/** Of each reorg, and what is killed just before. */
const REORGS: readonly [number, "fold" | "lake" | "ponder"][] = [
  [20, "fold"],
  [8, "ponder"],
  [15, "lake"],
  ...sized<[number, "fold" | "lake"][]>({
    some: [],
    whole: [
      [1, "lake"],
      [4, "fold"],
    ],
  }),
];
/** How many blocks follow, for most of the replaced ones to become final. */
const BLOCKS_AFTER = 40;
const PATIENCE_MS = 240_000;

let devnet: SeededDevnet;
let branching: BranchingDevnet;
let database: TestDatabase;
let folder: string;
let product: Product;
/** The last block that was there before the first reorg. */
let firstFork: number;
/** The last block that the writer had come to by itself. */
let followedTo: number;
let compared: ComparedLakes;

async function waitFor(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await isTrue()); await sleep(50))
    if (Date.now() > deadline) throw new Error(`${what}: not in time; logs in ${product.logFolder}`);
}

/** Resolves when the fold has the head. */
const waitSynced = () =>
  waitFor(`block ${branching.head} folded`, async () => {
    const { sql } = database;
    const index = await readFinalIndex(sql, product.chainId);
    if (index === undefined) return false;
    const [row] = await sql`
      select m.head = ${branching.head} and b.hash = ${branching.headHash} as "isThere"
        from ${sql(index.foldSchema)}.meta m, ${sql(index.ponderSchema)}.block b where b.number = ${branching.head}`;
    return row?.isThere === true;
  });

const segments = async () =>
  (await readManifest(chainFolder(product.lakeFolder, product.chainId)))?.segments.map(({ last }) => last) ?? [];

async function liveThrough(): Promise<void> {
  const random = seedRandom("reorged lake");
  firstFork = branching.head;
  for (const [depth, killed] of REORGS) {
    await branching.mine(random.between(20, 26));
    await waitSynced();
    await product[killed].crash();
    await branching.replace(depth);
    if (random.chance(0.5)) await product.lake.crash();
    await waitSynced();
  }
  await branching.mine(BLOCKS_AFTER);
  await waitSynced();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-reorged-"));
  const logFolder = join(folder, "logs");
  mkdirSync(logFolder);
  [devnet, database] = await Promise.all([
    startSeededDevnet({ port: await freePort(), steps: STEPS }),
    startTestDatabase(),
  ]);
  branching = new BranchingDevnet(devnet, ACT_CHANCE);
  const chainFile = join(folder, "chain.json");
  const lake = { segmentBlocks: 5, segmentTransfers: 200 };
  writeFileSync(chainFile, JSON.stringify(chainListingTwice(devnet.world.stage, { lake })));
  product = createProduct({
    ...{ databaseUrl: database.url, rpcUrl: devnet.rpcUrl, chainFile, logFolder },
    ...{ lakeFolder: join(folder, "lake"), ponderPort: await freePort() },
  });
  for (const part of [product.fold, product.lake]) part.start();
  await product.restartPonder();
  product.ponder.isSupervised = true;
  await waitSynced();
  await liveThrough();
  product.ponder.isSupervised = false;
  await waitFor("a segment of replaced blocks", async () => ((await segments()).at(-1) ?? 0) > firstFork);
  followedTo = (await segments()).at(-1) ?? 0;
  compared = await compareLakes({ product, rpcUrl: devnet.rpcUrl, head: branching.head });
  console.log(`lake: ${compared.figures}`);
}, 900_000);
afterAll(async () => {
  await product?.kill();
  await database?.stop();
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the lake of a chain with reorgs", () => {
  it("is byte for byte that of an index of its own that saw no reorg and no kill", () => {
    expect(compared.differences).toEqual([]);
  });

  it("was followed through reorgs that the fold saw, and holds what took the place of replaced blocks", async () => {
    const seen = ["blocks were replaced", "the chain was cut back"].map((text) => product.fold.saying(text).length);
    const after = (await segments()).filter((last) => last > firstFork);
    console.log(
      `${seen.join(" and ")} replacements and cuts seen; followed to block ${followedTo}, forks from ${firstFork} on`,
    );
    expect((seen[0] ?? 0) + (seen[1] ?? 0)).toBeGreaterThan(REORGS.length / 2);
    expect(followedTo).toBeGreaterThan(firstFork);
    expect(after.length).toBeGreaterThanOrEqual(3);
  });
});
