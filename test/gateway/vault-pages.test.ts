// Pages of `vaults` in GraphQL: whatever happens between two of them, they are the list of the block they began with.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutBackTo, followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { walkPages } from "../support/walked-pages.ts";

const HONEY = tokenOf(11);
const [ALICE, FACTORY] = [1, 70].map(accountOf) as [string, string];
/** Of one token each with HONEY, and of different worth: the third as much as the second, the last nothing. */
const PAIRS = [101, 102, 103, 104].map((n) => ({ pair: tokenOf(n), token: tokenOf(n - 80) }));
const AMOUNTS = [3_000n, 5_000n, 5_000n, 0n];
const HEAD = 3;
const index = { ponderSchema: "facts_vault_pages", foldSchema: "fold_vault_pages" };

/** Block 2 announces the pairs, block 3 fills them; ALICE has shares of the first two. */
function tellPairs(): Script {
  const script = new Script();
  script.nextBlock();
  for (const [ordinal, { pair, token }] of PAIRS.entries()) {
    const [token0, token1] = [HONEY, token].sort() as [string, string];
    script.tell("v2_pair_created", { factory: FACTORY, pair, token0, token1, ordinal: String(ordinal + 1) });
  }
  script.nextBlock();
  for (const [i, { pair, token }] of PAIRS.entries()) {
    const amount = (AMOUNTS[i] ?? 0n) * 10n ** 18n;
    if (amount === 0n) continue;
    script.nextTransaction();
    for (const one of [HONEY, token]) script.mint(one, pair, amount);
    script.move(pair, { from: ZERO, to: ZERO, amount: 1_000n });
    script.mint(pair, i < 2 ? ALICE : FACTORY, amount);
    script.tell("v2_sync", { pair, reserve0: String(amount), reserve1: String(amount) });
  }
  return script;
}

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellPairs(), { ...index, finalized: 1 });
  const v2 = { factory: { address: FACTORY, startBlock: 0 }, router: FACTORY };
  const stables = [{ address: HONEY, priceUsd: "1" }];
  gateway = openGateway(
    database.url,
    chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, v2, stables, minimumPricingDepthUsd: 1 }),
  );
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const walk = (more: string, pageSize: number, between?: () => Promise<void>) =>
  walkPages<{ id: string }>(gateway, {
    ...{ field: "vaults", with: more, node: "id", pageSize, size: "limit", total: "count" },
    ...(between ? { between } : {}),
  });

interface Shown {
  nodes: { id: string }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

async function page(more: string): Promise<{ shown: Shown | undefined; code: unknown }> {
  const { data, errors } = await gateway.graphql(
    `{ vaults(limit: 1, ${more}) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
  );
  return { shown: (data as { vaults: Shown } | null)?.vaults, code: errors?.[0]?.extensions?.code };
}

/** A block after the head; another one with another `fork`. */
async function addBlock(fork: number): Promise<void> {
  const [schema, number] = [database.sql(index.ponderSchema), HEAD + 1];
  await database.sql`delete from ${schema}.block where number = ${number}`;
  await database.sql`insert into ${schema}.block values (${number}, ${hashOf(number, fork)}, ${timestampOf(number)}, null)`;
  await followFacts(database.sql, index);
}

async function takeItBack(): Promise<void> {
  await database.sql`delete from ${database.sql(index.ponderSchema)}.block where number = ${HEAD + 1}`;
  await cutBackTo(database.sql, index, HEAD);
}

describe("pages of vaults", () => {
  it.each([
    ["", 4],
    [`user: "${ALICE}"`, 2],
    ["orderBy: apr, orderDirection: asc", 4],
    ["minimumTvl: 7000", 2],
    ["rewardVault: true", 0],
  ])("give the list of (%s) by one as at once", async (more, count) => {
    const { nodes } = await walk(more, 1_000);
    expect(nodes).toHaveLength(count);
    expect(await walk(more, 1)).toEqual({ nodes, pages: Math.max(count, 1) });
  });

  it("come by worth, equal ones by id", async () => {
    const [first, second, third, fourth] = PAIRS.map(({ pair }) => ({ id: pair }));
    expect((await walk("", 3)).nodes).toEqual([second, third, first, fourth]);
  });

  it("count an offset from the cursor", async () => {
    const { nodes } = await walk("", 1_000);
    const first = await page("offset: 0");
    const third = await page(`offset: 1, after: "${first.shown?.pageInfo.endCursor}"`);
    expect(third.shown?.nodes).toEqual(nodes.slice(2, 3));
    expect((await page(`offset: 9, after: "${first.shown?.pageInfo.endCursor}"`)).shown).toEqual({
      nodes: [],
      pageInfo: { hasNextPage: false, endCursor: null },
    });
  });

  it("stay on their block while another one comes", async () => {
    const { nodes } = await walk("", 1_000);
    expect((await walk("", 1, () => addBlock(0))).nodes).toEqual(nodes);
    await takeItBack();
  });

  it("end with an error when their block is replaced, and when the filters change", async () => {
    await addBlock(0);
    const cursor = (await page("offset: 0")).shown?.pageInfo.endCursor;
    expect((await page(`after: "${cursor}", search: "nothing is called so"`)).code).toBe("INVALID_INPUT");
    expect((await page(`after: "${cursor}", block: {number: ${HEAD}}`)).code).toBe("INVALID_INPUT");
    expect((await page('after: "x"')).code).toBe("INVALID_INPUT");
    await addBlock(1);
    expect((await page(`after: "${cursor}"`)).code).toBe("BLOCK_REPLACED");
    await takeItBack();
  });
});
