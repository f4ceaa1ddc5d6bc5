// What all contenders share: one database with made-up facts, folded by the product's own fold; the peers' tables,
// filled with the same rows; and a gateway.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { quoted } from "../../fold/tables.ts";
import { buildFactIndexes } from "../../fold/upkeep/fact-indexes.ts";
import { realPrograms } from "../../launcher/programs.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { writeFacts } from "../as-of/facts.ts";
import { FOLD_SCHEMA, foldFacts, PONDER_SCHEMA } from "../fold-facts.ts";
import { startLogged } from "../ground/child-process.ts";
import { BENCH_CHAIN_ID, type Ground } from "../ground/workbench.ts";
import { madeAddress, madeAddressOf, swapsText } from "./made-facts.ts";

export const PEER_SCHEMA = "peer";
export const HEAD = 4_200;

export interface World {
  pools: number;
  swaps: number;
  holders: number;
}

/** The token whose holders are asked for. */
export const TOKEN = madeAddressOf("aa", 1);
export const accountNumbered = (n: number) => madeAddressOf("cc", n);

const size = ({ pools, swaps }: World) => ({
  accounts: 5_000,
  pools,
  perBlock: Math.ceil(swaps / (HEAD - 100)),
});

/** Pools with tokens of their own, swaps, and one transfer to every holder: no two hold the same. */
async function writeWorld(db: Sql, world: World): Promise<void> {
  const s = quoted(PONDER_SCHEMA);
  const made = size(world);
  await db.unsafe(`
    insert into ${s}.v3_pool_created (block, log_index, tx_index, timestamp, factory, pool, token0, token1, fee, tick_spacing)
    select 1, i, 0, 1700000002, ${madeAddress("ff", "1")}, ${madeAddress("bb", "i")}, ${madeAddress("aa", "i")},
           ${madeAddress("aa", "i + 1")}, 3000, 60 from generate_series(1, ${world.pools}) i;
    insert into ${s}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
    select 2 + i / 1000, i % 1000, i % 1000, 1700000004, ${madeAddress("aa", "1")}, '0x' || repeat('0', 40), ${madeAddress("cc", "i")},
           (i::numeric * 7919 % 1000003) * 1000000000000 + i from generate_series(1, ${world.holders}) i;
    insert into ${s}.v3_swap (block, log_index, tx_index, timestamp, pool, sender, recipient, amount0, amount1, sqrt_price_x96, liquidity, tick)
      ${swapsText(made, 2 * made.perBlock, 2 * made.perBlock + world.swaps - 1)}`);
}

/** Our tables, as Ponder and the fold leave them. */
export async function makeOurs(ground: Ground, world: World): Promise<void> {
  const db = postgres(ground.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await writeFacts(db, PONDER_SCHEMA, HEAD);
    await writeWorld(db, world);
    await foldFacts(db, { chain: ground.chainFile, databaseUrl: ground.databaseUrl, head: HEAD });
    await buildFactIndexes(db, PONDER_SCHEMA);
    await db.unsafe(`
      insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${BENCH_CHAIN_ID}, ${HEAD}, ${HEAD});
      insert into ${quoted(FOLD_SCHEMA)}.token (address, name, symbol, decimals, read_at_block)
      select decode(substr(${madeAddress("aa", "i")}, 3), 'hex'), 'Made up ' || i, 'MADE' || i, 18, ${HEAD}
        from generate_series(1, ${world.pools + 1}) i on conflict do nothing`);
    await db.unsafe("vacuum analyze");
  } finally {
    await db.end({ timeout: 2 });
  }
}

/** Ponder changes triggers of its tables now and then: a statement that it made fail is tried again. */
async function repeated(run: () => PromiseLike<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await run();
      return;
    } catch (error) {
      const isDeadlock = error instanceof Error && "code" in error && error.code === "40P01";
      if (!isDeadlock || attempt === 5) throw error;
    }
}

/** Fills the peers' tables from the same facts. Ponder's triggers are switched off: they are for its own writes. */
export async function fillPeers(ground: Ground, world: World): Promise<void> {
  const db = postgres(ground.databaseUrl, { max: 1, onnotice: () => {} });
  const [s, p] = [quoted(PONDER_SCHEMA), quoted(PEER_SCHEMA)];
  try {
    await db.unsafe("set session_replication_role = replica");
    const statements = [
      `insert into ${p}.token select ${madeAddress("aa", "i")}, 'MADE' || i, 18 from generate_series(1, ${world.pools + 1}) i`,
      `insert into ${p}.pool select pool, token0, token1, fee, log_index from ${s}.v3_pool_created`,
      `insert into ${p}.swap select block, log_index, pool, amount0, amount1 from ${s}.v3_swap`,
      `insert into ${p}.balance select token, "to", amount from ${s}.erc20_transfer`,
      // how PostGraphile learns of relations; Ponder has its own declarations
      `alter table ${p}.pool add foreign key (token0) references ${p}.token`,
      `alter table ${p}.pool add foreign key (token1) references ${p}.token`,
      `alter table ${p}.swap add foreign key (pool) references ${p}.pool`,
    ];
    for (const statement of statements) await repeated(() => db.unsafe(statement));
    await db.unsafe("vacuum analyze");
  } finally {
    await db.end({ timeout: 2 });
  }
}

/** The gateway as `npm start` runs it, except for its log. */
export async function startGateway(ground: Ground) {
  const chainFile = join(ground.chainFilePath, "../gateway-chain.json");
  writeFileSync(chainFile, JSON.stringify(ground.chainFile));
  const port = String(ground.gatewayPort);
  const env = { CHAIN: chainFile, DATABASE_URL: ground.databaseUrl, PORT: port, HOST: "127.0.0.1", LOG_LEVEL: "info" };
  const program = { args: realPrograms(false).gateway, cwd: projectRoot, env };
  const gateway = startLogged({ name: "bench gateway", ...program, lastMessage: "listening" });
  await gateway.said("listening");
  return { url: `http://127.0.0.1:${port}`, stop: () => gateway.stop() };
}
