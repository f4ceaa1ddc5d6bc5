// Islands of the seeded devnet against their contracts: at random blocks, and around everything that no event says,
// the stored numbers and `getUnderlyingBalances` as answered, above the last final block too.
// ISLAND_STATE_BLOCKS=2000 compares more.
import type { Sql } from "postgres";
import type { PublicClient } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { quoted } from "../../fold/tables.ts";
import { type AnsweredIsland, answeredIslands, chainIslands } from "../gateway/island-chain-state.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { shownBalances } from "../support/shown-balances.ts";
import { openSeededGateway, openSeededSql, seeded, seededClient } from "./seeded-index.ts";

const RANDOM_BLOCKS = Number(process.env.ISLAND_STATE_BLOCKS ?? 250);
/** At this many blocks whole tokens are compared, too: what everybody has through islands, and what nobody has. */
const WHOLE_BLOCKS = 4;

const { foldSchema: schema, head, finalized } = seeded;
let gateway: TestGateway;
let db: Sql;
let client: PublicClient;

beforeAll(() => {
  db = openSeededSql();
  gateway = openSeededGateway();
  client = seededClient();
});
afterAll(async () => {
  await gateway.close();
  await db.end({ timeout: 2 });
});

interface Turn {
  block: number;
  what: string;
}

/** Every row with new settings of the island, or at which its manager's balance fell. */
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
  const blocks = new Set<number>([finalized, finalized + 1, head]);
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
        if (block > finalized) above += answered.length;
      }
      const turned = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
      console.log(
        `${blocks.length} blocks, ${compared} islands, ${above} of them above the last final block; ${turned}`,
      );
      expect(blocks.length).toBeGreaterThanOrEqual(Math.min(RANDOM_BLOCKS, 200));
      expect(above).toBeGreaterThan(0);
      for (const bps of [0, 500, 1_000, 10_000]) expect(fees, `a manager's fee of ${bps}`).toContain(bps);
    },
    RANDOM_BLOCKS * 2_000 + 240_000,
  );

  test("pass everything on that is not their manager's", async () => {
    const random = seedRandom("island-balances");
    const blocks = [finalized, head];
    while (blocks.length < WHOLE_BLOCKS) blocks.push(random.between(Math.floor(finalized / 2), finalized));
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
