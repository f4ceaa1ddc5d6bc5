// Pages of vaults, launches and quotes on the seeded chain, without a browser: each number is the API's of the same block, and each
// command that is shown beside it gives it.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { parsePlan } from "../../verify/arguments.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { type Examples, seededExamples } from "./examples.ts";
import { explore } from "./pages.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const chain = seededChain();
const root = explore(chain.name);
const BLOCKS = [900, seeded.finalized - 100, seeded.head];

let gateway: TestGateway;
let app: ReturnType<typeof createApp>;
let examples: Examples;
beforeAll(async () => {
  gateway = openSeededGateway();
  app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  examples = await seededExamples();
});
afterAll(() => gateway.close());

async function open(path: string): Promise<{ status: number; text: string }> {
  const answer = await app.request(root + path, { headers: { accept: "text/html" } });
  return { status: answer.status, text: (await answer.text()).replaceAll("&amp;", "&") };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Answer = any;

async function rest(path: string): Promise<Answer> {
  const { status, body, text } = await gateway.get(path);
  expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""]);
  return body;
}

async function graphql(query: string): Promise<Answer> {
  const { data, errors } = await gateway.graphql(query);
  expect(errors).toBeUndefined();
  return data;
}

/** The exact value of the first number in a piece of the page; null where there is none, for what is not known. */
const valueIn = (piece: string | undefined): string | null => piece?.match(/<data[^>]* value="([^"]*)"/)?.[1] ?? null;

const numberIn = (piece: string | undefined): number | null => {
  const value = valueIn(piece);
  return value === null ? null : Number(value);
};

/** The cells of a table's rows, the row's head first. */
function rowsOf(text: string, caption: string): string[][] {
  const [, table = ""] = text.split(`<caption class="sr">${caption}</caption>`);
  const [, body = ""] = table.split("<tbody>");
  return (body.split("</tbody>")[0] ?? "")
    .split("<tr>")
    .slice(1)
    .map((row) => row.split(/<t[hd]\b/).slice(1));
}

/** What stands under a name in a list of figures. */
const factOf = (text: string, name: string): string | undefined => text.split(`<dt>${name}</dt>`)[1]?.split("</dd>")[0];

const titleOf = (cell: string | undefined): string | undefined => cell?.match(/title="(0x[0-9a-f]{40})"/)?.[1];

async function commandsHold(text: string): Promise<number> {
  const hrefs = [...text.matchAll(/<a href="([^"]*)">open (?:the answer|in GraphiQL)/g)].map(([, href = ""]) => href);
  for (const href of hrefs) {
    if (href.startsWith("/graphql?query=")) await graphql(decodeURIComponent(href.slice("/graphql?query=".length)));
    else await rest(href);
  }
  const checks = [...text.matchAll(/npm run verify -- ([^<]*)</g)].map(([, args = ""]) => args);
  for (const args of checks) expect(parsePlan(args.trim().split(" "))).not.toBe("help");
  expect(checks.length).toBeGreaterThan(0);
  return hrefs.length;
}

const VAULTS = "Vaults: islands and v2 pairs";
const SHOWN = ["tvl", "farmTvl", "apr", "farmApr", "totalApr", "weeklyFeesEarnedUSD"] as const;

describe("Vaults", () => {
  it.each([
    "",
    "orderBy=apr&orderDirection=asc&limit=100",
    "orderBy=farmTvl&rewardVault=true",
    "sweetened=true&orderBy=totalApr",
    "volatile=false",
    "volatile=true&limit=3&offset=2",
    "minimumTvl=1000.5",
    "search=honey&limit=5",
    "user=ACCOUNT&orderBy=balance",
  ])("with %s are those of /vaults in its order, to the digit", async (given) => {
    const query = given.replace("ACCOUNT", examples.account);
    for (const block of BLOCKS) {
      const { status, text } = await open(`/vaults?block=${block}&${query}`);
      expect(status).toBe(200);
      const { data } = await rest(`/vaults?chainId=${chain.chainId}&blockNumber=${block}&${query}`);
      const rows = rowsOf(text, VAULTS);
      expect(rows.map(([head]) => titleOf(head))).toEqual(data.map(({ id }: Answer) => id));
      const skipped = query.includes("user=") ? 3 : 1;
      for (const [i, row] of rows.entries())
        expect(row.slice(skipped, skipped + SHOWN.length).map(numberIn)).toEqual(SHOWN.map((name) => data[i][name]));
      if (query.includes("user="))
        expect(rows.map((row) => numberIn(row[1]))).toEqual(data.map(({ balanceUSD }: Answer) => balanceUSD));
    }
  });

  it("are paged: each page leads to the next one, and all pages together have every vault once", async () => {
    const { count } = await rest(`/vaults?chainId=${chain.chainId}&blockNumber=${seeded.head}`);
    const found: (string | undefined)[] = [];
    let next: string | undefined = `/vaults?block=${seeded.head}&limit=7`;
    while (next !== undefined) {
      const { text } = await open(next);
      found.push(...rowsOf(text, VAULTS).map(([head]) => titleOf(head)));
      next = text.match(new RegExp(`href="${root}([^"]*)" rel="next"`))?.[1];
    }
    expect([found.length, new Set(found).size]).toEqual([count, count]);
    expect(count).toBeGreaterThan(7);
  });

  it("are not guessed at where a field is wrong: it says so beside it and keeps what was typed", async () => {
    for (const [query, field, words, typed] of [
      ["user=0x12", "user", "must be a 0x-prefixed address", "0x12"],
      ["minimumTvl=lots", "minimumTvl", "must be an amount of USD", "lots"],
      ["orderBy=balance", "user", "is needed for orderBy=balance", ""],
      ["rewardVault=maybe", "rewardVault", "must be true or false", "maybe"],
      ["limit=5000", "limit", "must be at most 1000", "5000"],
    ] as const) {
      const { status, text } = await open(`/vaults?${query}`);
      const problem = text.match(new RegExp(`id="${field}-problem">([^<]*)<`))?.[1];
      expect([query, status, problem]).toEqual([query, 400, expect.stringContaining(words)]);
      expect(text).toContain(`value="${typed}"`);
    }
  });

  it("each have a page that says what the API says, at any block", async () => {
    let compared = 0;
    let opened = 0;
    for (const block of BLOCKS) {
      const { data } = await rest(`/vaults?chainId=${chain.chainId}&blockNumber=${block}&limit=1000`);
      for (const vault of data) {
        const { status, text } = await open(`/vault/${vault.id}?block=${block}`);
        expect([vault.id, status]).toEqual([vault.id, 200]);
        const names = ["TVL", "Of it staked", "LP APR", "Farm APR", "Total APR", "LP fees, 7 days"];
        expect(names.map((name) => numberIn(factOf(text, name)))).toEqual(SHOWN.map((name) => vault[name]));
        expect(numberIn(factOf(text, "Shares"))).toBe(vault.tokenLp.totalSupply);
        const sides = rowsOf(text, "Tokens behind all shares").map((row) => numberIn(row[1]));
        if (sides.length > 0) expect(sides).toEqual([vault.amount0, vault.amount1]);
        else expect(vault.tokenLp.totalSupply === 0 || vault.amount0 === null).toBe(true);
        if (vault.incomplete !== null) expect(text).toContain(`<p class="problem">`);
        compared += names.length + 1 + sides.length;
        opened += (text.match(/ · shares of an? /g) ?? []).length;
      }
    }
    console.log(`vaults: ${compared} numbers compared, ${opened} shares opened to what stands behind them`);
    expect(compared).toBeGreaterThan(100);
  });

  it("show what an account has of one, as the API does", async () => {
    const { data } = await rest(
      `/vaults?chainId=${chain.chainId}&blockNumber=1200&user=${examples.account}&orderBy=balance&limit=3`,
    );
    expect(data.length).toBeGreaterThan(0);
    for (const { id, balances, balanceUSD, farmBalanceUSD } of data) {
      const { text } = await open(`/vault/${id}?block=1200&user=${examples.account}`);
      const rows = rowsOf(text, "What the account has of the vault");
      expect(rows.map((row) => numberIn(row[1]))).toEqual([
        balances.vaultBalance,
        balances.farmBalance,
        balances.balance,
      ]);
      expect([numberIn(rows[2]?.[2]), numberIn(rows[1]?.[2])]).toEqual([balanceUSD, farmBalanceUSD]);
    }
  });
});

const LAUNCHES = "Launches, newest first";

describe("Launches", () => {
  const FIELDS = "token { address } priceUSD raisedDecimal graduated progress holdersCount";
  it.each([
    ["", ""],
    ["graduated=true", "graduated: true,"],
    ["graduated=false", "graduated: false,"],
    ["addresses=LAUNCHED", 'addresses: ["LAUNCHED"],'],
  ])("with %s are those of the API, to the digit", async (query, filter) => {
    for (const block of BLOCKS) {
      const { text } = await open(`/launches?block=${block}&limit=100&${query.replace("LAUNCHED", examples.launched)}`);
      const { launches } = await graphql(
        `{ launches(${filter.replace("LAUNCHED", examples.launched)} first: 100, block: {number: ${block}}) { nodes { ${FIELDS} } } }`,
      );
      const rows = rowsOf(text, LAUNCHES);
      expect(rows.map(([head]) => titleOf(head))).toEqual(launches.nodes.map(({ token }: Answer) => token.address));
      for (const [i, [, , price, raised, progress, holders]] of rows.entries()) {
        const one = launches.nodes[i];
        expect([valueIn(price), valueIn(raised), numberIn(holders)]).toEqual([
          one.priceUSD,
          one.raisedDecimal,
          one.holdersCount,
        ]);
        if (!one.graduated) expect(numberIn(progress)).toBeCloseTo(100 * one.progress, 10);
      }
    }
  });

  it("go on by pages of REST's size and order", async () => {
    const { data } = await rest(`/launch/${chain.chainId}/tokens?limit=1&page=2`);
    const { text } = await open("/launches?limit=1&page=2");
    expect(rowsOf(text, LAUNCHES).map(([head]) => titleOf(head))).toEqual(data.map(({ id }: Answer) => id));
  });

  it("each have a page that says what the API says, on the curve and after it", async () => {
    const { launches } = await graphql(`{ launches(first: 100) { nodes { pool graduatedBlock createdBlock } } }`);
    const seen = new Set<boolean>();
    for (const { pool, graduatedBlock, createdBlock } of launches.nodes)
      for (const block of [createdBlock, graduatedBlock === null ? seeded.head : graduatedBlock - 1, seeded.head]) {
        const { launch } = await graphql(`{ launch(address: "${pool}", block: {number: ${block}}) {
          graduated price priceUSD marketCapUSD volumeDecimal swapsCount holdersCount raisedDecimal totalRaiseDecimal dexPair
          token { address totalSupplyDecimal } } }`);
        const { text } = await open(`/launch/${pool}?block=${block}`);
        const names = ["Price", "Price in USD", "Worth of all of it", "Supply", "Traded on the curve"];
        expect(names.map((name) => valueIn(factOf(text, name)))).toEqual([
          ...[
            launch.price,
            launch.priceUSD,
            launch.marketCapUSD,
            launch.token.totalSupplyDecimal,
            launch.volumeDecimal,
          ],
        ]);
        expect(numberIn(factOf(text, "Trades on the curve"))).toBe(launch.swapsCount);
        expect(numberIn(factOf(text, "Holders"))).toBe(launch.holdersCount);
        expect(text).toContain(`value="${launch.raisedDecimal}"`);
        expect(text).toContain(`value="${launch.totalRaiseDecimal}"`);
        expect(text).toContain(`${root}/token/${launch.token.address}?block=${block}`);
        if (launch.dexPair !== null) expect(text).toContain(`${root}/pool/${launch.dexPair}?block=${block}`);
        seen.add(launch.graduated);
      }
    expect([...seen].sort()).toEqual([false, true]);
  });

  it("refuse a wrong filter beside its field, and what was never launched with a page", async () => {
    const { status, text } = await open("/launches?addresses=0x1,&limit=20");
    expect([status, text.match(/id="addresses-problem">([^<]*)</)?.[1]]).toEqual([
      400,
      "item 2 is empty; give addresses, commas between",
    ]);
    expect(text).toContain('value="0x1,"');
    const missing = await open(`/launch/${examples.account}`);
    expect([missing.status, missing.text.includes("LAUNCH_NOT_FOUND")]).toEqual([404, true]);
  });
});

const swap = (amount: string) => {
  const { tokenIn, tokenOut } = examples;
  const ids = `tokenInChainId=${chain.chainId}&tokenOutChainId=${chain.chainId}`;
  return `tokenInAddress=${tokenIn}&tokenOutAddress=${tokenOut}&${ids}&amount=${amount}`;
};
const PROVIDERS = "Providers side by side";
const WHOLE = 10n ** 18n;

describe("Quote", () => {
  it.each([
    ["exactIn", "At least received, with 0.5 % slippage", (quote: bigint) => (quote * 995n) / 1_000n],
    ["exactOut", "At most paid, with 0.5 % slippage", (quote: bigint) => (quote * 1_005n + 999n) / 1_000n],
  ] as const)("of a past block is the own router's, %s, with its limit and its route", async (type, name, limit) => {
    for (const block of [1200, seeded.finalized - 100]) {
      const { tokenIn, tokenOut } = examples;
      const { status, text } = await open(
        `/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amount=1000.5&type=${type}&block=${block}`,
      );
      expect(status).toBe(200);
      const body = await rest(`/router/quote?${swap("1000500000000000000000")}&type=${type}&blockNumber=${block}`);
      const [own, ...others] = rowsOf(text, PROVIDERS);
      expect([valueIn(own?.[1]), valueIn(own?.[2])]).toEqual([body.quoteDecimals, body.gasUseEstimate]);
      for (const other of others) expect(other[0]).toContain("answers for the newest block alone");
      const least = limit(BigInt(body.quote));
      const shown = valueIn(factOf(text, name)) ?? "";
      const [whole = "", part = ""] = shown.split(".");
      expect(BigInt(whole + part.padEnd(18, "0"))).toBe(least);
      expect(Number(valueIn(factOf(text, "Price impact, fees aside")))).toBeCloseTo(100 * Number(body.priceImpact), 12);
      expect(valueIn(factOf(text, "Gas in USD"))).toBe(body.gasUseEstimateUSD);
      const { routerQuote } =
        await graphql(`{ routerQuote(quote: {tokenInAddress: "${tokenIn}", tokenOutAddress: "${tokenOut}",
        amount: "${1_000_500n * 10n ** 15n}", type: ${type}}, block: {number: ${block}}) { route { percent amountIn hops { address } } } }`);
      const paths = rowsOf(text, "The route, path by path");
      expect(paths.map((row) => Number(valueIn(row[1])))).toEqual(
        routerQuote.route.map(({ percent }: Answer) => Number(percent)),
      );
      for (const [i, { hops }] of routerQuote.route.entries())
        for (const { address } of hops) expect(paths[i]?.[3]).toContain(`${root}/pool/${address}?block=${block}`);
      expect(text).toMatch(/<svg class="picture"[^>]*aria-hidden="true"/);
    }
  });

  it("of the newest block is what /quote says, with each provider's offer or its reason in words", async () => {
    const { tokenIn, tokenOut } = examples;
    const { status, text } = await open(`/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amount=5&slippage=1`);
    expect(status).toBe(200);
    const body = await rest(`/quote?${swap(String(5n * WHOLE))}&type=exactIn&slippageTolerance=1&debug=true`);
    const rows = rowsOf(text, PROVIDERS);
    expect(rows).toHaveLength(body.expl.length);
    for (const [i, { provider, output, gas, status: became, message }] of body.expl.entries()) {
      const row = rows[i] ?? [];
      expect(row[0]).toContain(`<bdi>${provider}</bdi>`);
      expect([valueIn(row[1]) ?? "0", valueIn(row[2]) ?? "0"]).toEqual([output, gas]);
      if (became !== "success") expect(row[0]).toContain(message ?? "was not asked");
    }
    expect(Number(valueIn(factOf(text, "Price impact, fees aside")))).toBeCloseTo(100 * Number(body.priceImpact), 12);
  });

  it("takes symbols and the native coin, and shows a wrap as one", async () => {
    const symbol = chain.nativeSymbol;
    const { text, status } = await open(`/quote?tokenIn=honey&tokenOut=${symbol}&amount=5&block=1200`);
    expect([status, text.includes(`<bdi>${symbol}</bdi>`)]).toEqual([200, true]);
    const wrap = await open(`/quote?tokenIn=${symbol}&tokenOut=${chain.wrappedNative.address}&amount=5&block=1200`);
    expect([wrap.status, wrap.text.includes("[WRAP]")]).toEqual([200, true]);
  });

  it("says beside the field what is wrong with it, and keeps what was typed", async () => {
    const { tokenIn, tokenOut } = examples;
    const both = `tokenIn=${tokenIn}&tokenOut=${tokenOut}`;
    for (const [query, field, words, typed] of [
      [
        `tokenIn=nosuch&tokenOut=${tokenOut}&amount=1`,
        "tokenIn",
        "no token known at this block is called nosuch",
        "nosuch",
      ],
      [`tokenIn=${tokenIn}&amount=1`, "tokenOut", "is missing", tokenIn],
      [`tokenIn=${tokenIn}&tokenOut=${tokenIn}&amount=1`, "tokenOut", "is the token that is paid with", tokenIn],
      [both, "amount", "is missing", tokenOut],
      [`${both}&amount=much`, "amount", "must be an amount in whole tokens", "much"],
      [`${both}&amount=0.0`, "amount", "must be above 0", "0.0"],
      [`${both}&amount=1.0000000000000000001`, "amount", "has only 18", "1.0000000000000000001"],
      [`${both}&amount=1&slippage=99`, "slippage", "must be percent from 0 to 50", "99"],
      [`${both}&amount=1&type=swap`, "type", "must be exactIn or exactOut", "swap"],
      [`${both}&amount=1&block=many`, "block", "must be a block number in digits", "many"],
      [`${both}&amount=1&block=99999999`, "block", "does not exist yet", "99999999"],
      [`tokenIn=%3Cscript%3E&tokenOut=%00&amount=1`, "tokenOut", "no token known", "&lt;script&gt;"],
    ] as const) {
      const { status, text } = await open(`/quote?${query}`);
      const problem = text.match(new RegExp(`id="${field}-problem">([^<]*)<`))?.[1];
      expect([query, status, problem]).toEqual([query, 400, expect.stringContaining(words)]);
      expect(text).toContain(`value="${typed}"`);
      expect(text).toMatch(new RegExp(`aria-invalid="true"[^>]*aria-describedby="[^"]*${field}-problem`));
      expect(text).not.toContain("<script>");
    }
  });

  it("that nobody has a route for says so in words, with each provider's reason", async () => {
    const { tokenIn, tokenOut } = examples;
    const { status, text } = await open(`/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amount=9${"0".repeat(40)}`);
    expect([status, text.includes("No provider has a route for this pair and amount")]).toEqual([404, true]);
    expect(text).toContain("has no route for this pair and amount");
    const past = await open(`/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amount=9${"0".repeat(40)}&block=1200`);
    expect([past.status, past.text.includes("No route found")]).toEqual([404, true]);
  });
});

describe("What is shown beside the numbers", () => {
  it("gives them: every query answers, and every check is a command that verify understands", async () => {
    const { island, launched, account, tokenIn, tokenOut } = examples;
    const tried = await Promise.all(
      [
        `/vaults?block=1200&volatile=true&minimumTvl=10&search=o&user=${account}&orderBy=balance`,
        "/vaults",
        `/vault/${island}?block=1200&user=${account}`,
        `/vault/${island}`,
        "/launches?graduated=true&block=1500",
        "/launches",
        `/launch/${launched}`,
        `/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amount=5`,
        `/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amount=5&block=1200`,
      ].map((path) => open(path)),
    );
    for (const { text } of tried) expect(await commandsHold(text)).toBeGreaterThan(0);
  });
});
