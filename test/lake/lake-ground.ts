// An index with many small segments, and the lake's own process on it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** All final; one more follows. */
export const BLOCKS = 24;
const TRANSFERS_PER_BLOCK = 16;
const root = new URL("../..", import.meta.url).pathname;

export interface Ended {
  code: number | null;
  output: string;
}

export interface LakeGround {
  database: TestDatabase;
  chain: ChainFile;
  foldSchema: string;
  /** A folder that goes with the ground. */
  folder: string;
  /** Starts `npm run lake` with `args`. */
  start(lake: string, ...args: string[]): { child: ChildProcess; ended: Promise<Ended> };
  run(lake: string, ...args: string[]): Promise<Ended>;
  stop(): Promise<void>;
}

function tellTransfers(): Script {
  const script = new Script();
  const random = seedRandom("lake");
  for (let i = 0; i < BLOCKS; i += 1) {
    for (let n = 0; n < TRANSFERS_PER_BLOCK; n += 1)
      script.mint(tokenOf(random.between(1, 2)), accountOf(random.between(1, 12)), random.amount(1n, 10n ** 20n));
    script.nextBlock();
  }
  return script;
}

export async function startLakeGround(): Promise<LakeGround> {
  const database = await startTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), "tidemark-lake-"));
  const foldSchema = "fold_lake";
  await buildScripted(database.sql, tellTransfers(), { ponderSchema: "facts_lake", foldSchema, finalized: BLOCKS });
  const content = {
    ...chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0 }),
    lake: { segmentBlocks: 2, segmentTransfers: 10 },
  };
  const chainFile = join(folder, "chain.json");
  writeFileSync(chainFile, JSON.stringify(content));
  const start = (lake: string, ...args: string[]) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "lake/main.ts", ...args], {
      cwd: root,
      env: { ...process.env, CHAIN: chainFile, DATABASE_URL: database.url, LAKE: lake },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (output += String(data)));
    const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output }));
    return { child, ended };
  };
  return {
    ...{ database, chain: chainFileSchema.parse(content), foldSchema, folder, start },
    run: (lake, ...args) => start(lake, ...args).ended,
    async stop() {
      rmSync(folder, { recursive: true, force: true });
      await database.stop();
    },
  };
}
