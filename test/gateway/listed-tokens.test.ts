// A chain file that lists tokens: transfers of others are not indexed, so that nobody can say how much of them a pair holds.
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const E = 10n ** 18n;
const [USD, LISTED, OTHER] = [tokenOf(1), tokenOf(2), tokenOf(3)];
const [KNOWN, HALF] = [tokenOf(101), tokenOf(102)];
const [ALICE, FACTORY] = [accountOf(1), accountOf(90)];

const place = (address: string) => ({ address, startBlock: 0 });
const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0, tokens: [USD, LISTED].map(place) },
  v2: { factory: place(FACTORY), router: accountOf(92) },
  stables: [{ address: USD, priceUsd: "1" }],
});

function tellPair(script: Script, pair: string, token1: string): void {
  const amount = 5_000n * E;
  script.tell("v2_pair_created", { factory: FACTORY, pair, token0: USD, token1, ordinal: pair.slice(-3) });
  script.move(USD, { from: ALICE, to: pair, amount });
  if (token1 !== OTHER) script.move(token1, { from: ALICE, to: pair, amount });
  script.mint(pair, ALICE, E);
  script.tell("v2_sync", { pair, reserve0: `${amount}`, reserve1: `${amount}` });
}

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  const script = new Script();
  for (const token of [USD, LISTED]) script.mint(token, ALICE, 10_000_000n * E);
  tellPair(script, KNOWN, LISTED);
  tellPair(script, HALF, OTHER);
  script.nextBlock();
  const index = { ponderSchema: "facts_listed", foldSchema: "fold_listed", finalized: 1, chain };
  await buildScripted(database.sql, script, index);
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway?.close();
  await database?.stop();
});

it.each([
  [KNOWN, { tvl: 10_000, unpriced: [] }, { price: { usd: "10000" } }],
  [HALF, { tvl: null, unpriced: [OTHER] }, { price: null }],
])("A pair has a TVL, and its share a price, where both of its tokens are listed: %s", async (pair, vault, share) => {
  const { data, errors } = await gateway.graphql(
    `{ vault(id: "${pair}") { tvl unpriced } tokenPrices(addresses: ["${pair}"]) { price { usd } } }`,
  );
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({ vault, tokenPrices: [share] });
});

it.each([
  [KNOWN, [5_000n * E, 5_000n * E].map(String)],
  [HALF, []],
])("What stands behind a share is known where both of its tokens are listed: %s", async (pair, amounts) => {
  const { status, body } = await gateway.get(`/shares/${pair}/history?fromBlock=1&toBlock=2&points=2`);
  expect(status).toBe(200);
  const results = body.results as { parts: { amount: string }[] }[];
  expect(results.map(({ parts }) => parts.map(({ amount }) => amount))).toEqual([amounts, amounts]);
});
