// Compares the lake of a product that was killed, lied to and reorganised with that of one that was not: another database, in
// which the same chain is indexed from its first block without any disturbance.
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { chainFolder } from "../../core/lake/paths.ts";
import { quoted } from "../../fold/tables.ts";
import { readFinalIndex } from "../../lake/read-index.ts";
import { freePort } from "../../machine/ports.ts";
import { type LakeDifferences, lakeDifferences } from "./lake-differences.ts";
import { createProduct, type Product } from "./product.ts";
import { runProgram } from "./run-program.ts";

/** Ponder takes blocks for final 30 below the head at its start, and the last of these may lack rows: fold/facts/facts-reader.ts. */
const ABOVE_FINAL = 31;
const INDEXED_MS = 240_000;
const WRITTEN_MS = 120_000;

export interface ComparedLakes extends LakeDifferences {
  /** In one line. */
  figures: string;
}

export interface LakeTrial {
  /** Runs; its lake's writer may. */
  product: Product;
  /** The real node, which does not lie. */
  rpcUrl: string;
  /** The chain's head, which does not move. */
  head: number;
}

/** Leaves the product's lake complete up to its last final block, and its writer down. @throws Error naming what does not happen in time */
export async function compareLakes({ product, rpcUrl, head }: LakeTrial): Promise<ComparedLakes> {
  return withDatabaseBeside(product.databaseUrl, async (databaseUrl) => {
    const undisturbed = createProduct({
      databaseUrl,
      rpcUrl,
      chainFile: product.chainFile,
      logFolder: product.logFolder,
      lakeFolder: `${product.lakeFolder}-undisturbed`,
      ponderPort: await freePort(),
      prefix: "undisturbed-",
    });
    try {
      undisturbed.fold.start();
      await undisturbed.restartPonder();
      // the final block advances in steps of 30 blocks, counted from Ponder's start: both must have started at the same head
      await product.ponder.kill();
      await product.restartPonder();
      for (const one of [product, undisturbed]) await waitFinal(one, head - ABOVE_FINAL);
      for (const one of [product, undisturbed]) await writeWhole(one);
      const [first, second] = [product, undisturbed].map(({ lakeFolder, chainId }) => chainFolder(lakeFolder, chainId));
      const found = await lakeDifferences(first ?? "", second ?? "");
      return { ...found, figures: figuresOf(found) };
    } finally {
      await undisturbed.kill();
    }
  });
}

function figuresOf({ files, bytes, root, lastBlock, segments, differences }: LakeDifferences): string {
  const outcome = differences.length === 0 ? "equal" : `${differences.length} DIFFERENCES`;
  return `${files} files of ${segments} segments up to block ${lastBlock}, ${bytes} bytes, root ${root} ${outcome}`;
}

async function withDatabaseBeside<T>(url: string, use: (url: string) => Promise<T>): Promise<T> {
  const beside = new URL(url);
  const name = `${beside.pathname.slice(1)}_undisturbed`;
  beside.pathname = `/${name}`;
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await admin.unsafe(`create database ${quoted(name)}`);
    return await use(beside.href);
  } finally {
    await admin.unsafe(`drop database if exists ${quoted(name)} with (force)`);
    await admin.end({ timeout: 2 });
  }
}

/** Resolves when `block` is the last final one, and all its facts are there. */
async function waitFinal({ databaseUrl, chainId, ponder, logFolder }: Product, block: number): Promise<void> {
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  let found: number | undefined;
  try {
    for (const deadline = Date.now() + INDEXED_MS; Date.now() < deadline; await sleep(100)) {
      if (!ponder.isRunning) throw new Error(`${ponder.options.name} ended: ${ponder.lines.slice(-3).join("\n")}`);
      const index = await readFinalIndex(db, chainId);
      found = index?.lastWritable;
      if (found === block) return;
    }
    throw new Error(`block ${found ?? "-"} is the last final one, not ${block}; logs in ${logFolder}`);
  } finally {
    await db.end({ timeout: 2 });
  }
}

/** Runs `npm run lake`, again while it still waits for something. @throws Error with its output unless it ends well */
async function writeWhole({ lake, logFolder }: Product): Promise<void> {
  await lake.end();
  const { name, command, env } = lake.options;
  const once = command.filter((one) => one !== "--follow");
  for (const deadline = Date.now() + WRITTEN_MS; Date.now() < deadline; await sleep(500)) {
    const { status, output } = await runProgram(once, env);
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${output}`);
    if (!output.includes("waits for")) return;
  }
  throw new Error(`${name} still waits; logs in ${logFolder}`);
}
