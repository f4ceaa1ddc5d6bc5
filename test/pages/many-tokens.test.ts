// Pages of a chain with more tokens than Home reads, and with pools of addresses that no token is at.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { timestampOf } from "../support/index-fixture.ts";
import { accountOf, tokenOf } from "../support/reference-ledger.ts";
import { routerChain } from "../support/router-world.ts";
import { buildScripted, Script } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const MANY = 205;
const HOLDER = accountOf(1);
const UNIT = 10n ** 18n;
const [FIRST, SECOND] = [tokenOf(1), tokenOf(2)];
const [LATE, LATEST] = [tokenOf(MANY - 1), tokenOf(MANY)];
/** No token is there. */
const NOTHING = "0xffffffffffffffffffffffffffffffffffffff01";
/** More pairs than a page of vaults has; nobody has put anything into them. */
const MANY_PAIRS = 1_001;
const UNPRICED = tokenOf(3);
const NO_DECIMALS = tokenOf(4);
const emptyPair = (n: number): string => `0xee${n.toString(16).padStart(38, "0")}`;
const [POOL_LATE, POOL_NOTHING, PAIR] = [accountOf(61), accountOf(62), accountOf(63)];
const chain = {
  ...routerChain,
  stables: [FIRST, SECOND, LATE, LATEST].map((address) => ({ address, priceUsd: "1" })),
} as typeof routerChain;

function openPool(script: Script, pool: string, [token0, token1]: readonly [string, string]): void {
  const factory = chain.v3!.deployments[0]!.factory.address;
  script.tell("v3_pool_created", { factory, pool, token0, token1, fee: 3_000, tick_spacing: 60 });
}

function script(): Script {
  const world = new Script();
  for (let n = 1; n <= MANY; n++) world.mint(tokenOf(n), HOLDER, 10n ** 6n * UNIT);
  world.nextBlock();
  openPool(world, POOL_NOTHING, [FIRST, NOTHING]);
  openPool(world, POOL_LATE, [LATE, LATEST]);
  for (const token of [LATE, LATEST]) world.move(token, { from: HOLDER, to: POOL_LATE, amount: 1_000n * UNIT });
  world.nextBlock();
  const reserves = { reserve0: `${9_000n * UNIT}`, reserve1: `${9_000n * UNIT}` };
  world.tell("v2_pair_created", {
    ...{ factory: chain.v2!.factory.address, pair: PAIR, ordinal: "1" },
    ...{ token0: FIRST, token1: SECOND },
  });
  for (const token of [FIRST, SECOND]) world.move(token, { from: HOLDER, to: PAIR, amount: 9_000n * UNIT });
  world.mint(PAIR, HOLDER, 9_000n * UNIT);
  world.tell("v2_sync", { pair: PAIR, ...reserves });
  for (let n = 1; n <= MANY_PAIRS; n++)
    world.tell("v2_pair_created", {
      ...{ factory: chain.v2!.factory.address, pair: emptyPair(n), ordinal: String(n + 1) },
      ...{ token0: FIRST, token1: UNPRICED },
    });
  world.nextBlock();
  return world;
}

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  const place = { ponderSchema: "facts_many_tokens", foldSchema: "fold_many_tokens", finalized: 3, chain };
  await buildScripted(database.sql, script(), place);
  await database.sql`update fold_many_tokens.token set name = 'Kind of token'`;
  await database.sql`update fold_many_tokens.token set symbol = 'K' where address = ${Buffer.from(LATEST.slice(2), "hex")}`;
  await database.sql`update fold_many_tokens.token set decimals = null, problem = 'decimals() is 255'
    where address = ${Buffer.from(NO_DECIMALS.slice(2), "hex")}`;
  gateway = openGateway(database.url, chain);
});
afterAll(async () => {
  await gateway?.close();
  await database?.stop();
});

async function open(path: string): Promise<{ status: number; text: string }> {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  let answer: Response;
  // the first page reads of everything, for which a busy machine may need more time than one request has
  do answer = await app.request(`/explore/${chain.name}${path}`, { headers: { accept: "text/html" } });
  while (answer.status === 503);
  return { status: answer.status, text: await answer.text() };
}

describe("Home", () => {
  it("knows what a pool of tokens that came late is called and worth", async () => {
    const { text } = await open("");
    const [, row = ""] =
      /<tr>((?:(?!<\/tr>).)*?\/pool\/0x[0-9a-f]{40}(?:(?!<\/tr>).)*)<\/tr>/.exec(
        text.slice(text.indexOf(`/pool/${POOL_LATE}`) - 60),
      ) ?? [];
    expect(row).toContain("<bdi>T</bdi> / <bdi>K</bdi>");
    expect(row).toContain('<data class="number" value="2000"');
  });

  it("names a check of a v3 pool that can be run, though a pair has the highest TVL", async () => {
    const { text } = await open("");
    expect(text.indexOf(`/pool/${PAIR}`)).toBeLessThan(text.indexOf(`/pool/${POOL_LATE}`));
    expect(text).toContain(`npm run verify -- --pool ${POOL_LATE} --block`);
    expect(text).not.toContain(`--pool ${PAIR}`);
  });
});

describe("Home's count of pools", () => {
  it("has every v3 pool and pair, however many there are", async () => {
    const { text } = await open("");
    expect(/<dt>Pools<\/dt><dd><data value="(\d+)"/.exec(text)?.[1]).toBe(String(2 + 1 + MANY_PAIRS));
  });
});

describe("A pair that nobody has put anything into", () => {
  const factOf = (text: string, name: string) => text.split(`<dt>${name}</dt>`)[1]?.split("</dd>")[0] ?? "";

  it("has no link to a page of its share, as there is none", async () => {
    expect((await open(`/token/${emptyPair(1)}`)).status).toBe(404);
    for (const subject of ["pool", "vault"]) {
      const { status, text } = await open(`/${subject}/${emptyPair(1)}`);
      expect([status, text.includes(`/token/${emptyPair(1)}"`)]).toEqual([200, false]);
    }
    expect((await open(`/pool/${PAIR}`)).text).toContain(`/token/${PAIR}"`);
  });

  it("has a TVL of 0 in every answer, though one of its tokens has no price", async () => {
    for (const subject of ["pool", "vault"])
      expect(factOf((await open(`/${subject}/${emptyPair(1)}`)).text, "TVL")).toContain('value="0"');
    const series = `series(interval: day, from: ${timestampOf(2)}) { tvlUSD price1USD }`;
    const { data } = await gateway.graphql(
      `{ facts { markets(where: { address: ["${emptyPair(1)}"] }) { nodes { ${series} } } } vault(id: "${emptyPair(1)}") { tvl } }`,
    );
    expect(data).toMatchObject({ vault: { tvl: 0 } });
    const { facts } = data as { facts: { markets: { nodes: { series: object[] }[] } } };
    expect(facts.markets.nodes[0]?.series.at(-1)).toEqual({ tvlUSD: "0", price1USD: null });
  });
});

describe("The page of a pool of an address that no token is at", () => {
  it("leads to what that address had as an account, not to a token's page, as there is none", async () => {
    expect((await open(`/token/${NOTHING}`)).status).toBe(404);
    const { status, text } = await open(`/pool/${POOL_NOTHING}`);
    expect(status).toBe(200);
    expect(text).not.toContain(`/token/${NOTHING}"`);
    expect(text).toContain(`/account/${NOTHING}"`);
    expect(text).toContain(`/token/${FIRST}"`);
  });
});

describe("How tokens were made", () => {
  const documentsIn = (text: string): string[] =>
    [...text.matchAll(/href="\/graphql\?query=([^"]+)"/g)].map(([, query]) => decodeURIComponent(query!));

  it("names the query of the page that is shown, not of the first one", async () => {
    const first = await open("/tokens");
    const next = /<a href="([^"]+)" rel="next">/.exec(first.text)![1]!.replaceAll("&amp;", "&");
    const { text } = await open(next.replace(`/explore/${chain.name}`, ""));
    const { data } = await gateway.graphql(documentsIn(text)[0]!);
    const { nodes } = (data as { tokens: { nodes: { address: string }[] } }).tokens;
    const shown = [...text.matchAll(/<a class="name" href="[^"]*\/token\/(0x[0-9a-f]{40})/g)].map(([, token]) => token);
    expect(shown.length).toBeGreaterThan(10);
    expect(nodes.map(({ address }) => address)).toEqual(shown);
  });

  it("asks REST of the chain that is shown, and of nothing where no token is", async () => {
    expect((await open("/tokens")).text).toMatch(
      /<a href="\/tokens\?addresses=0x[^"]*&amp;chainId=31337">open the answer/,
    );
    for (const path of ["/tokens?block=0", "?block=0"])
      expect((await open(path)).text).not.toContain("/tokens?addresses=");
  });
});

describe("The page of a token without decimals", () => {
  it("leads to REST answers that there are", async () => {
    const { status, text } = await open(`/token/${NO_DECIMALS}`);
    const paths = [...text.matchAll(/<a href="([^"]+)">open the answer/g)].map(([, path]) =>
      path!.replaceAll("&amp;", "&"),
    );
    expect([status, paths.length]).toEqual([200, 4]);
    for (const path of paths) expect([path, (await gateway.app.request(path)).status]).toEqual([path, 200]);
  });
});

describe("A number of a page that is none", () => {
  it("is refused in words, beside its field where it has one", async () => {
    for (const query of ["limit=1e9", "offset=-1"]) {
      const { status, text } = await open(`/vaults?${query}`);
      expect([status, text.includes("must be a whole number in digits</span>")]).toEqual([400, true]);
    }
    const { status, text } = await open(`/account/${HOLDER}?page=1e3`);
    expect([status, text.includes("page: must be a whole number in digits")]).toEqual([400, true]);
  });
});

describe("A token's page", () => {
  it("is there though somebody has made a pool of it and an address that no token is at", async () => {
    const { status, text } = await open(`/token/${FIRST}`);
    expect(status).toBe(200);
    expect(text).toContain(`/pool/${POOL_NOTHING}`);
    expect(text).toContain("0xffff…ff01");
  });
});

describe("The form of quotes", () => {
  it("finds a token by its symbol, however many older ones have that as a part of their names", async () => {
    const { text } = await open(`/quote?tokenIn=k&tokenOut=${LATE}&amount=1`);
    expect(text).not.toContain("tokenIn-problem");
    expect(text).not.toContain("no token known");
  });
});
