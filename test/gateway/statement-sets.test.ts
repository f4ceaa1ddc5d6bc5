// Statements for several sets of parameters, run by PostgreSQL, those of requests that ask about several blocks each among them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsOfSets, setsParameter, textForSets } from "../../gateway/database/statement-sets.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const TEXT = "select n from generate_series(1, $1::int4) n where n <> $2::int4 order by n";
const PAIRS = 3;
const [DEV, FACTORY, ROUTER] = [1, 70, 71].map(accountOf) as [string, string, string];
const pairs = Array.from({ length: PAIRS }, (_, i) => ({
  ...{ pair: tokenOf(10 + i), token0: tokenOf(20 + i), token1: tokenOf(30 + i), ordinal: i + 1 },
}));
const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  v2: { factory: { address: FACTORY, startBlock: 0 }, router: ROUTER },
});

/** Every pair has more in each block, the later ones more than the earlier. */
function tellPairs(): Script {
  const script = new Script();
  for (const { pair, token0, token1, ordinal } of pairs)
    script.tell("v2_pair_created", { factory: FACTORY, pair, token0, token1, ordinal });
  for (let i = 1; i <= 6; i++) {
    for (const { pair, token0, token1, ordinal } of pairs) {
      for (const token of [pair, token0, token1])
        script.mint(token, token === pair ? DEV : pair, 100n * BigInt(ordinal));
      script.tell("v2_sync", { pair, reserve0: `${100 * i * ordinal}`, reserve1: `${100 * i * ordinal}` });
    }
    script.nextBlock();
  }
  return script;
}

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildScripted(database.sql, tellPairs(), {
    ...{ ponderSchema: "facts_sets", foldSchema: "fold_sets", finalized: 3, chain },
  });
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

describe("a statement for several sets of parameters", () => {
  const rowsOf = async (text: string, parameter: string) => [
    ...(await database.sql.unsafe<object[]>(text, [parameter])),
  ];
  const read = async (text: string, sets: string[][]) =>
    rowsOfSets(text, await rowsOf(textForSets(text, sets), setsParameter(text, sets)), sets);
  const listed = (...numbers: number[]) => numbers.map((n) => ({ n }));

  it("gives each its own rows in their order", async () => {
    const sets = ["3 2", "0 0", "2 0"].map((one) => one.split(" "));
    expect(await read(TEXT, sets)).toEqual([listed(1, 3), [], listed(1, 2)]);
  });

  it("gives each its own where several that are for several sets are sent as one", async () => {
    const sent = [
      ["1 0", "2 0", "3 0"],
      ["3 3", "0 0"],
      ["0 0", "1 0"],
    ].map((sets) => sets.map((one) => one.split(" ")));
    const inner = textForSets(TEXT, sent[0] ?? []);
    const found = await read(
      inner,
      sent.map((sets) => [setsParameter(TEXT, sets)]),
    );
    expect(found.map((rows, i) => rowsOfSets(TEXT, rows, sent[i] ?? []))).toEqual([
      [listed(1), listed(1, 2), listed(1, 2, 3)],
      [listed(1, 2), []],
      [[], listed(1)],
    ]);
  });
});

describe("questions about many blocks", () => {
  it("are answered at the same time as one after the other", async () => {
    const paths = pairs.map(({ pair }) => `/shares/${pair}/history?fromBlock=1&toBlock=6&points=6`);
    // the head is known from then on, and what is asked in one turn is sent together
    await gateway.get(`/balances/${tokenOf(10)}?blockNumber=1`);
    const together = await Promise.all(paths.map((path) => gateway.get(path)));
    for (const [i, path] of paths.entries()) {
      const alone = openGateway(database.url, chain);
      expect({ path, body: together[i]?.body }).toEqual({ path, body: (await alone.get(path)).body });
      await alone.close();
    }
  });
});
