// The pages of accounts and pools on the seeded chain: what they show is what the API answers and the contracts say, and the
// commands that they name do what the pages claim.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { type Address, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../gateway/http/server.ts";
import { pages } from "../../gateway/pages/pages.tsx";
import { parsePlan } from "../../verify/arguments.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { type Examples, seededExamples } from "./examples.ts";
import { explore } from "./pages.ts";
import { openSeededGateway, seeded, seededChain, seededClient } from "./seeded-index.ts";

const BLOCK = 1_200;
const root = explore(seededChain().name);
const client = seededClient();

let gateway: TestGateway;
let examples: Examples;
let markets: Record<"v2" | "v3" | "curve", Market>;

interface Day {
  start: number;
  trades: number;
  fees0Decimal?: string;
  volumeUSD: string | null;
  tvlUSD: string | null;
  close: number | null;
}

interface Market {
  address: Address;
  protocol: "v2" | "v3" | "curve";
  token0: Address;
  token1: Address;
  token0Detail: { decimals: number };
  token1Detail: { decimals: number };
  series: Day[];
}

async function ask<T>(query: string): Promise<T> {
  const { data, errors } = await gateway.graphql(query);
  expect(errors).toBeUndefined();
  return data as T;
}

beforeAll(async () => {
  gateway = openSeededGateway();
  examples = await seededExamples();
  const { timestamp } = await client.getBlock({ blockNumber: BigInt(BLOCK) });
  const series = `series(interval: day, from: ${Number(timestamp) - 13 * 86_400}, to: ${timestamp}) { start trades volumeUSD tvlUSD close }`;
  const details = "address protocol token0 token1 token0Detail { decimals } token1Detail { decimals }";
  const { facts } = await ask<{ facts: { markets: { nodes: Market[] } } }>(
    `{ facts(block: { number: ${BLOCK} }) { markets(first: 200) { nodes { ${details} ${series} } } } }`,
  );
  const tradesOf = ({ series: days }: Market) => days.reduce((sum, { trades }) => sum + trades, 0);
  const busiest = (protocol: Market["protocol"]) =>
    facts.markets.nodes.filter((one) => one.protocol === protocol).sort((a, b) => tradesOf(b) - tradesOf(a))[0]!;
  markets = { v2: busiest("v2"), v3: busiest("v3"), curve: busiest("curve") };
});
afterAll(() => gateway?.close());

async function open(path: string) {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(path, { headers: { accept: "text/html" } });
  return { status: answer.status, text: await answer.text() };
}

const account = (address: string, block = BLOCK, more = "") => open(`${root}/account/${address}?block=${block}${more}`);
const pool = (address: string, block = BLOCK) => open(`${root}/pool/${address}?block=${block}`);

const unescaped = (text: string) =>
  text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&gt;", ">");

/** Exact values of the page's numbers. */
const valuesIn = (text: string): string[] =>
  [...text.matchAll(/<data [^>]*?value="([^"]*)"/g)].map(([, value]) => value!);

/** What is there and missing among `values`. */
const missing = (text: string, values: readonly (string | null)[]): string[] => {
  const shown = new Set(valuesIn(text));
  return values.flatMap((value) => (value === null || shown.has(value) ? [] : [value]));
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
}

describe("an account's page", () => {
  it("shows every token with the API's exact amount, and each way to it", async () => {
    const { text } = await account(examples.account);
    const { account: answer } = await ask<{ account: { balances: AccountAnswer } }>(accountQuery(examples.account));
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
    const { account: answer } = await ask<{
      account: { balances: { nodes: { token: { address: string }; total: string }[] } };
    }>(
      `{ account(address: "${examples.account}", block: { number: ${BLOCK} }) { balances(first: 1000) { nodes { token { address } total } } } }`,
    );
    const totals = answer.balances.nodes;
    const list = JSON.stringify(totals.map(({ token }) => token.address));
    const { tokenPrices } = await ask<{
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
    const { positions } = await ask<{ positions: { totalCount: number; nodes: PositionAnswer[] } }>(
      `{ positions(owner: "${examples.owner}", first: 20, block: { number: ${BLOCK} }) { totalCount nodes { id token0 token1 fees0 principal1 } } }`,
    );
    expect(positions.nodes.length).toBeGreaterThan(0);
    const tokens = [...new Set(positions.nodes.flatMap(({ token0, token1 }) => [token0, token1]))];
    const { tokenPrices } = await ask<{ tokenPrices: { id: string; decimals: number }[] }>(
      `{ tokenPrices(addresses: ${JSON.stringify(tokens)}) { id decimals } }`,
    );
    const decimals = new Map(tokenPrices.map((one) => [one.id, one.decimals]));
    const amounts = positions.nodes.flatMap(({ token0, token1, fees0, principal1 }) => [
      plain(fees0, decimals.get(token0)!),
      plain(principal1, decimals.get(token1)!),
    ]);
    expect(missing(text, [...positions.nodes.map(({ id }) => id), ...amounts])).toEqual([]);
    expect(text).toMatch(/in range|out: price/);
  });

  it("draws the token that the URL chooses, by what the API says at the blocks named below the chart", async () => {
    const { text } = await account(examples.account, BLOCK, `&token=${examples.token}`);
    const data = JSON.parse(/<script type="application\/json">(.*?)<\/script>/.exec(text)![1]!).data as number[][];
    const asked = unescaped(/href="\/graphql\?query=([^"]*at\d+[^"]*)"/.exec(text)![1]!);
    const answer = await ask<Record<string, { block: { timestamp: number }; nodes: { totalDecimal: string }[] }>>(
      decodeURIComponent(asked),
    );
    const points = Object.values(answer);
    expect(points.length).toBeGreaterThan(5);
    expect(data[0]).toEqual(points.map(({ block }) => block.timestamp));
    expect(data[1]).toEqual(points.map(({ nodes }) => Number(nodes[0]!.totalDecimal)));
    expect(data[1]!.at(-1)).toBeGreaterThan(0);
  });

  it("tells what a contract is and leads to its own page", async () => {
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
    const page = await account(examples.account, BLOCK, "&page=0");
    expect([page.status, page.text.includes("page: must be at least 1")]).toEqual([400, true]);
  });
});

const plain = (raw: string, decimals: number): string => {
  const digits = raw.padStart(decimals + 1, "0");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return digits.slice(0, digits.length - decimals) + (fraction === "" || decimals === 0 ? "" : `.${fraction}`);
};

/** Whole token1 per whole token0, as the contract says at the block; a double. */
async function priceOf({ protocol, address, ...market }: Market): Promise<number> {
  const read = { address, blockNumber: BigInt(BLOCK) } as const;
  const scale = 10 ** (market.token0Detail.decimals - market.token1Detail.decimals);
  if (protocol === "v3") {
    const abi = parseAbi(["function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint32, bool)"]);
    const [root96] = await client.readContract({ ...read, abi, functionName: "slot0" });
    return (Number(root96) / 2 ** 96) ** 2 * scale;
  }
  if (protocol === "v2") {
    const abi = parseAbi(["function getReserves() view returns (uint112, uint112, uint32)"]);
    const [reserve0, reserve1] = await client.readContract({ ...read, abi, functionName: "getReserves" });
    return (Number(reserve1) / Number(reserve0)) * scale;
  }
  const abi = parseAbi(["function getCurrentPrice() view returns (uint256)"]);
  return (Number(await client.readContract({ ...read, abi, functionName: "getCurrentPrice" })) / 1e36) * scale;
}

describe.each(["v3", "v2", "curve"] as const)("the page of a %s", (protocol) => {
  it("shows the price that its contract has", async () => {
    const { status, text } = await pool(markets[protocol].address);
    const shown = /<dt>Price<\/dt><dd>.*?value="([\d.]+)"/.exec(text)?.[1];
    expect(status).toBe(200);
    expect(Number(shown) / (await priceOf(markets[protocol]))).toBeCloseTo(1, 12);
  });

  it("shows the API's TVL, and its volume of every day on which something was traded", async () => {
    const { address, series } = markets[protocol];
    const { text } = await pool(address);
    const traded = series.filter(({ trades }) => trades > 0);
    expect(traded.length).toBeGreaterThan(2);
    expect(series.at(-1)!.tvlUSD).not.toBeNull();
    expect(missing(text, [series.at(-1)!.tvlUSD, ...traded.map(({ volumeUSD }) => volumeUSD)])).toEqual([]);
  });

  it("names commands that answer", async () => {
    const { text } = await pool(markets[protocol].address);
    await expectCommands(text, protocol === "curve" ? 1 : 2);
  });
});

describe("a pool's page", () => {
  it("draws liquidity, islands and positions for v3 pools, progress for curves, and nothing that a kind does not have", async () => {
    const [v3, v2, curve] = await Promise.all(
      [examples.pool, markets.v2.address, markets.curve.address].map(async (address) => (await pool(address!)).text),
    );
    for (const [words, where] of [
      ["<h2>Liquidity</h2>", [true, false, false]],
      ["<h2>Islands in it</h2>", [true, false, false]],
      ["<h2>Positions</h2>", [true, false, false]],
      ["Progress to graduation", [false, false, true]],
      [">the share</a>", [false, true, false]],
    ] as const)
      expect([words, [v3, v2, curve].map((text) => text!.includes(words))]).toEqual([words, where]);
    expect(v3).toMatch(/<path class="below" d="M[^"]+Z"/);
    expect(v3).toMatch(/href="[^"]*\/vault\/0x[0-9a-f]{40}/);
  });

  it("has as much liquidity under the price as the contract", async () => {
    const { text } = await pool(examples.pool);
    const abi = parseAbi(["function liquidity() view returns (uint128)"]);
    const liquidity = await client.readContract({
      ...{ address: examples.pool as Address, abi, functionName: "liquidity", blockNumber: BigInt(BLOCK) },
    });
    expect(missing(text, [String(liquidity)])).toEqual([]);
  });

  it("says where a curve that has graduated is traded", async () => {
    const { text } = await pool(examples.launched, seeded.head);
    expect(text).toMatch(/Graduated at block .*into the v2 pair/s);
  });

  it("answers 404 with what is there instead, and a way to it", async () => {
    const { status, text } = await pool(examples.token);
    expect([status, text.includes("There is no pool here")]).toEqual([404, true]);
    expect(text).toContain(`href="${root}/token/${examples.token}?block=${BLOCK}">its own page</a>`);
    const nobody = await pool("0x00000000000000000000000000000000000000aa");
    expect([nobody.status, nobody.text.includes("as an account")]).toEqual([404, true]);
  });
});

/** Every REST path and GraphQL document that the page leads to answers; every verify command is one. */
async function expectCommands(text: string, most: number): Promise<string[]> {
  const links = [...text.matchAll(/<a href="([^"]+)">open (?:the answer|in GraphiQL)/g)].map(([, href]) =>
    unescaped(href!),
  );
  expect(links.length).toBeGreaterThanOrEqual(most);
  for (const href of links) {
    const query = /^\/graphql\?query=(.*)$/s.exec(href)?.[1];
    if (query === undefined) expect([href, (await gateway.get(href)).status]).toEqual([href, 200]);
    else expect((await gateway.graphql(decodeURIComponent(query))).errors, decodeURIComponent(query)).toBeUndefined();
  }
  const checks = [...text.matchAll(/npm run verify -- ([^<]+)/g)].map(([, given]) => given!.trim());
  for (const given of checks) expect(parsePlan(given.split(" "))).not.toBe("help");
  return checks;
}

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
    const checks = await expectCommands(text, 3);
    expect(checks.map((given) => given.split(" ")[0])).toEqual(["--exit", "--token", "--pool"]);
    for (const given of checks.slice(1)) {
      const { code, said } = await verify(given);
      expect([given, code], said).toEqual([given, 0]);
    }
    expect(checks[0]).toBe(`--exit ${examples.owner} --block ${BLOCK}`);
  });
});
