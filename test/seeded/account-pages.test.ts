// The page of an account on the seeded chain: what it shows is what the API answers, and the commands that it names do what it
// claims.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Examples, seededExamples } from "./examples.ts";
import { linksOpened, missing, type OpenedPages, openPages, queryOf, root } from "./opened-pages.ts";
import { seeded } from "./seeded-index.ts";

const BLOCK = 1_200;

let opened: OpenedPages;
let examples: Examples;
beforeAll(async () => {
  opened = openPages();
  examples = await seededExamples();
});
afterAll(() => opened?.close());

const account = (address: string, more = "") => opened.open(`/account/${address}?block=${BLOCK}${more}`);

const plain = (raw: string, decimals: number): string => {
  const digits = raw.padStart(decimals + 1, "0");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return digits.slice(0, digits.length - decimals) + (fraction === "" || decimals === 0 ? "" : `.${fraction}`);
};

interface AccountAnswer {
  totalCount: number;
  nodes: {
    token: { address: string };
    totalDecimal: string | null;
    sources: { source: string; paths: { assets: string[] }[] }[];
  }[];
}

const accountQuery = (address: string) =>
  `{ account(address: "${address}", block: { number: ${BLOCK} }) { balances(first: 1000) { totalCount nodes {
    token { address } totalDecimal sources { source paths { assets } } } } } }`;

interface PositionAnswer {
  id: string;
  token0: string;
  token1: string;
  fees0: string;
  principal1: string;
  principal0Decimal: string;
  fees1Decimal: string;
  worthUSD: string | null;
}

describe("an account's page", () => {
  it("shows every token with the API's exact amount, and each way to it", async () => {
    const { text } = await account(examples.account);
    const { account: answer } = await opened.ask<{ account: { balances: AccountAnswer } }>(
      accountQuery(examples.account),
    );
    const { nodes, totalCount } = answer.balances;
    expect(nodes.length).toBeGreaterThan(3);
    expect(missing(text, [String(totalCount), ...nodes.map(({ totalDecimal }) => totalDecimal)])).toEqual([]);
    const ways = nodes.flatMap(({ sources }) => (sources.length > 1 ? sources.flatMap(({ paths }) => paths) : []));
    expect(ways.length).toBeGreaterThan(3);
    expect(
      [...text.matchAll(/<ul class="ways">(.*?)<\/ul>/g)].flatMap(([, list]) => list!.match(/<li>/g)),
    ).toHaveLength(
      nodes.flatMap(({ sources }) =>
        sources.every(({ source }) => source === "balance") ? [] : sources.flatMap(({ paths }) => paths),
      ).length,
    );
    const deepest = ways.sort((a, b) => b.assets.length - a.assets.length)[0]!;
    expect(deepest.assets.length).toBeGreaterThan(2);
    // from what the account holds to the token
    const held = deepest.assets.at(-1)!.split(":")[1]!;
    const list = [...text.matchAll(/<ul class="ways">.*?<\/ul>/g)]
      .map(([one]) => one)
      .find((one) => one.includes(held));
    expect(list).toBeDefined();
  });

  it("sums up what has a price without counting shares beside what is behind them", async () => {
    const { text } = await account(examples.account);
    const { account: answer } = await opened.ask<{
      account: { balances: { nodes: { token: { address: string }; total: string }[] } };
    }>(
      `{ account(address: "${examples.account}", block: { number: ${BLOCK} }) { balances(first: 1000) { nodes { token { address } total } } } }`,
    );
    const totals = answer.balances.nodes;
    const list = JSON.stringify(totals.map(({ token }) => token.address));
    const { tokenPrices } = await opened.ask<{
      tokenPrices: { decimals: number; priceStrategy: string; price: { usd: string } | null }[];
    }>(`{ tokenPrices(addresses: ${list}, block: { number: ${BLOCK} }) { decimals priceStrategy price { usd } } }`);
    const worth = totals.reduce((sum, { total }, i) => {
      const { price, decimals, priceStrategy } = tokenPrices[i]!;
      if (!price || priceStrategy === "vault") return sum;
      return sum + (Number(total) / 10 ** decimals) * Number(price.usd);
    }, 0);
    const shown = /<dt>Worth<\/dt><dd>.*?value="([\d.]+)"/.exec(text)?.[1];
    expect(worth).toBeGreaterThan(0);
    expect(Number(shown) / worth).toBeCloseTo(1, 9);
  });

  it("shows positions with what the API says they would pay", async () => {
    const { text } = await account(examples.owner);
    const { positions } = await opened.ask<{ positions: { totalCount: number; nodes: PositionAnswer[] } }>(
      `{ positions(owner: "${examples.owner}", first: 20, block: { number: ${BLOCK} }) { totalCount nodes { id token0 token1 fees0 principal1 principal0Decimal fees1Decimal worthUSD } } }`,
    );
    expect(positions.nodes.length).toBeGreaterThan(0);
    const tokens = [...new Set(positions.nodes.flatMap(({ token0, token1 }) => [token0, token1]))];
    const { tokenPrices } = await opened.ask<{ tokenPrices: { id: string; decimals: number }[] }>(
      `{ tokenPrices(addresses: ${JSON.stringify(tokens)}) { id decimals } }`,
    );
    const decimals = new Map(tokenPrices.map((one) => [one.id, one.decimals]));
    const amounts = positions.nodes.flatMap(({ token0, token1, fees0, principal1 }) => [
      plain(fees0, decimals.get(token0)!),
      plain(principal1, decimals.get(token1)!),
    ]);
    const ofPositions = positions.nodes.flatMap((one) => [
      one.id,
      one.principal0Decimal,
      one.fees1Decimal,
      one.worthUSD,
    ]);
    expect(missing(text, [...amounts, ...ofPositions])).toEqual([]);
    expect(positions.nodes.some(({ worthUSD }) => worthUSD !== null)).toBe(true);
    expect(text).toMatch(/in range|out: price/);
  });

  it("draws the token that the URL chooses, by what the API says at the blocks named below the chart", async () => {
    const { text } = await account(examples.account, `&token=${examples.token}`);
    const data = JSON.parse(/<script type="application\/json">(.*?)<\/script>/.exec(text)![1]!).data as number[][];
    const document = linksOpened(text)
      .flatMap((href) => queryOf(href) ?? [])
      .find((query) => /at\d+: /.test(query))!;
    const answer =
      await opened.ask<Record<string, { block: { timestamp: number }; nodes: { totalDecimal: string }[] }>>(document);
    const points = Object.values(answer);
    expect(points.length).toBeGreaterThan(5);
    expect(data[0]).toEqual(points.map(({ block }) => block.timestamp));
    expect(data[1]).toEqual(points.map(({ nodes }) => Number(nodes[0]!.totalDecimal)));
    expect(data[1]!.at(-1)).toBeGreaterThan(0);
  });

  it("says what a contract is and leads to its own page", async () => {
    for (const [address, subject] of [
      [examples.token, "token"],
      [examples.pool, "pool"],
      [examples.island, "vault"],
    ] as const) {
      const { status, text } = await account(address);
      expect([subject, status]).toEqual([subject, 200]);
      expect(text).toContain(`href="${root}/${subject}/${address}?block=${BLOCK}">its own page</a>`);
    }
  });

  it("says in words that there is nothing, and what is wrong with what was typed", async () => {
    const nobody = await account("0x00000000000000000000000000000000000000aa");
    expect([nobody.status, nobody.text.includes("It had no token at this block")]).toEqual([200, true]);
    const typed = await account("nobody");
    expect([typed.status, typed.text.includes("40 hex digits")]).toEqual([400, true]);
    const page = await account(examples.account, "&page=0");
    expect([page.status, page.text.includes("page: must be at least 1")]).toEqual([400, true]);
  });
});

const verify = (given: string): Promise<{ code: number | null; said: string }> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      ...{ DATABASE_URL: seeded.databaseUrl, RPC_URL: seeded.rpcUrl, CHAIN: seeded.chainFile },
    };
    const main = fileURLToPath(new URL("../../verify/main.ts", import.meta.url));
    const child = spawn(process.execPath, [main, ...given.split(" ")], { env });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    child.on("close", (code) => resolve({ code, said }));
  });

describe("commands", () => {
  it("of an account's page answer, and verify finds the account's token and pools exact", async () => {
    const { text } = await account(examples.owner);
    const checks = await opened.expectCommands(text, 3);
    expect(checks.map((given) => given.split(" ")[0])).toEqual(["--exit", "--token", "--pool"]);
    for (const given of checks.slice(1)) {
      const { code, said } = await verify(given);
      expect([given, code], said).toEqual([given, 0]);
    }
    expect(checks[0]).toBe(`--exit ${examples.owner} --block ${BLOCK}`);
  });
});
