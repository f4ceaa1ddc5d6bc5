// What a run needs: the router's made-up market in a database, folded; stand-ins for all services; a gateway.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { type ChainFile, chainFileSchema } from "../../chains/chain-file.ts";
import { standIns } from "../../devnet/standins/all.ts";
import { quoted } from "../../fold/tables.ts";
import { realPrograms } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { writeFacts } from "../as-of/facts.ts";
import { FOLD_SCHEMA, foldFacts, PONDER_SCHEMA } from "../fold-facts.ts";
import { startLogged } from "../ground/child-process.ts";
import { BENCH_CHAIN_ID, chainFileOf, type Server } from "../ground/workbench.ts";
import { HEAD } from "../lookthrough/world.ts";
import { makeWorld, type World } from "../router/world.ts";
import { withDatabase } from "../with-database.ts";
import { type StandInThread, startStandInThread } from "./stand-ins.ts";
import { FACTORY_V2, FACTORY_V3, MANAGER, writePools } from "./world-facts.ts";

export interface Ground {
  world: World;
  standIns: StandInThread;
  url: string;
  /** Of the gateway. */
  pid: number;
}

export interface GroundOrder {
  server: Server;
  pools: { v3: number; v2: number };
  seed: number;
  latencyMs: number;
  /** The gateway's settings of quotes. */
  env: Record<string, string>;
}

const AGGREGATOR = `0x${"a9".repeat(20)}` as const;
const EXECUTOR = `0x${"e7".repeat(20)}` as const;
const OWN_ROUTER = "Kodiak";

function benchChain({ tokens }: World): ChainFile {
  const place = (address: string) => ({ address, startBlock: 0 });
  const [weth, ...hubs] = tokens;
  const deployment = {
    flavour: "uniswap",
    factory: place(FACTORY_V3),
    positionManager: place(MANAGER),
    swapRouter02: MANAGER,
    quoterV2: MANAGER,
    mixedRouteQuoterV1: null,
  };
  return chainFileSchema.parse({
    ...chainFileOf(null),
    v3: { deployments: [deployment] },
    v2: { factory: place(FACTORY_V2), router: FACTORY_V2 },
    wrappedNative: { address: weth?.address, symbol: "WETH", flavour: "transfer" },
    stables: hubs.filter(({ price }) => price === 1).map(({ address }) => ({ address, priceUsd: "1" })),
    aggregator: { address: AGGREGATOR, selector: "0xd2644d14" },
    ownRouterName: OWN_ROUTER,
    providers: [OWN_ROUTER, ...standIns.map(({ name }) => name)].map((name, priority) => {
      return { name, weight: "1", priority };
    }),
  });
}

/** Makes everything from scratch, and ends it after `use`. */
export function withGround<T>(order: GroundOrder, use: (ground: Ground) => Promise<T>): Promise<T> {
  const { server, pools, seed, latencyMs, env } = order;
  const world = makeWorld({ ...pools, seed });
  const chain = benchChain(world);
  return withDatabase(server, "aggregator", async (databaseUrl) => {
    const stops: (() => Promise<unknown>)[] = [];
    try {
      await fill({ databaseUrl, chain, world });
      const { tokens } = world;
      const thread = await startStandInThread({ tokens, chainId: BENCH_CHAIN_ID, executor: EXECUTOR, latencyMs });
      stops.push(() => thread.stop());
      const chainFile = join(server.folder, "aggregator-chain.json");
      writeFileSync(chainFile, JSON.stringify(chain));
      const gateway = await startGateway({ CHAIN: chainFile, DATABASE_URL: databaseUrl, ...thread.env, ...env });
      stops.push(() => gateway.stop());
      return await use({ world, standIns: thread, url: gateway.url, pid: gateway.pid });
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  });
}

async function fill(made: { databaseUrl: string; chain: ChainFile; world: World }): Promise<void> {
  const { databaseUrl, chain, world } = made;
  const db = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await writeFacts(db, PONDER_SCHEMA, HEAD);
    await writePools(db, PONDER_SCHEMA, world);
    await foldFacts(db, { chain, databaseUrl, head: HEAD });
    await db.unsafe(`
      insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${BENCH_CHAIN_ID}, ${HEAD}, ${HEAD})`);
    for (const { address, symbol, decimals } of world.tokens)
      await db.unsafe(
        `insert into ${quoted(FOLD_SCHEMA)}.token (address, name, symbol, decimals, read_at_block)
           values (decode(substr($1, 3), 'hex'), $2, $2, $3, ${HEAD})`,
        [address, symbol, decimals],
      );
    await db.unsafe("vacuum analyze");
  } finally {
    await db.end({ timeout: 2 });
  }
}

async function startGateway(settings: Record<string, string>) {
  const port = await freePort();
  const env = { ...settings, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "info" };
  const gateway = startLogged({
    name: "aggregator gateway",
    args: realPrograms(false).gateway,
    cwd: projectRoot,
    env,
  });
  await gateway.said("listening");
  return { stop: () => gateway.stop(), url: `http://127.0.0.1:${port}`, pid: gateway.pid };
}
