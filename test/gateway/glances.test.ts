// Answers of one statement are those of a transaction, byte for byte; and they are given up when something has moved.

import { pino } from "pino";
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { Service } from "../../gateway/context.ts";
import { openDatabase } from "../../gateway/ledger/database.ts";
import { createApp } from "../../gateway/server.ts";
import { openService } from "../../gateway/service.ts";
import { chainFixture } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID, Script } from "../support/scripted-index.ts";
import { ALICE, BOB, BREAKING, PLAIN, smallIndex, UNKNOWN } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

interface Asked {
  transactions: number;
  glances: number;
}

/** A gateway that counts, with or without glances. */
function openCounted(url: string, chain: ChainFile, { mayGlance }: { mayGlance: boolean }) {
  const { glance, ...database } = openDatabase(url);
  const asked: Asked = { transactions: 0, glances: 0 };
  const counted: Service["database"] = {
    ...database,
    connect: () => {
      asked.transactions += 1;
      return database.connect();
    },
  };
  if (mayGlance && glance)
    counted.glance = (text, parameters) => {
      asked.glances += 1;
      return glance(text, parameters);
    };
  const service = openService({ chains: [chain], database: counted });
  const app = createApp(service, pino({ level: "silent" }));
  const answerOf = async (question: string): Promise<string> => {
    const isPath = question.startsWith("/");
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: question }),
    };
    const response = await (isPath ? app.request(question) : app.request("/graphql", init));
    return `${response.status} ${await response.text()}`;
  };
  return { asked, answerOf, close: () => database.close() };
}

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await startTestDatabase();
  sql = database.sql;
});
afterAll(() => database.stop());

/**
 * Until everything is known: as Yoga reads it, then as a known query, then with all issuers; the second time that balances
 * are missed all holders are read, and then they are answered from memory.
 */
const ASKED_BEFORE = 6;

async function compare(chain: ChainFile, questions: readonly string[]): Promise<void> {
  const [long, short] = [true, false].map((isLong) => openCounted(database.url, chain, { mayGlance: !isLong }));
  if (!long || !short) throw new Error("there are two");
  try {
    for (const question of questions) {
      const expected = await long.answerOf(question);
      for (let i = 0; i < ASKED_BEFORE; i++) expect(await short.answerOf(question)).toBe(expected);
      short.asked.transactions = 0;
      short.asked.glances = 0;
      expect([question, await short.answerOf(question)]).toEqual([question, expected]);
      expect([question, short.asked]).toEqual([question, { transactions: 0, glances: 1 }]);
    }
  } finally {
    await long.close();
    await short.close();
  }
}

const list = (users: readonly string[]) => JSON.stringify(users);
const FIELDS = `nodes { account total totalDecimal replacedBy sources { source value contract } } totalCount lastSyncedBlock
  pageInfo { hasNextPage endCursor } block { number hash timestamp } token { symbol totalSupply } unattributed { reason amount }`;
const question = (token: string, users: readonly string[], block: string) =>
  `{ balances(token: "${token}", users: ${list(users)}, ${block} first: 3) { ${FIELDS} } }`;

describe("one statement", () => {
  it("answers for wallets as a transaction does, below and above the watermark", async () => {
    await buildIndex(sql, smallIndex);
    const users = [BOB, ZERO, UNKNOWN, ALICE];
    const chain = chainFixture({ chainId: smallIndex.chainId, startBlock: 100 });
    await compare(
      chain,
      [101, 104, 110, 112, 115].flatMap((block) => [
        `/balances/${PLAIN}?blockNumber=${block}&users=${users}`,
        question(PLAIN, users, `block: {number: ${block}},`),
      ]),
    );
    await compare(chain, [`/balances/${PLAIN}?blockNumber=99999999999&users=${users}`, question(PLAIN, users, "")]);
  });

  const [A, B, PAIR] = [tokenOf(1), tokenOf(2), tokenOf(101)];
  const [HOLDER, OTHER] = [accountOf(1), accountOf(2)];

  it.each([5, 2])(
    "answers for shares of contracts, which have nothing themselves (watermark %i)",
    async (watermark) => {
      const script = new Script();
      for (const token of [A, B]) for (const account of [HOLDER, OTHER]) script.mint(token, account, 1_000_003n);
      script.nextBlock(); // 2
      const factory = accountOf(90);
      script.tell("v2_pair_created", { factory, pair: PAIR, token0: A, token1: B, ordinal: "1" });
      for (const token of [A, B]) script.move(token, { from: HOLDER, to: PAIR, amount: 100_000n });
      script.mint(PAIR, ZERO, 1_000n);
      script.mint(PAIR, HOLDER, 99_000n);
      script.nextBlock(); // 3
      script.move(A, { from: OTHER, to: PAIR, amount: 7n });
      script.nextBlock(); // 4
      script.move(PAIR, { from: HOLDER, to: OTHER, amount: 33n });
      script.nextBlock(); // 5
      const names = { ponderSchema: `facts_glance_${watermark}`, foldSchema: `fold_glance_${watermark}` };
      await buildScripted(sql, script, { ...names, watermark });
      const v2 = { factory: { address: factory, startBlock: 0 }, router: accountOf(91) };
      const users = [HOLDER, PAIR, OTHER, ZERO];
      await compare(
        chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, v2 }),
        [A, PAIR].flatMap((token) => [2, 3, 4].map((block) => question(token, users, `block: {number: ${block}},`))),
      );
    },
  );
});

describe("when something has moved since", () => {
  it("tells of the new head, of a replaced one, and of another index", async () => {
    const chain = chainFixture({ chainId: smallIndex.chainId, startBlock: 100 });
    await buildIndex(sql, { ...smallIndex, ponderSchema: "facts_moving", foldSchema: "fold_moving" });
    const gateway = openCounted(database.url, chain, { mayGlance: true });
    const now = `/balances/${PLAIN}?blockNumber=99999999999&users=${ALICE}`;
    const ask = async () => JSON.parse((await gateway.answerOf(now)).slice("200 ".length)) as Shown;
    interface Shown {
      results: { total: number }[];
      lastSyncedBlock: number;
    }
    const shown = ({ results, lastSyncedBlock }: Shown) => [lastSyncedBlock, results[0]?.total];
    for (let i = 0; i < ASKED_BEFORE; i++) expect(shown(await ask())).toEqual([115, 1.499999]);

    const block = (hash: string) =>
      sql`insert into facts_moving.block values (116, ${hash}, ${timestampOf(116)}, null)`;
    const give = (amount: string) => sql`
      insert into facts_moving.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
      values (116, 0, 0, ${timestampOf(116)}, ${PLAIN}, ${ZERO}, ${ALICE}, ${amount})`;
    await block(hashOf(116));
    await give("1000000");
    for (let i = 0; i < ASKED_BEFORE; i++) expect(shown(await ask())).toEqual([116, 2.499999]);

    await sql.begin(async (tx) => {
      await tx`delete from facts_moving.block where number = 116`;
      await tx`delete from facts_moving.erc20_transfer where block = 116`;
    });
    await block(hashOf(9_116));
    await give("2000000");
    for (let i = 0; i < ASKED_BEFORE; i++) expect(shown(await ask())).toEqual([116, 3.499999]);

    await buildIndex(sql, { ...smallIndex, ponderSchema: "facts_moved", foldSchema: "fold_moved", head: 118 });
    for (let i = 0; i < ASKED_BEFORE; i++) expect(shown(await ask())).toEqual([118, 1.499999]);
    expect(gateway.asked.glances).toBeGreaterThan(4);
    await sql`update fold_moved.meta set fact_oid = 1`;
    expect(await gateway.answerOf(now)).toContain("INDEX_FOLDING");
    await gateway.close();
  });

  it("refuses a token whose ledger breaks, however often it is asked", async () => {
    const chain = chainFixture({ chainId: smallIndex.chainId, startBlock: 100 });
    await buildIndex(sql, { ...smallIndex, ponderSchema: "facts_broken", foldSchema: "fold_broken" });
    const gateway = openCounted(database.url, chain, { mayGlance: true });
    const path = (block: number) => `/balances/${BREAKING}?blockNumber=${block}&users=${ALICE}`;
    for (let i = 0; i < ASKED_BEFORE + 1; i++) {
      expect(await gateway.answerOf(path(114))).toMatch(/^409 .*TOKEN_NOT_STANDARD/);
      expect(await gateway.answerOf(path(112))).toMatch(/^200 /);
    }
    expect(gateway.asked.glances).toBeGreaterThan(0);
    await gateway.close();
  });
});
