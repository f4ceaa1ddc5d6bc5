// Tokens whose price the chain file says, before their first event: nothing is known of them yet, in any answer.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [STABLE, AS_STABLE, OTHER] = [tokenOf(1), tokenOf(2), tokenOf(3)];
/** The stable token first moves in the second hour of UTC, the one priced like it right after. */
const AT = { stable: 1_450, asStable: 1_451, head: 2_000, finalized: 1_990 } as const;
const FIRST_EVENTS = [
  [STABLE, AT.stable],
  [AS_STABLE, AT.asStable],
] as const;

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0, stables: [{ address: STABLE, priceUsd: "1" }] },
  pricedAs: { [AS_STABLE]: STABLE },
});

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  const script = new Script();
  while (script.nextBlock() < AT.head) {
    if (script.block === 2) script.mint(OTHER, accountOf(1), 1n);
    for (const [token, first] of FIRST_EVENTS) if (script.block === first) script.mint(token, accountOf(1), 1n);
  }
  const schemas = { ponderSchema: "facts_first", foldSchema: "fold_first" };
  await buildScripted(database.sql, script, { ...schemas, finalized: AT.finalized });
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const PRICED = { usd: "1", strategy: "fixed" };

describe.each(FIRST_EVENTS)("token %s, whose first event is in block %s, has a price from then on", (token, first) => {
  it.each([0, first - 1, first, AT.head])("by REST and GraphQL alike at block %s", async (block) => {
    const { body } = await gateway.get(`/tokens?addresses=${token}&blockNumber=${block}`);
    const isSeen = block >= first;
    const shown = { known: isSeen, price: isSeen ? 1 : 0, priceStrategy: isSeen ? "fixed" : "none" };
    expect(body).toMatchObject([shown]);
    const answer = await gateway.data<{ token: unknown; tokenPrices: unknown[] }>(
      `{ token(address: "${token}") { price(block: {number: ${block}}) { usd strategy } }
         tokenPrices(addresses: ["${token}"], block: {number: ${block}}) { known price { usd strategy } } }`,
    );
    const price = isSeen ? PRICED : null;
    expect(answer).toEqual({ token: { price }, tokenPrices: [{ known: isSeen, price }] });
  });

  it("in a history", async () => {
    const { priceHistory } = await gateway.data<{
      priceHistory: { nodes: { block: { number: number }; price: unknown }[] };
    }>(
      `{ priceHistory(token: "${token}", from: {number: ${first - 2}}, to: {number: ${first + 1}}) { nodes { block { number } price { usd } } } }`,
    );
    expect(priceHistory.nodes.map(({ block, price }) => [block.number, price !== null])).toEqual([
      [first - 2, false],
      [first - 1, false],
      [first, true],
      [first + 1, true],
    ]);
  });

  it("in a series", async () => {
    const { tokenSeries } = await gateway.data<{ tokenSeries: { block: number; priceUSD: string | null }[] }>(
      `{ tokenSeries(token: "${token}", interval: hour, from: ${timestampOf(0)}, to: ${timestampOf(AT.head)}) { block priceUSD } }`,
    );
    expect(tokenSeries.map(({ block, priceUSD }) => [block >= first, priceUSD])).toEqual([
      [false, null],
      [true, "1"],
    ]);
  });
});
