// What a gateway has stored while it lives on: after blocks came, went or became final it answers as one that has just begun.
import { describe, expect, it } from "vitest";
import { cutBackTo, setCheckpoint } from "../support/folded-index.ts";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";
import { hashOf, timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { routerQuery } from "../support/router-questions.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { buildScripted, followScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";

const [A, B, PAIR, LATE, LATE_PAIR] = [1, 2, 3, 4, 5].map(tokenOf) as [string, string, string, string, string];
const [DEV, BOB, FACTORY, ROUTER] = [1, 2, 70, 71].map(accountOf) as [string, string, string, string];

const chain = chainFixture({
  ...{ chainId: SCRIPT_CHAIN_ID, startBlock: 0 },
  v2: { factory: { address: FACTORY, startBlock: 0 }, router: ROUTER },
});

/** DEV has three quarters of the pair's shares, BOB the rest; LATE comes in block 3, with a pair of its own. */
function tellPair(): Script {
  const script = new Script();
  for (const token of [A, B]) script.mint(token, DEV, 1_000_000n);
  script.tell("v2_pair_created", { factory: FACTORY, pair: PAIR, token0: A, token1: B, ordinal: 1 });
  for (const token of [A, B]) script.move(token, { from: DEV, to: PAIR, amount: 100_000n });
  script.mint(PAIR, ZERO, 1_000n);
  script.mint(PAIR, DEV, 74_000n);
  script.mint(PAIR, BOB, 25_000n);
  script.tell("v2_sync", { pair: PAIR, reserve0: "100000", reserve1: "100000" });
  script.nextBlock();
  script.move(A, { from: DEV, to: BOB, amount: 5n });
  script.nextBlock();
  for (const [token, amount] of [
    [A, 100_000n],
    [LATE, 7_000_000n],
  ] as const)
    script.mint(token, LATE_PAIR, amount);
  script.tell("v2_pair_created", { factory: FACTORY, pair: LATE_PAIR, token0: A, token1: LATE, ordinal: 2 });
  script.tell("v2_sync", { pair: LATE_PAIR, reserve0: "100000", reserve1: "7000000" });
  return script;
}

const open = scriptedGateway(chain);

/** Of the gateway that has been there all the time, and of one that has just begun. */
async function bothOf(path: string): Promise<[unknown, unknown]> {
  const begun = openGateway(open.database.url, chain);
  try {
    return [await open.gateway.get(path), await begun.get(path)].map(({ status, body }) => ({ status, body })) as never;
  } finally {
    await begun.close();
  }
}

/** Block 4, in which `token` sends what nobody has. */
async function overspend(index: { ponderSchema: string; foldSchema: string; finalized: number }, token: string) {
  const { sql } = open.database;
  const place = { block: 4, log_index: 1, tx_index: 0, timestamp: timestampOf(4) };
  await sql`insert into ${sql(index.ponderSchema)}.block values (4, ${hashOf(4)}, ${timestampOf(4)}, null)`;
  await sql`insert into ${sql(index.ponderSchema)}.erc20_transfer
    ${sql({ ...place, token, from: accountOf(9), to: BOB, amount: "1" })}`;
  await followScripted(sql, { ...index, chain });
}

describe("a gateway that lives on", () => {
  it("knows nothing of a token any more whose first block was taken back, at final blocks neither", async () => {
    const index = { ponderSchema: "facts_late", foldSchema: "fold_late", finalized: 2 };
    await buildScripted(open.database.sql, tellPair(), { ...index, chain });
    const path = `/balances/${LATE}?blockNumber=1`;
    expect((await open.gateway.get(path)).status).toBe(200);
    await cutBackTo(open.database.sql, index, 2);
    const [lived, begun] = await bothOf(path);
    expect(begun).toMatchObject({ status: 404 });
    expect(lived).toEqual(begun);
  });

  it("quotes by the decimals of the token that came again after its first block was taken back", async () => {
    const index = { ponderSchema: "facts_again", foldSchema: "fold_again", finalized: 2 };
    const { sql } = open.database;
    await buildScripted(sql, tellPair(), { ...index, chain });
    const path = `/router/quote?${routerQuery({ tokenInAddress: A, tokenOutAddress: LATE, amount: 1_000 })}`;
    expect((await open.gateway.get(path)).status).toBe(200);
    await sql`delete from facts_again.block where number = 3`;
    await cutBackTo(sql, index, 2);
    await sql`insert into facts_again.block values (3, ${hashOf(3, 1)}, ${timestampOf(3)}, null)`;
    await followScripted(sql, { ...index, chain });
    await sql`insert into fold_again.token values (${Buffer.from(LATE.slice(2), "hex")}, 'N', 'N', 6, 0, null)`;
    await sql`update fold_again.meta set revision = revision + 1`;
    const [lived, begun] = await bothOf(path);
    expect(JSON.stringify(begun)).toContain('"decimals":"6"');
    expect(lived).toEqual(begun);
  });

  it("shows a token's quarantine at every block, and none once the block that caused it is taken back", async () => {
    const index = { ponderSchema: "facts_odd", foldSchema: "fold_odd", finalized: 2 };
    await buildScripted(open.database.sql, tellPair(), { ...index, chain });
    const query = `{ token(address: "${A}", block: { number: 1 }) { quarantine { block } } }`;
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    await open.gateway.get(path);
    await overspend(index, A);
    const [lived, begun] = await bothOf(path);
    expect(begun).toMatchObject({ body: { data: { token: { quarantine: { block: 4 } } } } });
    expect(lived).toEqual(begun);
    await cutBackTo(open.database.sql, index, 3);
    const [before, anew] = await bothOf(path);
    expect(before).toEqual(anew);
  });

  it("names a pair whose shares are quarantined in a block that came later", async () => {
    const index = { ponderSchema: "facts_pair", foldSchema: "fold_pair", finalized: 2 };
    await buildScripted(open.database.sql, tellPair(), { ...index, chain });
    const query = `{ balances(token: "${A}") { incomplete } account(address: "${BOB}") { balances { incomplete } } }`;
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    await open.gateway.get(path);
    await overspend(index, PAIR);
    const [lived, begun] = await bothOf(path);
    const incomplete = [PAIR];
    expect(begun).toMatchObject({
      body: { data: { balances: { incomplete }, account: { balances: { incomplete } } } },
    });
    expect(lived).toEqual(begun);
  });

  it("goes by the holders of a share until its quarantine is final, and no longer", async () => {
    const index = { ponderSchema: "facts_share", foldSchema: "fold_share", finalized: 2 };
    await buildScripted(open.database.sql, tellPair(), { ...index, chain });
    const paths = [`/balances/${A}?blockNumber=1`, `/balances/${A}?blockNumber=1&users=${DEV},${BOB}`];
    await overspend(index, PAIR);
    for (const path of paths) await open.gateway.get(path);
    await setCheckpoint(open.database.sql, index.ponderSchema, 5);
    await followScripted(open.database.sql, { ...index, chain });
    for (const path of paths) {
      const [lived, begun] = await bothOf(path);
      expect(lived).toEqual(begun);
    }
  });
});
