// Symbols that are read from the chain after an answer was first given: what depends on them changes with them.
import { expect, it } from "vitest";
import { chainFixture } from "../support/gateway-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";

const [A, B, PAIR] = [tokenOf(1), tokenOf(2), tokenOf(101)];
const [ALICE, FACTORY] = [accountOf(1), accountOf(90)];
const index = { ponderSchema: "facts_symbols", foldSchema: "fold_symbols", finalized: 3 };
const v2 = { factory: { address: FACTORY, startBlock: 0 }, router: accountOf(91) };
const open = scriptedGateway(chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, v2 }));

function tellPair(): Script {
  const script = new Script();
  script.mint(A, ALICE, 1_000n);
  script.nextBlock();
  script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0: A, token1: B, ordinal: "1" });
  script.move(A, { from: ALICE, to: PAIR, amount: 100n });
  script.mint(PAIR, ALICE, 100n);
  script.nextBlock();
  return script;
}

interface Sources {
  sources: { contracts: { symbol: string | null }[] }[];
}

const symbolsOf = async (answer: Response): Promise<(string | null)[]> =>
  ((await answer.json()) as Sources).sources.flatMap(({ contracts }) => contracts.map(({ symbol }) => symbol));

it("an answer without a symbol may not be cached, and its tag does not match the answer that has the symbol", async () => {
  const { database, gateway } = open;
  await buildScripted(database.sql, tellPair(), index);
  const [read] = await database.sql`
    delete from fold_symbols.token where address = decode(${PAIR.slice(2)}, 'hex') returning *`;
  const path = `/balances/${A}/distribution?blockNumber=2`;

  const unread = await gateway.app.request(path);
  const held = { "if-none-match": unread.headers.get("etag") ?? "" };
  expect(unread.headers.get("cache-control")).toBe("no-cache");
  expect(await symbolsOf(unread)).toEqual([null]);
  expect((await gateway.app.request(path, { headers: held })).status).toBe(304);

  await database.sql`insert into fold_symbols.token ${database.sql(read as Record<string, unknown>)}`;
  const answered = await gateway.app.request(path, { headers: held });
  expect([answered.status, answered.headers.get("cache-control")]).toEqual([
    200,
    "public, max-age=31536000, immutable",
  ]);
  expect(await symbolsOf(answered)).toEqual(["T"]);
});

it("a search of tokens at a final block counts those whose names were read after it was first asked", async () => {
  const { database, gateway } = open;
  const ask = () => gateway.data(`{ tokens(search: "T", block: { number: 2 }) { totalCount nodes { address } } }`);
  const read = await database.sql`delete from fold_symbols.token returning *`;
  expect(await ask()).toEqual({ tokens: { totalCount: 0, nodes: [] } });
  for (const row of read) await database.sql`insert into fold_symbols.token ${database.sql(row)}`;
  const nodes = [A, PAIR].map((address) => ({ address }));
  expect(await ask()).toEqual({ tokens: { totalCount: 2, nodes } });
});
