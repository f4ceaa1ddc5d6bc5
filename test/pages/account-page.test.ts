// The page of an account without a browser: strangers' texts, long lists, and a chain that has no pools.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, type Index } from "../support/index-fixture.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HOSTILE = ["<script>alert(1)</script>", '"></option><img src=x>', "\u202eHTEW", "y".repeat(10_000)];
/** More than a page of them. */
const tokens = Array.from({ length: 60 }, (_, i) => tokenOf(i + 1));
const facts: Fact[] = tokens.map(
  (token, i): Fact => ({
    ...{ kind: "transfer", block: 10 + (i % 5), logIndex: i, token, from: ZERO, to: accountOf(1) },
    amount: 10n ** 18n * BigInt(i + 1) + 7n,
  }),
);
const index: Index = {
  ...{ chainId: 31337, ponderSchema: "facts_account_page", foldSchema: "fold_account_page" },
  ...{ firstBlock: 10, head: 100, finalized: 90 },
  facts,
  decimals: Object.fromEntries(tokens.map((token) => [token, 18])),
};

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  for (const [i, symbol] of HOSTILE.entries())
    await database.sql`update fold_account_page.token set symbol = ${symbol}, name = ${symbol}
      where address = ${Buffer.from(tokens[i]!.slice(2), "hex")}`;
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 10 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

async function open(path: string) {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(`/explore/fixture${path}`, { headers: { accept: "text/html" } });
  return { status: answer.status, text: await answer.text() };
}

const rowsIn = (text: string): number =>
  /<section class="scroll" aria-label="Every token the account had.*?<\/section>/s.exec(text)![0].match(/<tr>/g)!
    .length - 1;

describe("an account's page", () => {
  it("shows strangers' symbols as text, in the table and in the choice of tokens", async () => {
    const { status, text } = await open(`/account/${accountOf(1)}?block=50&token=${tokens[0]}`);
    expect(status).toBe(200);
    for (const never of ["<script>alert", "<img src=x", "\u202e", "y".repeat(100)]) expect(text).not.toContain(never);
    expect(text).toMatch(/<option value="0x[0-9a-f]{40}" selected=""[^>]*>&lt;script&gt;alert\(1\)/);
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).toContain("⟨U+202E⟩HTEW");
    expect(text).not.toMatch(/ style="| on\w+="|<style/);
  });

  it("has the whole list on several pages, each of them at the same block", async () => {
    const first = await open(`/account/${accountOf(1)}?block=50`);
    expect(rowsIn(first.text)).toBe(50);
    expect(first.text).toContain("60 tokens, page 1 of 2");
    const next = /<a href="([^"]+)" rel="next">/.exec(first.text)![1]!.replaceAll("&amp;", "&");
    expect(next).toContain("block=50");
    const second = await open(next.replace("/explore/fixture", ""));
    expect(rowsIn(second.text)).toBe(10);
    const beyond = await open(`/account/${accountOf(1)}?block=50&page=7`);
    expect(beyond.text).toContain("There is nothing on this page.");
  });

  it("does not take tokens without a price for worthless", async () => {
    const { text } = await open(`/account/${accountOf(1)}?block=50`);
    expect(text).toMatch(/<dt>Worth<\/dt><dd><span class="quiet" title="no price at this block">/);
    expect(text).toContain("60 of its tokens have no price at this block");
  });

  it("says in words that nothing is known of a chosen token that is none", async () => {
    const { status, text } = await open(`/account/${accountOf(1)}?token=${accountOf(9)}`);
    expect([status, text.includes("Nothing is known of this token up to the block.")]).toEqual([200, true]);
  });

  it("does not say or draw that the zero address had nothing, as what lies there is shown elsewhere", async () => {
    const { status, text } = await open(`/account/${ZERO}?block=50&token=${tokens[0]}`);
    expect(status).toBe(200);
    expect(text).toContain("The zero address is nobody's account.".replace("'", "&#39;"));
    expect(text).not.toContain("It had no token");
    expect(text).not.toContain("<figure");
  });

  it("says that a chain has no v3 pools, and a pool's page that there is none", async () => {
    expect((await open(`/account/${accountOf(2)}`)).text).toContain("This chain has no v3 pools.");
    const { status, text } = await open(`/pool/${tokens[5]}?block=50`);
    expect([status, text.includes(`href="/explore/fixture/token/${tokens[5]}?block=50">its own page</a>`)]).toEqual([
      404,
      true,
    ]);
  });

  it("refuses a page or token that is none, naming the parameter", async () => {
    for (const [query, words] of [
      ["page=0", "page: must be at least 1"],
      ["page=2.5", "page: must be a whole number"],
      ["token=GOLD", "token: must be a 0x-prefixed address"],
    ] as const) {
      const { status, text } = await open(`/account/${accountOf(1)}?${query}`);
      expect([query, status, text.includes(words)]).toEqual([query, 400, true]);
    }
  });
});
