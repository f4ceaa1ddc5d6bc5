// The explorer without a browser: what is in a page, whatever strangers have written into their contracts.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TokenState } from "../../gateway/history/token-state.ts";
import type { AccessSettings } from "../../gateway/http/guard.ts";
import { HistoryLoadingError, HistoryUnavailableError } from "../../gateway/lake/lake-errors.ts";
import { pages } from "../../gateway/pages/pages.tsx";
import { ErrorView } from "../../gateway/pages/parts/error-view.tsx";
import { PairText } from "../../gateway/pages/parts/vault-table.tsx";
import { linksOf } from "../../gateway/pages/place.ts";
import type { Address } from "../../gateway/parameters.ts";
import { createApp } from "../../gateway/server.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, type Index } from "../support/index-fixture.ts";
import { accountOf, type Fact, tokenOf, ZERO } from "../support/reference-ledger.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** As Chromium asks when somebody types the address. */
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

const HOSTILE: readonly { symbol: string; name: string }[] = [
  { symbol: "<script>alert(1)</script>", name: '"><img src=x onerror=alert(1)>' },
  { symbol: "\u202eHTEW", name: "a\u200bb\u0007c\u2066d\u00ade\u3164\u2600\ufe0f" },
  { symbol: "x".repeat(10_000), name: "</bdi></td></table>" },
  { symbol: "GOLD", name: "</script><!--" },
  { symbol: "gold", name: "Another gold" },
];
const tokens = HOSTILE.map((_, i) => tokenOf(i + 1));
const facts: Fact[] = tokens.flatMap((token, t) =>
  [1, 2, 3].map(
    (holder): Fact => ({
      ...{ kind: "transfer", block: 10 + t, logIndex: holder, token, from: ZERO, to: accountOf(holder) },
      amount: 10n ** 18n * BigInt(holder) + 7n,
    }),
  ),
);
const index: Index = {
  ...{
    chainId: 31337,
    ponderSchema: "facts_pages",
    foldSchema: "fold_pages",
    firstBlock: 10,
    head: 100,
    finalized: 90,
  },
  facts,
  decimals: Object.fromEntries(tokens.map((token) => [token, 18])),
};

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  await buildIndex(database.sql, index);
  for (const [i, { symbol, name }] of HOSTILE.entries())
    await database.sql`update fold_pages.token set symbol = ${symbol}, name = ${name}
      where address = ${Buffer.from(tokens[i]!.slice(2), "hex")}`;
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 10 }));
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

async function open(
  path: string,
  { access = {}, headers = {} }: { access?: Partial<AccessSettings>; headers?: object } = {},
) {
  const app = createApp(gateway.service, pino({ level: "silent" }), { access: { keys: [], ...access }, pages });
  const answer = await app.request(path, { headers: { ...BROWSER, ...headers } });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const inLinks = (text: string): string[] => [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);

describe("every page", () => {
  it.each([
    "/",
    "/explore/fixture/tokens",
    "/explore/fixture/status",
    "/explore/fixture/search?q=x",
    "/explore/fixture/vaults",
    "/explore/fixture/launches",
    "/explore/fixture/quote",
    "/explore/fixture/nowhere",
  ])("%s loads from this server alone and has no script or style in it", async (path) => {
    const { headers, text } = await open(path);
    expect(headers.get("content-type")).toBe("text/html; charset=UTF-8");
    const policy = headers.get("content-security-policy") ?? "";
    for (const directive of [
      "default-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      expect(policy.split("; ")).toContain(directive);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(text).not.toMatch(/ style="| on\w+="|<style/);
    const scripts = [...text.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
    expect(
      scripts.filter((tag) => !tag.includes(' src="/explore/assets/') && !tag.includes("application/json")),
    ).toEqual([]);
    expect(inLinks(text).filter((href) => !/^[/#]/.test(href))).toEqual([]);
  });

  it("has its style, script, icon and chart library under URLs that never change what they mean", async () => {
    const { text } = await open("/");
    const urls = [...new Set(text.match(/\/explore\/assets\/[\w./-]+/g) ?? [])];
    expect(urls.map((url) => url.split("/").pop()).sort()).toEqual([
      "explorer.mjs",
      "icon.svg",
      "style.css",
      "uplot.js",
    ]);
    for (const url of urls) {
      const { status, headers } = await open(url);
      expect([url, status, headers.get("cache-control")]).toEqual([url, 200, "public, max-age=31536000, immutable"]);
    }
    expect((await open("/explore/assets/0000000000000000/style.css")).status).toBe(404);
  });

  it("is small: 100 kB at first with everything it loads, 40 kB of it script, compressed", async () => {
    const { gzipSync } = await import("node:zlib");
    const { text } = await open("/");
    const urls = [...new Set(text.match(/\/explore\/assets\/[\w./-]+/g) ?? [])];
    const sizes = await Promise.all(urls.map(async (url) => ({ url, size: gzipSync((await open(url)).text).length })));
    const script = sizes.filter(({ url }) => /js$/.test(url)).reduce((sum, { size }) => sum + size, 0);
    expect(script).toBeLessThan(40_000);
    expect(gzipSync(text).length + sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(100_000);
  });
});

describe("Home", () => {
  it("is what a browser gets at /, while a client that wants data gets a JSON error", async () => {
    const { status, text } = await open("/");
    expect([status, text.startsWith("<!doctype html><html")]).toEqual([200, true]);
    for (const accept of ["application/json", "*/*"]) {
      const data = await open("/", { headers: { accept } });
      expect([data.status, JSON.parse(data.text).error.code]).toEqual([404, "NOT_FOUND"]);
    }
  });

  it("shows tokens with exact supplies under short ones, and how many hold them as the API counts them", async () => {
    const { text } = await open("/");
    const count = await gateway.get(`/balances/${tokens[0]}/holders-count?blockNumber=100`);
    expect(count.body.holders).toBe(3);
    expect(text.match(/<data class="number" value="6.000000000000000021"/g)).toHaveLength(tokens.length);
    expect(text.match(/<a class="made-link" href="#made-tokens"><data value="3">3<\/data><\/a>/g)).toHaveLength(
      tokens.length,
    );
  });

  it("leads to a query that gives what it shows", async () => {
    const { text } = await open("/");
    const rest = inLinks(text)
      .find((href) => href.startsWith("/tokens?"))!
      .replaceAll("&amp;", "&");
    expect((await gateway.get(rest)).status).toBe(200);
    const queries = inLinks(text).filter((href) => href.startsWith("/graphql?query="));
    expect(queries.length).toBeGreaterThan(2);
    for (const href of queries) {
      const { errors } = await gateway.graphql(decodeURIComponent(href.slice("/graphql?query=".length)));
      expect(errors).toBeUndefined();
    }
  });
});

describe("Home at an older block", () => {
  it("names no query that answers for the newest block alone", async () => {
    const [newest, older] = [await open("/explore/fixture"), await open("/explore/fixture?block=50")];
    const ofLaunches = ({ text }: { text: string }) => inLinks(text).filter((href) => href.startsWith("/launch/"));
    expect([ofLaunches(newest), ofLaunches(older)]).toEqual([["/launch/31337/tokens"], []]);
  });
});

describe("texts of strangers", () => {
  it("are shown as text: markup is written out, what cannot be seen is named, and each is isolated from the text around it", async () => {
    const { text } = await open("/explore/fixture/tokens");
    expect(text).toContain("<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>");
    expect(text).toContain("<bdi>&quot;&gt;&lt;img src=x onerror=alert(1)&gt;</bdi>");
    expect(text).toContain("<bdi>⟨U+202E⟩HTEW</bdi>");
    expect(text).toContain("<bdi>a⟨U+200B⟩b⟨U+0007⟩c⟨U+2066⟩d⟨U+00AD⟩e⟨U+3164⟩\u2600\ufe0f</bdi>");
    for (const never of ["<script>alert", "<img src=x", "\u202e", "\u2066", "\u200b", "\u0007", "\u00ad", "\u3164"])
      expect(text).not.toContain(never);
  });

  it("do not turn a pair's tokens round", () => {
    const [token0, token1] = tokens as [Address, Address];
    const state = (symbol: string) => ({ metadata: { symbol } }) as TokenState;
    const named = new Map([
      [token0, state("\u05d0\u05d1")],
      [token1, state("GOLD")],
    ]);
    const shown = PairText({ vault: { token0, token1 }, tokens: named });
    expect(String(shown)).toBe("<bdi>\u05d0\u05d1</bdi> / <bdi>GOLD</bdi>");
  });

  it("are cut when they are long, and say how long they are", async () => {
    const { text } = await open("/explore/fixture/tokens");
    expect(text).toContain(`<bdi>${"x".repeat(24)}… (10,000 characters)</bdi>`);
    expect(text).not.toContain("x".repeat(100));
  });
});

describe("forms", () => {
  const hostile = encodeURIComponent('"><script>alert(1)</script>\u202e');
  it.each([
    [`vaults?user=${hostile}&minimumTvl=${hostile}&orderBy=${hostile}`, "user"],
    [`launches?addresses=${hostile}&limit=${hostile}`, "addresses"],
    [`quote?tokenIn=${hostile}&tokenOut=%00&amount=${hostile}&slippage=${hostile}&type=${hostile}&block=`, "tokenIn"],
    [`quote?block=${hostile}`, "block"],
  ])("show what was typed as text beside what is wrong with it: %s", async (path, field) => {
    const { status, text } = await open(`/explore/fixture/${path}`);
    expect([status, text.includes(`id="${field}-problem"`)]).toEqual([400, true]);
    expect(text).not.toContain("<script>alert");
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it("offer symbols of strangers as text, and name the addresses of tokens that share one", async () => {
    const { text } = await open("/explore/fixture/quote?tokenIn=Gold&tokenOut=GOLD&amount=1");
    expect(text).toContain('<option value="&lt;script&gt;alert(1)&lt;/script&gt;">');
    expect(text).not.toContain("x".repeat(100));
    for (const token of tokens.slice(3)) expect(text.split("tokenIn-problem")[2]).toContain(token);
  });

  it("take blanks for no token", async () => {
    const { text } = await open(`/explore/fixture/quote?tokenIn=%20&tokenOut=${tokens[3]}&amount=1`);
    expect(text.split('id="tokenIn-problem">')[1]).toMatch(/^is missing; give a token&#39;s symbol or address</);
  });

  it("do not ask for an address where one was given", async () => {
    const { status, text } = await open(`/explore/fixture/quote?tokenIn=${tokenOf(99)}&tokenOut=${tokens[3]}&amount=1`);
    expect([status, text.includes("nothing is known of this token at this block")]).toEqual([400, true]);
    expect(text).not.toContain("give its address");
  });
});

describe("search", () => {
  it("leads from an address to the page about it", async () => {
    const token = await open(`/explore/fixture/search?q=${tokens[0]!.toUpperCase().replace("0X", "0x")}`);
    expect([token.status, token.headers.get("location")]).toEqual([302, `/explore/fixture/token/${tokens[0]}`]);
    const account = await open(`/explore/fixture/search?q=${accountOf(3)}`);
    expect(account.headers.get("location")).toBe(`/explore/fixture/account/${accountOf(3)}`);
    const then = await open(`/explore/fixture/search?q=${accountOf(3)}&at=2023-11-14T22:13:45`);
    expect(then.headers.get("location")).toBe(`/explore/fixture/account/${accountOf(3)}?at=2023-11-14T22%3A13%3A45`);
  });

  it("lists every token that bears a symbol, in any case", async () => {
    const { text } = await open("/explore/fixture/search?q=Gold");
    expect(text).toContain("2 tokens");
    for (const token of tokens.slice(3)) expect(text).toContain(`/explore/fixture/token/${token}`);
  });

  it("shows what was typed as text, and refuses what no symbol holds", async () => {
    const { text } = await open(`/explore/fixture/search?q=${encodeURIComponent('"><script>x</script>')}`);
    expect(text).not.toContain("<script>x");
    expect(text).toContain("No token has this");
    for (const [typed, words] of [
      ["a%00b", "q: must not hold the character NUL"],
      ["y".repeat(201), "q: must be at most 200 characters"],
    ] as const) {
      const refused = await open(`/explore/fixture/search?q=${typed}`);
      expect([refused.status, refused.text.includes(words)]).toEqual([400, true]);
    }
  });
});

describe("the block of a page", () => {
  it("is the newest one without a block, with a link that pins it", async () => {
    const { text } = await open("/explore/fixture/tokens");
    expect(inLinks(text)).toContain("/explore/fixture/tokens?block=100");
  });

  it("is named by number, or by a time in UTC", async () => {
    const byNumber = await open("/explore/fixture/tokens?block=12");
    expect(byNumber.text).toContain("3 tokens");
    const byTime = await open("/explore/fixture/tokens?at=2023-11-14T22:13:45");
    expect(byTime.text).toContain('<b><data value="12">12</data></b>');
  });

  it("is not guessed when it is wrong: the page says what is wrong and leads to the newest one", async () => {
    for (const [query, words] of [
      ["block=many", "must be a block number in digits"],
      ["block=9", "lies before the first indexed block, 10"],
      ["block=101", "does not exist yet"],
      ["at=yesterday", "must be a time in UTC"],
      ["at=2023-02-30", "must be a time in UTC"],
      ["at=2023-02-29T12:00", "must be a time in UTC"],
      ["block=12&at=2023-11-14", "give only one of them"],
    ] as const) {
      const { status, text } = await open(`/explore/fixture/tokens?${query}`);
      expect([query, status, text.includes(words)]).toEqual([query, 400, true]);
      expect(text).toContain('<a href="/explore/fixture/tokens">The same page at the newest block</a>');
      expect(text).toContain("<code>INVALID_INPUT</code>");
    }
  });

  it("is all that changes on the way from one that is wrong to the newest one", async () => {
    const { status, text } = await open("/explore/fixture/search?q=Gold&block=101");
    expect([status, inLinks(text).includes("/explore/fixture/search?q=Gold")]).toEqual([400, true]);
  });
});

describe("Status", () => {
  it("says how many have stopped where not all of them are listed", async () => {
    await database.sql`insert into fold_pages.missing_history (kind, contract, block, log_index, reason)
      select 'infrared', decode(lpad(to_hex(i), 40, '0'), 'hex'), 20, i, 'made up' from generate_series(1, 201) i`;
    try {
      const { text } = await open("/explore/fixture/status");
      expect(text).toContain("200 of 201 are listed.");
    } finally {
      await database.sql`truncate fold_pages.missing_history`;
    }
  });
});

describe("refusals", () => {
  it("are pages with the status and the words of the API", async () => {
    const nowhere = await open("/explore/fixture/nowhere");
    expect([nowhere.status, nowhere.text.includes("There is no page at this address")]).toEqual([404, true]);
    const chain = await open("/explore/mars/tokens");
    expect([chain.status, chain.text.includes("Served: fixture.")]).toEqual([404, true]);
    const typed = await open("/nothing/here");
    expect([typed.status, typed.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
  });

  it("ask for a key as the API does, and show it in words and in style", async () => {
    const access = { keys: ["0123456789abcdef"] };
    const { status, text, headers } = await open("/", { access });
    expect([status, headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="tidemark"']);
    expect(text).toContain("<code>API_KEY_NEEDED</code>");
    const [style = ""] = text.match(/\/explore\/assets\/\w+\/style\.css/) ?? [];
    expect((await open(style, { access })).status).toBe(200);
    expect((await open("/", { access, headers: { "x-api-key": "0123456789abcdef" } })).status).toBe(200);
  });

  it("do not promise what only the operator can mend", async () => {
    for (const [error, words] of [
      [new HistoryUnavailableError({ first: 1, last: 9 }, "nobody loads it"), "the rest is for the operator"],
      [new HistoryLoadingError({ first: 1, last: 9 }), "The answer will exist"],
    ] as const) {
      const shown = String(
        ErrorView({ error, requestId: undefined, links: linksOf({ name: "fixture" }), url: new URL("http://x/") }),
      );
      expect([shown.includes(words), shown.includes("The answer will exist")]).toEqual([
        true,
        words.startsWith("The answer"),
      ]);
    }
  });

  it("say when to come back where one has asked too often", async () => {
    const app = createApp(gateway.service, pino({ level: "silent" }), {
      ...{ access: { keys: [], rate: { requests: 1, seconds: 60 } }, pages },
    });
    const ask = () => app.request("/explore/fixture/tokens", { headers: BROWSER });
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await refused.text()).toContain("Wait for the time given above");
  });

  it("leave the API's own errors as data, for browsers too", async () => {
    const { status, text } = await open("/balances/0x1");
    expect([status, JSON.parse(text).error.code]).toEqual([400, "INVALID_INPUT"]);
  });
});
