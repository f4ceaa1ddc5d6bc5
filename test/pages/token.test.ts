// A token's pages without a browser: hostile names, blocks without it, ranks over pages, what is unknown, downloads.
import { parquetReadObjects } from "hyparquet";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, type Index } from "../support/index-fixture.ts";
import { numbersOf } from "../support/page-cells.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const TOKEN = tokenOf(1);
const LATE = tokenOf(2);
const BARE = tokenOf(3);
const HOLDERS = 120;
const ONE = 10n ** 18n;
const SUPPLY = (ONE * BigInt(HOLDERS * (HOLDERS + 1))) / 2n;

const mint = (token: string, block: number, holder: number): Fact => ({
  ...{ kind: "transfer", block, logIndex: holder, token, from: ZERO, to: accountOf(holder) },
  amount: ONE * BigInt(holder),
});
const facts: Fact[] = [
  ...Array.from({ length: HOLDERS }, (_, i) => mint(TOKEN, 10, i + 1)),
  mint(BARE, 11, 3),
  mint(LATE, 50, 1),
];
const index: Index = {
  ...{ chainId: 31337, ponderSchema: "facts_token", foldSchema: "fold_token" },
  ...{ firstBlock: 10, head: 100, finalized: 90, facts, decimals: { [TOKEN]: 18, [LATE]: 18 } },
};

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  await database.sql`update fold_token.token set symbol = ${"</h1><script>x"}, name = ${"\u202eevil"}
    where address = ${Buffer.from(TOKEN.slice(2), "hex")}`;
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 10 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

async function open(path: string) {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(`/explore/fixture/token/${path}`, { headers: { accept: "text/html" } });
  return { status: answer.status, text: await answer.text() };
}

const linksIn = (text: string): string[] =>
  [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll("&amp;", "&"));

describe("a token at a block", () => {
  it("shows the largest holders with rank, exact amount and exact share", async () => {
    const { text } = await open(`${TOKEN}?block=20`);
    const rows = numbersOf(text).cells.filter(({ made }) => made === "holders");
    const first = rows.filter(({ row }) => row.includes(accountOf(HOLDERS)));
    const share = (100n * 10n ** 16n * ONE * BigInt(HOLDERS)) / SUPPLY;
    const digits = String(share).padStart(17, "0");
    expect(first.map(({ value }) => value)).toEqual([
      "1",
      String(HOLDERS),
      `${digits.slice(0, -16)}.${digits.slice(-16).replace(/0+$/, "")}`,
    ]);
    expect(text).toContain(`${HOLDERS} holders`);
  });

  it("counts ranks on over its pages, each of which stays on the block", async () => {
    const ranks: string[] = [];
    for (let path: string | undefined = `${TOKEN}?block=20`; path !== undefined; ) {
      const { text }: { text: string } = await open(path);
      const counts = numbersOf(text).cells.filter(
        ({ made, unit, row }) => made === "holders" && unit === "" && row.length > 0,
      );
      ranks.push(...counts.filter((_, i) => i % 2 === 0).map(({ value }) => value));
      const next: RegExpExecArray | null = /<a href="[^"]*\/token\/([^"]+)" rel="next"/.exec(text);
      path = next?.[1]?.replaceAll("&amp;", "&");
      if (path !== undefined) expect(path).toContain("block=20");
    }
    expect(ranks).toEqual(Array.from({ length: HOLDERS }, (_, i) => String(i + 1)));
  });

  it("shows hostile names as text", async () => {
    const { text } = await open(TOKEN);
    expect(text).toContain("<bdi>&lt;/h1&gt;&lt;script&gt;x</bdi>");
    expect(text).toContain("<bdi>⟨U+202E⟩evil</bdi>");
    expect(text).not.toContain("<script>x");
  });

  it("says in words that there was none of it yet", async () => {
    const { status, text } = await open(`${LATE}?block=20`);
    expect(status).toBe(200);
    expect(text).toContain("Its first event is in block 50, after this one.");
    expect(text).toContain("Nobody held it at this block.");
    expect((await open(`${LATE}/history?block=20`)).text).toContain("Its first event is in block 50");
  });

  it("shows raw units where there are no decimals, and says so", async () => {
    const { text } = await open(`${BARE}?block=20`);
    expect(text).toContain(`${3n * ONE} raw units`);
    expect(text).toContain("have not been read from the chain yet");
    expect(text).not.toContain("the contract gives none");
  });

  it("is an error in words where there is no such token", async () => {
    for (const [path, status, words] of [
      [tokenOf(9), 404, "is not tracked"],
      ["0x12", 400, "address"],
      [`${TOKEN}?block=20&after=abc`, 400, "after"],
    ] as const) {
      const answer = await open(path);
      expect([path, answer.status, answer.text.includes(words)]).toEqual([path, status, true]);
    }
  });

  it("has downloads that are whole", async () => {
    const { text } = await open(`${TOKEN}?block=20`);
    const [csv, lines] = ["csv", "ndjson"].map((format) =>
      linksIn(text).find((href) => href.endsWith(`format=${format}`)),
    );
    expect((await gateway.get(csv!)).text.trim().split("\n")).toHaveLength(HOLDERS + 1);
    expect((await gateway.get(lines!)).text.trim().split("\n")).toHaveLength(HOLDERS);
    const parquet = linksIn(text).find((href) => href.endsWith("format=parquet"));
    const rows = await parquetReadObjects({ file: await (await gateway.app.request(parquet!)).arrayBuffer() });
    expect(rows).toHaveLength(HOLDERS);
    const tree = linksIn(text).find((href) => href.includes("/merkle?"));
    expect((await gateway.get(tree!)).body).toMatchObject({ token: TOKEN, block: "20" });
    expect((await gateway.get(tree!)).body.proofs).toHaveLength(HOLDERS);
  });

  it("names checks against the contract that verify takes", async () => {
    const { parsePlan } = await import("../../verify/arguments.ts");
    for (const path of [`${TOKEN}?block=20`, `${TOKEN}/history?block=20`]) {
      const { text } = await open(path);
      const commands = [...text.matchAll(/npm run verify -- ([^<]+)</g)].map(([, given]) => given!.split(" "));
      expect(commands.length).toBeGreaterThan(0);
      for (const given of commands) expect(parsePlan(given)).toMatchObject({ only: TOKEN, block: 20 });
    }
  });

  it("leads to its history, whose numbers are those of each block", async () => {
    const { text } = await open(`${TOKEN}?block=60`);
    const [, href = ""] = /data-later="([^"]+)"/.exec(text) ?? [];
    expect(href).toBe(`/explore/fixture/token/${TOKEN}/history?block=60`);
    const history = await open(`${TOKEN}/history?block=60`);
    const { cells } = numbersOf(history.text);
    expect(cells.filter(({ made, unit }) => made === "history" && unit === "").map(({ value }) => value)).toEqual(
      Array.from({ length: 10 }, () => String(HOLDERS)),
    );
  });
});
