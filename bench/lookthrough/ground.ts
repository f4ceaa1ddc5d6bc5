// Everything that a run needs: a fresh database with the made-up facts, folded by the product's own fold, and a gateway.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import postgres, { type Sql } from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { FoldLoop } from "../../fold/fold-loop.ts";
import { ensureDeployment, hasIndexes } from "../../fold/fold-schema.ts";
import { sequence } from "../../fold/sequential-step.ts";
import { createSteps } from "../../fold/steps.ts";
import { quoted } from "../../fold/tables.ts";
import { realPrograms } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { writeFacts } from "../as-of/facts.ts";
import { startLogged } from "../index/child-process.ts";
import { projectFolder } from "../index/project-folder.ts";
import { BENCH_CHAIN_ID, chainFileOf, type Server } from "../index/workbench.ts";
import { withDatabase } from "../with-database.ts";
import { cases, FACTORY_V2, FACTORY_V3, HEAD, MANAGER, tokenOf, writeWorld } from "./world.ts";

export const PONDER_SCHEMA = "facts_made";
export const FOLD_SCHEMA = "fold_made";

export interface Ground {
  holders: number;
  chain: ChainFile;
  databaseUrl: string;
  /** URL of the gateway, which runs in its own process. */
  url: string;
}

const place = (address: `0x${string}`) => ({ address, startBlock: 0 });

function benchChain(): ChainFile {
  const deployment = {
    flavour: "uniswap" as const,
    factory: place(FACTORY_V3),
    positionManager: place(MANAGER),
    swapRouter02: MANAGER,
    quoterV2: MANAGER,
    mixedRouteQuoterV1: null,
    defaultFeeProtocol: 0,
  };
  return {
    ...chainFileOf({ deployments: [deployment] }),
    v2: { factory: place(FACTORY_V2), router: FACTORY_V2, swapFee: 3000, takesProtocolFee: false },
  };
}

/** Fills a fresh database of `server` and keeps it for as long as `use` runs. */
export function withGround<T>(
  { server, holders }: { server: Server; holders: number },
  use: (ground: Ground) => Promise<T>,
): Promise<T> {
  return withDatabase(server, "lookthrough", async (databaseUrl) => {
    const chain = benchChain();
    await fill({ databaseUrl, chain, holders });
    const gateway = await startGateway({ server, databaseUrl, chain });
    try {
      return await use({ holders, chain, databaseUrl, url: gateway.url });
    } finally {
      await gateway.stop();
    }
  });
}

type Filling = Pick<Ground, "databaseUrl" | "chain" | "holders">;

async function fill({ databaseUrl, chain, holders }: Filling): Promise<void> {
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const started = performance.now();
  try {
    await writeFacts(db, PONDER_SCHEMA, HEAD);
    await writeWorld(db, PONDER_SCHEMA, holders);
    await fold(db, { chain, databaseUrl });
    await db.unsafe(`
      insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${BENCH_CHAIN_ID}, ${HEAD}, ${HEAD})`);
    for (const one of cases)
      await db.unsafe(`insert into ${quoted(FOLD_SCHEMA)}.token (address, name, symbol, decimals, read_at_block)
        values (decode('${tokenOf(one).slice(2)}', 'hex'), 'Made up', 'MADE', 18, ${HEAD})`);
    await db.unsafe("vacuum analyze");
    console.log(`made and folded in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } finally {
    await db.end({ timeout: 2 });
  }
}

const FOLD_POLL_MS = 100;

/** The product's own fold of `PONDER_SCHEMA`, from the first fact to its indexes. */
export async function fold(db: Sql, { chain, databaseUrl }: Omit<Filling, "holders">): Promise<void> {
  const log = pino({ level: "warn" });
  const schemas = { ponder: PONDER_SCHEMA, fold: FOLD_SCHEMA };
  const identity = {
    chainId: BENCH_CHAIN_ID,
    ponderSchema: PONDER_SCHEMA,
    foldSchema: FOLD_SCHEMA,
    firstBlock: 0,
    weth9: [],
    erc4626: [],
  };
  await ensureDeployment(db);
  const loop = new FoldLoop(db, {
    identity,
    steps: sequence(db, FOLD_SCHEMA, createSteps(db, { chain, schemas, log })),
    log,
  });
  let failure: unknown;
  const running = loop.run().catch((error: unknown) => {
    failure = error;
  });
  const poller = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    while (failure === undefined && !(await isFolded(poller))) await sleep(FOLD_POLL_MS);
  } finally {
    loop.stop();
    await running;
    await poller.end({ timeout: 2 });
  }
  if (failure !== undefined) throw failure;
}

async function isFolded(db: Sql): Promise<boolean> {
  const [there] = await db`select to_regclass(${`${FOLD_SCHEMA}.meta`}) is not null as there`;
  if (!there?.there) return false;
  const [meta] = await db.unsafe(`select finalized from ${quoted(FOLD_SCHEMA)}.meta`);
  return meta?.finalized === HEAD && (await hasIndexes(db, FOLD_SCHEMA));
}

async function startGateway({ server, databaseUrl, chain }: { server: Server; databaseUrl: string; chain: ChainFile }) {
  const chainFile = join(server.folder, "lookthrough-chain.json");
  writeFileSync(chainFile, JSON.stringify(chain));
  const port = await freePort();
  const env = { CHAIN: chainFile, DATABASE_URL: databaseUrl, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "info" };
  const gateway = startLogged({
    name: "lookthrough gateway",
    args: realPrograms(false).gateway,
    cwd: projectFolder,
    env,
  });
  await gateway.said("listening");
  return { stop: () => gateway.stop(), url: `http://127.0.0.1:${port}` };
}
