// The seeded devnet folded from scratch by the product's own process, with a node that has the states of its last 128 blocks
// alone: every number at every block is what the fold with all states has, or is named as undetermined with its reason.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Row, type Sql } from "postgres";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quoted, recentSchema } from "../../fold/tables.ts";
import { Part } from "../../trials/faults/part.ts";
import { foldDifferences } from "../fold/reorgs/fold-differences.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { keepingStates, STATES_OF_FULL_NODE, startTroubledNode, type TroubledNode } from "../support/troubled-node.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";
import { compareWithout } from "./undetermined-part.ts";
import { differentFields, listed, reasonFor } from "./vault-reasons.ts";

/** The fold that had all states, beside the other in one database. */
const ARCHIVE = "fold_archive";
const PATIENCE_MS = 400_000;
const { foldSchema, head, finalized } = seeded;
const s = quoted(foldSchema);
const [archive, archiveRecent] = [quoted(ARCHIVE), quoted(recentSchema(ARCHIVE))];

let folder: string;
let db: Sql;
let node: TroubledNode;
let whole: TestGateway;
let pruned: TestGateway;

/** Until the head is folded, and everything has been read, derived, or refused for good. */
async function settled(fold: Part): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
    if (!fold.isRunning) throw new Error(`the fold ended: ${fold.lines.slice(-5).join("\n")}`);
    const [there] = await db`select to_regclass(${`${foldSchema}.meta`}) is not null as fold`;
    if (there?.fold !== true) continue;
    const [row] = await db.unsafe(`
      select m.head, m.finalized, m.is_indexed as "isIndexed",
             (select count(*)::int from ${s}.island where waiting_block is not null) as waiting,
             (select count(*)::int from ${s}.farm_settings_retry where attempts < 4) as untried,
             (select count(*)::int from ${archive}.token a where not exists (select from ${s}.token t where t.address = a.address)) as unnamed
        from ${s}.meta m`);
    const { head: reached, finalized: final, isIndexed, ...left } = row ?? ({} as Row);
    const isOver = Object.values(left).every((count) => count === 0);
    if (reached === head && final === finalized && isIndexed && isOver) return;
  }
  throw new Error(`not settled in time: ${fold.lines.slice(-5).join("\n")}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-pruned-"));
  db = postgres(seeded.copyUrl, { max: 2, onnotice: () => {} });
  await db.unsafe(`alter schema ${s} rename to ${archive}`);
  await db.unsafe(`alter schema ${quoted(recentSchema(foldSchema))} rename to ${archiveRecent}`);
  await db.unsafe("drop schema tidemark cascade");
  node = await startTroubledNode(seeded.rpcUrl, { refuses: keepingStates(seeded.rpcUrl, STATES_OF_FULL_NODE) });
  const env = {
    ...{ DATABASE_URL: seeded.copyUrl, RPC_URL: node.url },
    ...{ CHAIN: seeded.chainFile, PONDER_SCHEMA: seeded.ponderSchema },
  };
  const fold = new Part({ name: "fold", command: ["fold/main.ts"], env, logFolder: folder, isSupervised: false });
  fold.start();
  await settled(fold).finally(() => fold.kill());
  whole = openSeededGateway();
  pruned = openGateway(seeded.copyUrl, seededChain());
}, PATIENCE_MS + 20_000);
afterAll(async () => {
  await Promise.all([whole?.close(), pruned?.close(), node?.stop(), db?.end({ timeout: 2 })]);
  rmSync(folder, { recursive: true, force: true });
});

/** SQL of every state of an island with the blocks of its span, `last` included. */
const spansOf = (fold: string): string => `
  select i.address, r.from_block as first, r.to_block - 1 as last, r.tick_lower, r.tick_upper, r.manager, r.manager_fee_bps,
         r.treasury, r.manager_balance0, r.manager_balance1
    from ${fold}.island i
    join (select island, from_block, to_block, tick_lower, tick_upper, manager, manager_fee_bps, treasury, manager_balance0,
                 manager_balance1 from ${fold}.island_interval
          union all
          select island, since, ${finalized + 1}, tick_lower, tick_upper, manager, manager_fee_bps, treasury, manager_balance0,
                 manager_balance1 from ${fold}.island_current) r on r.island = i.id`;

interface ComparedIslands {
  /** Of islands, at all final blocks together. */
  numbers: number;
  different: number;
  /** By island: blocks at which its state is unknown. */
  undetermined: { island: Address; first: number; last: number; blocks: number }[];
  /** By island: blocks at which somebody manages it and the treasury is unknown. */
  treasuries: { island: Address; blocks: number }[];
}

async function compareIslands(): Promise<ComparedIslands> {
  const [found] = await db.unsafe<ComparedIslands[]>(`
    with pieces as (
      select '0x' || encode(p.address, 'hex') as island, greatest(p.first, a.first) as first, least(p.last, a.last) as last,
             p.tick_lower = p.tick_upper or p.manager_fee_bps < 0 as is_open, length(p.treasury) = 0 as has_no_treasury,
             p.treasury = a.treasury as has_treasury,
             (p.tick_lower, p.tick_upper, p.manager, p.manager_fee_bps, p.manager_balance0, p.manager_balance1)
               is not distinct from
             (a.tick_lower, a.tick_upper, a.manager, a.manager_fee_bps, a.manager_balance0, a.manager_balance1) as is_same
        from (${spansOf(s)}) p
        full join (${spansOf(archive)}) a on a.address = p.address and a.first <= p.last and p.first <= a.last)
    select (select sum(7 * (last - first + 1))::int from pieces) as numbers,
           (select count(*)::int from pieces where is_same is null
                or not is_open and (not is_same or not (has_treasury or has_no_treasury))) as different,
           (select coalesce(json_agg(o order by o.island), '[]') from (
              select island, min(first) as first, max(last) as last, sum(last - first + 1)::int as blocks
                from pieces where is_open group by island) o) as undetermined,
           (select coalesce(json_agg(t order by t.island), '[]') from (
              select island, sum(last - first + 1)::int as blocks
                from pieces where has_no_treasury and not is_open group by island) t) as treasuries`);
  return found!;
}

async function tokensAtHead(): Promise<string[]> {
  const { data } = await whole.graphql("{ tokens(first: 1000) { nodes { address } } }");
  return (data as { tokens: { nodes: { address: string }[] } }).tokens.nodes.map(({ address }) => address);
}

const INCOMPLETE = "x-incomplete";

describe("a fold whose node has the states of the last 128 blocks", () => {
  let islands: ComparedIslands;
  beforeAll(async () => {
    islands = await compareIslands();
  });

  test("was refused old states, and is whole: nothing stopped, nothing waits", async () => {
    expect(node.refusals.get("eth_call")).toBeGreaterThan(100);
    console.log(`refused: ${[...node.refusals].map((one) => one.join(" ")).join(", ")}`);
    const stopped = `select count(*)::int as count from ${s}.island where stopped_block is not null or waiting_block is not null`;
    expect(await db.unsafe(stopped)).toEqual([{ count: 0 }]);
    expect((await pruned.get("/status")).body).toMatchObject({ lastSyncedBlock: head, stoppedCounts: [] });
  });

  test("has every row of every table that a fold with all states has, but where an island is not determined", async () => {
    const differences = await foldDifferences(db, { followed: foldSchema, fresh: ARCHIVE });
    expect(differences.filter(({ table }) => !/^island(_interval|_current)?$/.test(table))).toEqual([]);
    const { numbers, different, undetermined, treasuries } = islands;
    console.log(JSON.stringify({ numbers, different, undetermined, treasuries }));
    expect(different).toBe(0);
    // made in block 244, its fee was set in block 309, and it had collected nothing before that shows the first fee
    expect(undetermined).toMatchObject([{ first: 244, last: 308, blocks: 65 }]);
    // whose treasury was paid nothing before it was set again
    expect(treasuries).toHaveLength(3);
  });

  test("answers byte for byte the same of every token, or names the island whose state is unknown", async () => {
    const [open] = islands.undetermined;
    const { island, first, last } = open!;
    const counts = { answers: 0, named: 0 };
    let accounts = 0;
    for (const block of [first - 1, first, 280, last, last + 1, 700, head])
      for (const token of await tokensAtHead()) {
        const path = `/balances/${token}?blockNumber=${block}`;
        const [ours, theirs] = await Promise.all([pruned.get(path), whole.get(path)]);
        counts.answers += 1;
        accounts += ((ours.body.results ?? []) as unknown[]).length;
        const named = ours.headers.get(INCOMPLETE);
        if (named === null) expect({ path, ...shown(ours) }).toEqual({ path, ...shown(theirs) });
        else {
          expect({ path, named, isOpen: block >= first && block <= last }).toEqual({
            path,
            named: island,
            isOpen: true,
          });
          const part = await compareWithout({ partial: pruned, whole }, { token, block, island });
          expect(part).toBeGreaterThan(0n);
          counts.named += 1;
        }
      }
    // of its two tokens and of its own share, which an island holds whose share it holds: while it holds any, not yet when made
    expect(counts).toEqual({ answers: 7 * 48, named: 2 * 3 });
    expect(accounts).toBeGreaterThan(1_000);
  });

  test("lists every pool with the same numbers, or with null and the reason", async () => {
    const [open] = islands.undetermined;
    const { island, first, last } = open!;
    const reasons = { same: 0, undetermined: 0, treasury: 0, unread: 0 };
    for (const block of [first, last, last + 1, 360, 500, 700, 1_000, finalized + 1, head]) {
      const [ours, theirs] = [await listed(pruned, block), await listed(whole, block)];
      expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort());
      for (const [id, vault] of ours) {
        const different = differentFields(vault, theirs.get(id)!);
        const reason = reasonFor(vault, different, island);
        expect({ block, id, different, reason }).toMatchObject({ reason: expect.any(String) });
        reasons[reason!] += 1;
      }
    }
    // undetermined: itself at two blocks, the island that holds its share at one, and what it earned in the week before 500
    expect(reasons).toEqual({ same: 106, undetermined: 4, treasury: 14, unread: 8 });
  });

  test("prices every token the same, or names as without price the share of an island whose state is unknown", async () => {
    const [open] = islands.undetermined;
    const { island, first, last } = open!;
    const tokens = await tokensAtHead();
    const counts = { same: 0, unpriced: 0 };
    for (const block of [first, last, last + 1, 700, finalized + 1, head]) {
      const path = `/tokens?addresses=${tokens.join(",")}&blockNumber=${block}`;
      const [ours, theirs] = [await pruned.get(path), await whole.get(path)];
      const prices = theirs.body as unknown as Priced[];
      for (const [i, price] of (ours.body as unknown as Priced[]).entries()) {
        // two islands that hold each other's shares name each other, with all states too
        const isNamed = ({ unpriced = [] }: Priced) => unpriced.includes(island);
        const isOpen = isNamed(price) && !isNamed(prices[i]!);
        if (!isOpen) expect(price).toEqual(prices[i]);
        else {
          expect(block).toBeLessThanOrEqual(last);
          expect(price).toEqual({ ...prices[i], priceStrategy: "none", price: 0, unpriced: [island] });
        }
        counts[isOpen ? "unpriced" : "same"] += 1;
      }
    }
    // at two blocks; the island that holds its share, and whose share it holds, has no price either way
    expect(counts).toEqual({ same: 6 * 48 - 2, unpriced: 2 });
  });
});

const shown = ({ status, text }: { status: number; text: string }) => ({ status, text });

interface Priced {
  id: string;
  priceStrategy: string;
  unpriced?: string[];
}
