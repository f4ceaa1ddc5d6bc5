// Several blocks of one second: what is known of one of them must not be taken for the next one's.
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const E = 10n ** 18n;
const [USD, TOKEN, LATER] = [tokenOf(1), tokenOf(2), tokenOf(3)];
const [PAIR, LATER_PAIR] = [tokenOf(101), tokenOf(102)];
const [ALICE, FACTORY] = [accountOf(1), accountOf(90)];
/** One pair is made in the first block of a second, and pushed in the next, in which the other is made. */
const AT = { made: 3, pushed: 4, head: 6 } as const;

const chain = chainFixture({
  chainId: SCRIPT_CHAIN_ID,
  startBlock: 0,
  stables: [{ address: USD, priceUsd: "1" }],
  v2: { factory: { address: FACTORY, startBlock: 0 }, router: accountOf(91) },
});

const sync = (script: Script, pair: string, usd: bigint) =>
  script.tell("v2_sync", { pair, reserve0: `${usd * E}`, reserve1: `${10_000n * E}` });

function tellPair(script: Script, pair: string, token: string): void {
  const ordinal = pair.slice(-3);
  script.tell("v2_pair_created", { factory: FACTORY, pair, token0: USD, token1: token, ordinal });
  sync(script, pair, 20_000n);
}

function tellAll(): Script {
  const script = new Script();
  for (const token of [USD, TOKEN, LATER]) script.mint(token, ALICE, E);
  while (script.nextBlock() < AT.made);
  tellPair(script, PAIR, TOKEN);
  script.nextBlock();
  sync(script, PAIR, 50_000n);
  tellPair(script, LATER_PAIR, LATER);
  while (script.nextBlock() < AT.head);
  return script;
}

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  const index = { ponderSchema: "facts_second", foldSchema: "fold_second", finalized: 5 };
  await buildScripted(database.sql, tellAll(), index);
  await database.sql`update fold_second.block set timestamp = ${timestampOf(AT.made)} where number = ${AT.pushed}`;
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

it.each([
  ["a pair that the next one pushes", TOKEN, ["2", "2"]],
  ["a pair that is made in the next one", LATER, [null, "2"]],
])(
  "a question about several blocks has the same prices of %s as one question for each block",
  async (_, token, expected) => {
    const shown = async (query: string) => {
      const { data, errors } = await gateway.graphql(`{ shown: ${query} }`);
      expect(errors).toBeUndefined();
      return (data as { shown: unknown }).shown;
    };
    const { nodes } = (await shown(
      `priceHistory(token: "${token}", from: {number: ${AT.made}}, to: {number: ${AT.head}}, points: 4) { nodes { price { usd } } }`,
    )) as { nodes: { price: { usd: string } | null }[] };
    const alone = [];
    for (let block: number = AT.made; block <= AT.head; block++) {
      const [of] = (await shown(
        `tokenPrices(addresses: ["${token}"], block: {number: ${block}}) { price { usd } }`,
      )) as [{ price: { usd: string } | null }];
      alone.push(of.price?.usd ?? null);
    }
    expect(nodes.map(({ price }) => price?.usd ?? null)).toEqual(alone);
    expect(alone[0]).toBe(expected[0]);
  },
);
