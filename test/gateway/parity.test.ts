// One operation, two skins, on an index of a few rows: what both say of quarantine, flags and odd tokens, and what they refuse.
// Every question is asked through both by test/seeded/parity.test.ts.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RequestScope } from "../../gateway/context.ts";
import type { Address } from "../../gateway/parameters.ts";
import { accountBalances } from "../../gateway/questions/account-balances.ts";
import { tokenAt, tokensPage } from "../../gateway/questions/tokens.ts";
import { followFacts } from "../support/folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf, timestampOf } from "../support/index-fixture.ts";
import { ZERO } from "../support/reference-ledger.ts";
import {
  ALICE,
  BOB,
  BREAKING,
  BROKEN,
  CAROL,
  PLAIN,
  quarantineSql,
  smallIndex,
  UNITLESS,
  UNKNOWN,
  UNREAD,
  YOUNG,
} from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const ODD_NAME = "name() holds control characters, shown without them";

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: 117 });
  await database.sql.unsafe(quarantineSql(smallIndex));
  await database.sql`insert into tidemark.token_flag values
    (31337, ${Buffer.from(PLAIN.slice(2), "hex")}, 'drift', 110, 'balanceOf differs from events')`;
  await database.sql`update fold_small.token set problem = ${ODD_NAME} where address = ${Buffer.from(YOUNG.slice(2), "hex")}`;
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

const codeOf = async (query: string) => (await gateway.graphql(query)).errors?.[0]?.extensions?.code;

describe("parity", () => {
  it("holds for the status", async () => {
    const { body } = await gateway.get("/status");
    const { status } = await gateway.data<{ status: unknown }>(`{ status {
      chainId chain state reason firstBlock lastSyncedBlock lastSyncedTimestamp chainHead chainHeadAt lag rpcError
      blooms { areChecked reason block since }
      fold { watermark finalized facts updatedAt } builds { ponderSchema ponderBuild foldSchema since }
      tokens { tracked withMetadata } pruned { below loaded { first last rows since } } quarantinedCount quarantined { token name symbol block logIndex account reason }
      metadataProblems { token problem attempts } flags { token flag block detail }
      waiting { step address block reason since } waitingContractsCount stoppedPoolsCount stoppedPools { pool block logIndex field expected replayed }
      stoppedCounts { kind count } stopped { kind address block logIndex reason }
      parts { part schema isLive state reason deaths startedAt heardAt }
      lake { isRunning block writtenAt heardAt waitsFor error } sql { isAnswering block lakeBlock } } }`);
    expect(status).toEqual(body);
    expect(body).toMatchObject({ state: "ready", lastSyncedBlock: 115, chainHead: 117, lag: 2, quarantinedCount: 4 });
    expect(
      (body.quarantined as { token: string; logIndex: number | null }[]).map(({ token, logIndex }) => [
        token,
        logIndex,
      ]),
    ).toEqual([
      [BROKEN, 3],
      [YOUNG, null],
      [UNITLESS, null],
      [BREAKING, 0],
    ]);
    expect(body.quarantined).toContainEqual(
      expect.objectContaining({ token: YOUNG, name: "Token 02", symbol: "T02", reason: ODD_NAME }),
    );
    expect((await gateway.get(`/balances/${YOUNG}?blockNumber=115`)).body.results).toHaveLength(1);
  });

  it.each([
    [105, ""],
    [110, ""],
    [115, ""],
    [112, `${CAROL},${ZERO},${UNKNOWN},${ALICE}`],
    [104, `${BOB}`],
  ])("holds for balances at block %i of '%s'", async (block, users) => {
    const rest = await gateway.get(`/balances/${PLAIN}?blockNumber=${block}${users && `&users=${users}`}`);
    const list = users && `, users: ${JSON.stringify(users.split(","))}`;
    const { balances } = await gateway.data<{
      balances: { nodes: Held[]; lastSyncedBlock: number; block: { number: number } };
    }>(
      `{ balances(token: "${PLAIN}", block: {number: ${block}}${list}) { lastSyncedBlock block { number } token { flags }
         nodes { account totalDouble sources { source valueDouble } } } }`,
    );
    const results = balances.nodes.map(({ account, totalDouble, sources }) => ({
      account,
      total: totalDouble,
      sources: sources.map(({ source, valueDouble }) => ({ source, value: valueDouble })),
      expanded: sources.map(({ source, valueDouble }) => `${source}: ${valueDouble}`).join(", "),
    }));
    expect(rest.text).toBe(JSON.stringify({ results, lastSyncedBlock: balances.lastSyncedBlock }));
    expect(rest.headers.get("x-block-number")).toBe(String(balances.block.number));
    expect(rest.headers.get("x-token-flags")).toBe("drift");
    expect(balances).toMatchObject({ token: { flags: ["drift"] } });
  });

  it("holds for token, tokens and account, which are what the operations give", async () => {
    const scope = new RequestScope(gateway.service);
    const block = { kind: "latest" } as const;
    const tokens = await scope.run(tokensPage, { block, first: 100 });
    const one = await scope.run(tokenAt, { token: PLAIN as Address, block });
    const account = await scope.run(accountBalances, { account: BOB as Address, block, first: 100 });
    await scope.close();
    const shown = await gateway.data<Record<string, unknown>>(`{
      tokens { totalCount nodes { address totalSupply } } token(address: "${PLAIN}") { totalSupply decimals firstBlock flags }
      account(address: "${BOB}") { balances { nodes { token { address } total } } } }`);
    expect(shown).toEqual({
      tokens: {
        totalCount: tokens.totalCount,
        nodes: tokens.entries.map(({ token, totalSupply }) => ({
          address: token.address,
          totalSupply: totalSupply === undefined ? null : String(totalSupply),
        })),
      },
      token: { totalSupply: String(one.totalSupply), decimals: 6, firstBlock: 101, flags: ["drift"] },
      account: {
        balances: {
          nodes: account.entries.map(({ token, amount }) => ({
            token: { address: token.address },
            total: String(amount),
          })),
        },
      },
    });
    expect(tokens.entries.map(({ token }) => token.address)).toEqual([
      PLAIN,
      UNREAD,
      UNITLESS,
      BROKEN,
      BREAKING,
      YOUNG,
    ]);
    expect(tokens.entries.map(({ totalSupply }) => totalSupply)).toEqual([
      3_000_000n,
      7n,
      8n,
      undefined,
      undefined,
      4n,
    ]);
    expect(account.entries).toMatchObject([{ token: { address: YOUNG }, amount: 4n }]);
  });
});

interface Held {
  account: string;
  totalDouble: number;
  sources: { source: string; valueDouble: number }[];
}

describe("GraphQL", () => {
  const at = (block: string) => `{ balances(token: "${PLAIN}", block: ${block}) { block { number timestamp hash } } }`;

  it("takes a number, a timestamp or latest", async () => {
    const numbered = (number: number) => ({
      balances: { block: { number, timestamp: timestampOf(number), hash: hashOf(number) } },
    });
    expect(await gateway.data(at("{number: 107}"))).toEqual(numbered(107));
    expect(await gateway.data(at("{latest: true}"))).toEqual(numbered(115));
    expect(await gateway.data(at(`{timestamp: ${timestampOf(104)}}`))).toEqual(numbered(104));
    expect(await gateway.data(at(`{timestamp: ${timestampOf(104) + 1}}`))).toEqual(numbered(104));
    expect(await gateway.data(at(`{timestamp: ${timestampOf(104) - 1}}`))).toEqual(numbered(103));
    expect(await gateway.data(at(`{timestamp: ${timestampOf(100)}}`))).toEqual(numbered(100));
    expect(await gateway.data(at("{timestamp: 4000000000}"))).toEqual(numbered(115));
  });

  it.each([
    ["{number: 99}", "INVALID_INPUT"],
    ["{number: 116}", "CATCHING_UP"],
    ["{number: 118}", "INVALID_INPUT"],
    [`{timestamp: ${timestampOf(100) - 1}}`, "INVALID_INPUT"],
    ["{}", "INVALID_INPUT"],
    ["{number: 104, latest: true}", "INVALID_INPUT"],
  ])("refuses block %s with %s", async (block, code) => {
    expect(await codeOf(at(block))).toBe(code);
  });

  it("refuses what REST refuses, but gives raw amounts without decimals", async () => {
    const of = (token: string) =>
      `{ balances(token: "${token}") { totalCount nodes { total totalDecimal totalDouble } } }`;
    expect(await codeOf(of(UNKNOWN))).toBe("TOKEN_NOT_TRACKED");
    expect(await codeOf(of(BROKEN))).toBe("TOKEN_NOT_STANDARD");
    expect(await codeOf(of(BREAKING))).toBe("TOKEN_NOT_STANDARD");
    expect(await codeOf(of(PLAIN).replace(")", ", first: 1001)"))).toBe("INVALID_INPUT");
    expect(await codeOf(of(PLAIN).replace(")", ', after: "x")'))).toBe("INVALID_INPUT");
    expect(await codeOf(of(PLAIN).replace(")", ", users: [])"))).toBe("INVALID_INPUT");
    expect(await codeOf(of(PLAIN).replace(")", ", chainId: 1)"))).toBe("INVALID_INPUT");
    for (const [token, total] of [
      [UNREAD, "7"],
      [UNITLESS, "8"],
    ])
      expect(await gateway.data(of(token!))).toEqual({
        balances: { totalCount: 1, nodes: [{ total, totalDecimal: null, totalDouble: null }] },
      });
  });

  it("answers all questions of one request from one snapshot, and pages on the block they began with", async () => {
    const page = (after: string) =>
      `balances(token: "${PLAIN}", first: 1${after}) { block { number } pageInfo { endCursor } }`;
    const first = await gateway.data<{ balances: { pageInfo: { endCursor: string } } }>(`{ ${page("")} }`);
    const { endCursor } = first.balances.pageInfo;
    await database.sql`insert into facts_small.block values (116, ${hashOf(116)}, ${timestampOf(116)}, null)`;
    await followFacts(database.sql, smallIndex);
    expect(
      await gateway.data(`{ a: ${page("")} b: ${page(`, after: "${endCursor}"`)} status { lastSyncedBlock } }`),
    ).toMatchObject({
      a: { block: { number: 116 } },
      b: { block: { number: 115 } },
      status: { lastSyncedBlock: 116 },
    });
    await database.sql`delete from facts_small.block where number = 116`;
    await database.sql`update facts_small.block set hash = ${hashOf(115, 1)} where number = 115`;
    await followFacts(database.sql, smallIndex);
    expect(await codeOf(`{ ${page(`, after: "${endCursor}"`)} }`)).toBe("BLOCK_REPLACED");
    await database.sql`update facts_small.block set hash = ${hashOf(115)} where number = 115`;
    await followFacts(database.sql, smallIndex);
  });

  it("bounds what a document may ask", async () => {
    const nested = (depth: number): string => (depth === 0 ? "__typename" : `a: nodes { ${nested(depth - 1)} }`);
    expect(await codeOf(`{ tokens { ${nested(11)} } }`)).toBeDefined();
    const aliases = Array.from({ length: 11 }, (_, i) => `a${i}: status { state }`).join(" ");
    expect(await codeOf(`{ ${aliases} }`)).toBe("QUERY_TOO_LARGE");
    expect(await codeOf(`{ ...F ...F } fragment F on Query { ${aliases.slice(aliases.indexOf("a5"))} }`)).toBe(
      "QUERY_TOO_LARGE",
    );
    const fields = Array.from({ length: 501 }, (_, i) => `a${i}: state`).join(" ");
    expect(await codeOf(`{ status { ${fields} } }`)).toBe("QUERY_TOO_LARGE");
    const loop = "query { status { ...A } } fragment A on Status { ...B } fragment B on Status { ...A }";
    expect((await gateway.graphql(loop)).errors).toHaveLength(1);
  });
});
