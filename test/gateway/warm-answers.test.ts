// What is stored under the block that last changed it: while a chain grows, is replaced and becomes final, a gateway that has
// been there all along says the same as one that knows nothing yet.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { raiseRevision } from "../../fold/revision.ts";
import type { AnswerCache } from "../../gateway/cache/answer-cache.ts";
import { RandomWalk } from "../fold/reorgs/random-walk.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { sized } from "../support/sized.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { v3Deployments } from "../support/v3-index.ts";

const WALKS = Number(process.env.WARM_WALKS ?? 1);
const FIRST = Number(process.env.WARM_SEED ?? 1);
const EVENTS = sized({ some: 16, whole: 30 });

const place = { address: accountOf(93), startBlock: 0 };
const chain = chainFixture({
  ...{ chainId: 31337, startBlock: 0 },
  v2: { factory: place, router: accountOf(91) },
  v3: { deployments: v3Deployments },
  islands: { factory: place },
  rewardVaults: { factory: place, distributor: null, beraChef: null, rewardToken: null },
  ...{ farms: { factory: place }, baults: { factory: place }, infrared: { core: place } },
});

const TOKENS = "query ($block: BlockInput) { tokens(first: 100, block: $block) { nodes { address } } }";
const HELD = `query ($token: Address!, $block: BlockInput, $users: [Address!]) {
  balances(token: $token, block: $block, first: 1000) {
    block { number hash } totalCount
    nodes { account total rank replacedBy sources { source value contract positionId principal fees } }
    unattributed { reason contract amount } shortfalls { contract } incomplete }
  few: balances(token: $token, block: $block, users: $users) { nodes { account total sources { source value contract } } }
  token(address: $token, block: $block) { totalSupply }
  pools(token: $token, block: $block) { nodes { address tick liquidity feeGrowthGlobal0X128 stopped { block } ticks { tick liquidityNet } } } }`;
const FACTS = `query ($block: BlockInput) { facts(block: $block) {
  markets(first: 100) { nodes { address protocol token0Detail { symbol } swaps(first: 3) { block logIndex amount0 amount1 } } }
  transfers(first: 200) { nodes { block logIndex token from to amount } } swaps(first: 50) { nodes { block logIndex pool amount0 } } } }`;
const USERS = [1, 2, 3, 4, 5].map(accountOf);

let database: TestDatabase;
let warm: TestGateway;
/** Nothing that it was asked before is stored when it is asked. */
let cold: TestGateway;
let questions = 0;
const kinds = new Set<string>();

interface Held {
  balances: { nodes: { sources: { source: string }[] }[]; unattributed: object[]; incomplete: string[] } | null;
}

interface Facts {
  facts: { markets: { nodes: { swaps: object[] | null }[] }; transfers: { nodes: object[] } };
}

/** The newest facts, and everything about every token, at a block. */
async function everything(gateway: TestGateway, block: { number: number }): Promise<unknown[]> {
  const { data } = await gateway.graphql(TOKENS, { block });
  const { tokens } = data as { tokens: { nodes: { address: string }[] } };
  const answers: unknown[] = [await gateway.graphql(FACTS, { block })];
  const { facts } = (answers[0] as { data: Facts }).data;
  if (facts.transfers.nodes.length > 0 && facts.markets.nodes.some(({ swaps }) => (swaps ?? []).length > 0))
    kinds.add("swaps of markets");
  for (const { address } of tokens.nodes) {
    const answer = await gateway.graphql(HELD, { token: address, block, users: USERS });
    // in the order in which the database has their rows
    (answer.data as Held | null)?.balances?.unattributed.sort((a, b) =>
      JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
    );
    // reads all holders, from which some are answered at later blocks
    const { status, body } = await gateway.get(`/balances/${address}?blockNumber=${block.number}`);
    answers.push(answer, { status, body });
  }
  return answers;
}

/** At the newest block, and a little below it. */
async function compare(about: string): Promise<void> {
  const { data } = await warm.graphql("{ status { lastSyncedBlock } }");
  const head = (data as { status: { lastSyncedBlock: number } }).status.lastSyncedBlock;
  for (const number of [head, Math.max(0, head - 3)]) {
    cold.service.cache.clear();
    const [found, expected] = [await everything(warm, { number }), await everything(cold, { number })];
    expect(found, `${about}, block ${number} of ${head}`).toEqual(expected);
    questions += found.length;
    for (const one of found as { data?: Held | null }[]) {
      for (const { sources } of one.data?.balances?.nodes ?? []) for (const { source } of sources) kinds.add(source);
      if ((one.data?.balances?.incomplete.length ?? 0) > 0) kinds.add("incomplete");
    }
  }
}

/** REST answers in human numbers. */
async function nameTokens(): Promise<void> {
  const named = await database.sql`
    insert into fold_walk.token (address, name, symbol, decimals, read_at_block)
    select key, 'Token', 'T', 18, 0 from fold_walk.asset where kind = 'erc20'
        on conflict do nothing returning address`;
  if (named.length > 0) await raiseRevision(database.sql, "fold_walk");
}

const stored = (cache: AnswerCache, name: string) =>
  cache.stats().questions.find(({ question }) => question === name) ?? { hits: 0, misses: 0 };

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database?.stop());

describe("a gateway that follows a chain", () => {
  it.each(Array.from({ length: WALKS }, (_, i) => `warm ${FIRST + i}`))(
    "says what one that has just begun says (%s)",
    { timeout: 1_200_000 },
    async (seed) => {
      const walk = new RandomWalk(database, seed);
      await walk.begin();
      await database.sql`delete from tidemark.live`;
      await database.sql`insert into tidemark.live (chain_id, ponder_schema, fold_schema) values (31337, 'facts_walk', 'fold_walk')`;
      [warm, cold] = [openGateway(database.url, chain), openGateway(database.url, chain)];
      try {
        for (let event = 0; event < EVENTS; event += 1) {
          await walk.step();
          await nameTokens();
          await compare(`seed ${seed}, event ${event}: ${walk.story.slice(-6).join("; ")}`);
        }
        const { cache } = warm.service;
        for (const name of ["holders", "token-holders", "amounts", "v3-pool-states", "islands"])
          expect(stored(cache, name).hits, name).toBeGreaterThan(0);
        expect(walk.counts.reorgs).toBeGreaterThan(EVENTS / 6);
      } finally {
        await Promise.all([warm.close(), cold.close()]);
        await walk.end();
      }
    },
  );

  it("has been asked about wallets, positions and swaps at least, and over more walks about vaults and what waits", () => {
    expect(questions).toBeGreaterThan(10 * EVENTS);
    const least =
      WALKS > 2 ? ["balance", "external_vaults", "farm", "incomplete", "v3-position"] : ["balance", "v3-position"];
    expect([...kinds]).toEqual(expect.arrayContaining([...least, "swaps of markets"]));
  });
});
