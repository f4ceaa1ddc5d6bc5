// Everything that a run needs: a fresh database with the made-up facts, folded by the product's own fold, and a gateway.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { quoted } from "../../fold/tables.ts";
import { realPrograms } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { writeFacts } from "../as-of/facts.ts";
import { FOLD_SCHEMA, foldFacts, PONDER_SCHEMA } from "../fold-facts.ts";
import { startLogged } from "../ground/child-process.ts";
import { BENCH_CHAIN_ID, chainFileOf, type Server } from "../ground/workbench.ts";
import { withDatabase } from "../with-database.ts";
import { cases, FACTORY_V2, FACTORY_V3, HEAD, MANAGER, tokenOf, writeWorld } from "./world.ts";

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

async function fill({ databaseUrl, chain, holders }: Omit<Ground, "url">): Promise<void> {
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const started = performance.now();
  try {
    await writeFacts(db, PONDER_SCHEMA, HEAD);
    await writeWorld(db, PONDER_SCHEMA, holders);
    await foldFacts(db, { chain, databaseUrl, head: HEAD });
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

async function startGateway({ server, databaseUrl, chain }: { server: Server; databaseUrl: string; chain: ChainFile }) {
  const chainFile = join(server.folder, "lookthrough-chain.json");
  writeFileSync(chainFile, JSON.stringify(chain));
  const port = await freePort();
  const env = { CHAIN: chainFile, DATABASE_URL: databaseUrl, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "info" };
  const gateway = startLogged({
    name: "lookthrough gateway",
    args: realPrograms(false).gateway,
    cwd: projectRoot,
    env,
  });
  await gateway.said("listening");
  return { stop: () => gateway.stop(), url: `http://127.0.0.1:${port}` };
}
