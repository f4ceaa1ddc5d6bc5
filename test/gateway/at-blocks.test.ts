// Balances at several blocks in one answer: what /balances says at each, in every format and both skins.
import { parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { buildScripted, SCRIPT_CHAIN_ID } from "../support/scripted-index.ts";
import { ALICE, BAULT, BOB, REWARD_VAULT, STAKED, stakingSections, tellStaking } from "../support/staking-script.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: SCRIPT_CHAIN_ID, startBlock: 0, ...stakingSections }));
  const index = { ponderSchema: "facts_at_blocks", foldSchema: "fold_at_blocks", finalized: 6 };
  await buildScripted(database.sql, tellStaking(), index);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

interface Line {
  account: string;
  amount: string;
  amountDecimal: string;
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line & { block?: number });

/** By /balances, in its order. */
async function linesAt(block: number, { token = STAKED, users = "" } = {}) {
  const { text } = await gateway.get(
    `/balances/${token}?blockNumber=${block}&format=ndjson${users && `&users=${users}`}`,
  );
  return linesOf(text).map(({ account, amount, amountDecimal }) => ({ block, account, amount, amountDecimal }));
}

async function totalsAt(block: number, { token = STAKED, users = "" } = {}) {
  const { body } = await gateway.get(`/balances/${token}?blockNumber=${block}${users && `&users=${users}`}`);
  return Object.fromEntries(
    (body.results as { account: string; total: number }[]).map(({ account, total }) => [account, total]),
  );
}

async function answerOf(path: string, body?: unknown) {
  if (body === undefined) return gateway.get(path);
  const answer = await gateway.app.request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text(), body: {} };
}

const USERS = [BOB, REWARD_VAULT, ALICE, accountOf(5)];
const ALL = Array.from({ length: 12 }, (_, block) => block);

describe("balances at several blocks", () => {
  it("are by block and account what /balances says at each, of everybody and of users", async () => {
    for (const token of [STAKED, BAULT])
      for (const users of ["", USERS.join(",")]) {
        const { status, body } = await answerOf(
          `/balances/${token}/at-blocks?blocks=${ALL}${users && `&users=${users}`}`,
        );
        expect(status).toBe(200);
        const expected = await Promise.all(ALL.map(async (block) => [block, await totalsAt(block, { token, users })]));
        expect(body).toEqual(Object.fromEntries(expected));
      }
  });

  it("have a row for each block and account in ndjson and csv, exact, in the order of /balances", async () => {
    for (const users of ["", USERS.join(",")]) {
      const query = `/balances/${STAKED}/at-blocks?blocks=9,0,11,5,9${users && `&users=${users}`}`;
      const lines = (await Promise.all([0, 5, 9, 11].map((block) => linesAt(block, { users })))).flat();
      expect(linesOf((await answerOf(`${query}&format=ndjson`)).text)).toEqual(lines);
      const csv = (await answerOf(`${query}&format=csv`)).text;
      expect(csv).toBe(
        `block,account,amount,amountDecimal\n${lines
          .map(({ block, account, amount, amountDecimal }) => `${block},${account},${amount},${amountDecimal}\n`)
          .join("")}`,
      );
    }
  });

  it("have the same rows as Parquet, as text, with the token in its metadata", async () => {
    const path = `/balances/${STAKED}/at-blocks?blocks=9,5`;
    const [lines, answer] = await Promise.all([
      answerOf(`${path}&format=ndjson`).then(({ text }) => linesOf(text)),
      gateway.app.request(`${path}&format=parquet`),
    ]);
    const file = await answer.arrayBuffer();
    const asText = (row: object) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
    expect(await parquetReadObjects({ file })).toEqual(lines.map(asText));
    const { key_value_metadata: about } = await parquetMetadataAsync(file);
    expect(about).toContainEqual({ key: "token", value: STAKED });
  });

  it("are empty objects where nobody has anything", async () => {
    expect((await answerOf(`/balances/${BAULT}/at-blocks?blocks=2,4`)).text).toBe('{"2":{},"4":{}}');
    expect((await answerOf(`/balances/${BAULT}/at-blocks?blocks=2,5,5&users=${ALICE}`)).text).toBe(
      `{"2":{"${ALICE}":0},"5":{"${ALICE}":7e-16}}`,
    );
    const { text } = await answerOf(`/balances/${BAULT}/at-blocks?blocks=3,5,6`);
    expect(Object.keys(JSON.parse(text))).toEqual(["3", "5", "6"]);
  });

  it("take long lists in a body", async () => {
    const many = Array.from({ length: 8_000 }, (_, i) => accountOf(i + 1));
    const { status, text } = await answerOf(`/balances/${STAKED}/at-blocks?format=ndjson`, {
      blocks: [5, 9],
      users: many,
    });
    expect(status).toBe(200);
    const lines = linesOf(text);
    expect(lines.length).toBe(16_000);
    expect(lines.filter(({ amount }) => amount !== "0")).toEqual([
      ...(await linesAt(5, { users: [ALICE, BOB].join(",") })),
      ...(await linesAt(9, { users: [ALICE, BOB].join(",") })),
    ]);
  });

  it("are of the chain that the body names, and refused where the URL names another one", async () => {
    const path = `/balances/${STAKED}/at-blocks`;
    expect((await answerOf(path, { blocks: [5], chainId: SCRIPT_CHAIN_ID })).status).toBe(200);
    const { status, text } = await answerOf(`${path}?chainId=${SCRIPT_CHAIN_ID}`, { blocks: [5], chainId: 1 });
    expect([status, JSON.parse(text).error.details.parameter]).toEqual([400, "chainId"]);
  });

  it("are the same in GraphQL", async () => {
    const { data, errors } = await gateway.graphql(
      `{ balancesAtBlocks(token: "${STAKED}", blocks: [9, 5, 5], users: ${JSON.stringify(USERS)}) {
        block { number } nodes { account amount amountDecimal } } }`,
    );
    expect(errors).toBeUndefined();
    const users = USERS.join(",");
    const nodes = async (block: number) => (await linesAt(block, { users })).map(({ block: _, ...node }) => node);
    expect(data).toEqual({
      balancesAtBlocks: [
        { block: { number: 5 }, nodes: await nodes(5) },
        { block: { number: 9 }, nodes: await nodes(9) },
      ],
    });
  });

  it("may be cached for ever once all blocks are final", async () => {
    const { headers } = await answerOf(`/balances/${STAKED}/at-blocks?blocks=3,6`);
    expect(headers.get("cache-control")).toContain("immutable");
    expect((await answerOf(`/balances/${STAKED}/at-blocks?blocks=3,7`)).headers.get("cache-control")).toBe("no-cache");
    const again = await gateway.app.request(`/balances/${STAKED}/at-blocks?blocks=3,6`, {
      headers: { "if-none-match": headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    const other = await answerOf(`/balances/${STAKED}/at-blocks?blocks=4,6`);
    expect(other.headers.get("etag")).not.toBe(headers.get("etag"));
  });

  it.each([
    ["no blocks", "", "blocks"],
    ["an empty list", "?blocks=", "blocks"],
    ["a block that is no number", "?blocks=3,x", "blocks"],
    ["more than 100 blocks", `?blocks=${Array.from({ length: 101 }, (_, i) => i)}`, "blocks"],
    ["a block beyond the head", "?blocks=3,12", "blocks"],
    ["a bad user", "?blocks=3&users=alice", "users"],
    ["a bad format", "?blocks=3&format=xml", "format"],
  ])("refuse %s by name", async (_, query, parameter) => {
    const { status, body } = await answerOf(`/balances/${STAKED}/at-blocks${query}`);
    expect([status, body.error]).toMatchObject([400, { code: "INVALID_INPUT", details: { parameter } }]);
  });

  it("refuse more amounts than a request may have, and say how many", async () => {
    const users = Array.from({ length: 10_000 }, (_, i) => accountOf(i + 1));
    const { status, text } = await answerOf(`/balances/${STAKED}/at-blocks`, { blocks: ALL.slice(0, 11), users });
    expect(status).toBe(400);
    expect(text).toContain("10000 users at 11 blocks are 110000 amounts; ask for at most 100000 at once");
    const { errors } = await gateway.graphql(
      `query ($users: [Address!]!) { balancesAtBlocks(token: "${STAKED}", blocks: [5, 9], users: $users) { nodes { account } } }`,
      { users: users.slice(0, 5_001) },
    );
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining("5001 users at 2 blocks are 10002 amounts; ask for at most 10000 at once"),
      extensions: { code: "INVALID_INPUT", details: { parameter: "blocks" } },
    });
  });
});
