// Islands of the seeded devnet against their contracts: at random blocks, and around everything that no event says,
// the numbers that are kept and `getUnderlyingBalances` as answered, above the watermark too.
// ISLAND_STATE_BLOCKS=2000 compares more.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReservedSql } from "postgres";
import { createPublicClient, http, type PublicClient } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadChain } from "../chains/load.ts";
import { seedRandom } from "../devnet/scenario/random.ts";
import { type SeededDevnet, startSeededDevnet } from "../devnet/scenario/seeded.ts";
import { foldSchemaName } from "../fold/fold-schema.ts";
import { quoted } from "../fold/tables.ts";
import { Part } from "../verify/faults/part.ts";
import { freePort } from "./core/free-port.ts";
import { type Indexer, startIndexer } from "./facts-indexer.ts";
import { type AnsweredIsland, answeredIslands, chainIslands } from "./island-chain-state.ts";
import { openGateway, type TestGateway } from "./support/gateway-fixture.ts";
import { shownBalances } from "./support/shown-balances.ts";
import { startTestDatabase, type TestDatabase } from "./support/test-database.ts";

const RANDOM_BLOCKS = Number(process.env.ISLAND_STATE_BLOCKS ?? 250);
/** At so many blocks also the whole of the tokens: what everybody has through islands, and what nobody has. */
const WHOLE_BLOCKS = 4;

let devnet: SeededDevnet;
let database: TestDatabase;
let indexer: Indexer;
let fold: Part;
let gateway: TestGateway;
let folder: string;
let db: ReservedSql;
let schema: string;
let watermark: number;
let head: number;
let client: PublicClient;

/** The watermark, once the fold has taken all that is final. */
async function folded(): Promise<number> {
  for (const deadline = Date.now() + 180_000; Date.now() < deadline; await sleep(200)) {
    const [live] = await db`select to_regclass(${`${quoted(schema)}.meta`}) is not null as there`;
    const [meta] = live?.there ? await db.unsafe(`select watermark from ${quoted(schema)}.meta`) : [];
    // what is final ends at most two steps of 30 blocks below the head
    if (meta && meta.watermark > head - 62) return meta.watermark;
    if (!fold.isRunning) throw new Error(`the fold ended: ${fold.lines.slice(-5).join("\n")}`);
  }
  throw new Error(`not folded in time: ${fold.lines.slice(-5).join("\n")}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-islands-"));
  [devnet, database] = await Promise.all([startSeededDevnet({ port: await freePort() }), startTestDatabase()]);
  const { rpcUrl } = devnet;
  const place = { folder: join(folder, "facts"), sql: database.sql, databaseUrl: database.url };
  indexer = startIndexer({ chain: loadChain("devnet"), ...place, rpcUrl, port: await freePort() });
  const env = { DATABASE_URL: database.url, RPC_URL: rpcUrl, CHAIN: "devnet", PONDER_SCHEMA: indexer.schema };
  fold = new Part({ name: "fold", command: ["fold/main.ts"], env, logFolder: folder, isSupervised: false });
  fold.start();
  schema = foldSchemaName(indexer.schema);
  db = await database.sql.reserve();
  const { number, hash } = await devnet.chain.client.getBlock();
  head = Number(number);
  await indexer.waitFor({ number: head, hash });
  watermark = await folded();
  gateway = openGateway(database.url, indexer.chain);
  client = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000 }) });
}, 900_000);

afterAll(async () => {
  db?.release();
  await gateway?.close();
  await fold?.kill();
  await indexer?.stop();
  await Promise.all([devnet?.stop(), database?.stop()]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Turn {
  block: number;
  what: string;
}

/** Every row whose island was told something new, or whose manager's balance fell. */
async function turns(): Promise<Turn[]> {
  const s = quoted(schema);
  const columns = "manager, manager_fee_bps, tick_lower, tick_upper, manager_balance0 as b0, manager_balance1 as b1";
  const rows = await db.unsafe(`
    with states as (
      select island, from_block as block, ${columns} from ${s}.island_interval
      union all select island, since, ${columns} from ${s}.island_current),
    pairs as (select n.*, row_number() over w > 1 as is_later, lag(manager) over w as manager_was,
        lag(manager_fee_bps) over w as fee_was, lag(tick_lower) over w as lower_was, lag(tick_upper) over w as upper_was,
        lag(b0) over w as b0_was, lag(b1) over w as b1_was
      from states n window w as (partition by island order by block))
    select block, case when not is_later then 'created'
        when manager <> manager_was then 'renounced' when manager_fee_bps <> fee_was then 'fee'
        when (tick_lower, tick_upper) <> (lower_was, upper_was) then 'range'
        when b0 < b0_was or b1 < b1_was then 'payout' end as what
      from pairs`);
  return rows.flatMap(({ block, what }) => (what === null ? [] : [{ block, what }]));
}

function blocksToCompare(special: readonly Turn[]): number[] {
  const random = seedRandom("island-state");
  const last = new Map(special.map(({ block, what }) => [`${what} ${block}`, block]));
  const blocks = new Set<number>([watermark, watermark + 1, head]);
  for (const block of last.values()) for (const near of [block - 1, block]) blocks.add(near);
  const from = Math.min(...special.map(({ block }) => block));
  for (const wanted = blocks.size + RANDOM_BLOCKS; blocks.size < Math.min(wanted, head - from); )
    blocks.add(random.between(from, head));
  return [...blocks].sort((a, b) => a - b);
}

describe("islands of the seeded devnet", () => {
  test("have none that stopped", async () => {
    expect(await db.unsafe(`select * from ${quoted(schema)}.island where stopped_block is not null`)).toEqual([]);
  });

  test(
    "are worth what the contracts say, at every block asked",
    async () => {
      const special = await turns();
      const counts: Record<string, number> = {};
      for (const { what } of special) counts[what] = (counts[what] ?? 0) + 1;
      for (const what of ["created", "renounced", "fee", "range", "payout"])
        expect(counts[what], what).toBeGreaterThan(0);
      const blocks = blocksToCompare(special);
      const fees = new Set<number>();
      let compared = 0;
      let above = 0;
      for (const block of blocks) {
        const answered = await answeredIslands(gateway.service, block);
        const said = await chainIslands(client, answered, block);
        expect({ block, islands: answered }).toEqual({ block, islands: said });
        for (const { managerFeeBps } of answered) fees.add(managerFeeBps);
        compared += answered.length;
        if (block > watermark) above += answered.length;
      }
      const turned = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
      console.log(`${blocks.length} blocks, ${compared} islands, ${above} of them above the watermark; ${turned}`);
      expect(blocks.length).toBeGreaterThanOrEqual(Math.min(RANDOM_BLOCKS, 200));
      expect(above).toBeGreaterThan(0);
      for (const bps of [0, 500, 1_000, 10_000]) expect(fees, `a manager's fee of ${bps}`).toContain(bps);
    },
    RANDOM_BLOCKS * 2_000 + 240_000,
  );

  test("pass everything on that is not their manager's", async () => {
    const random = seedRandom("island-balances");
    const blocks = [watermark, head];
    while (blocks.length < WHOLE_BLOCKS) blocks.push(random.between(Math.floor(watermark / 2), watermark));
    let sources = 0;
    for (const block of blocks) sources += await compareTokens(block);
    console.log(`${blocks.length} blocks, ${sources} sources through islands`);
    expect(sources).toBeGreaterThan(0);
  }, 600_000);
});

/** Tokens of islands over plain tokens; resolves to the number of sources that are islands. */
async function compareTokens(block: number): Promise<number> {
  const islands = await answeredIslands(gateway.service, block);
  const shares = new Set(islands.map(({ island }) => island));
  const plain = islands.filter(({ token0, token1 }) => !shares.has(token0) && !shares.has(token1));
  let sources = 0;
  for (const token of new Set(plain.flatMap(({ token0, token1 }) => [token0, token1]))) {
    // that parts and unattributed sum up to the supply is checked on the way
    const { accounts, unattributed } = await shownBalances(gateway, token, block);
    const expected = plain.flatMap((one) => managersPart(one, token) ?? []);
    const shown = expected.map(([island]) => [island, unattributed[`${island} manager-fee`] ?? 0n]);
    expect(shown).toEqual(expected);
    const held = Object.values(accounts).flatMap((own) => Object.keys(own));
    sources += held.filter((source) => source.startsWith("island ")).length;
  }
  return sources;
}

function managersPart(
  { island, token0, token1, ...one }: AnsweredIsland,
  token: string,
): [[string, bigint]] | undefined {
  if (token === token0) return [[island, one.managers0]];
  return token === token1 ? [[island, one.managers1]] : undefined;
}
