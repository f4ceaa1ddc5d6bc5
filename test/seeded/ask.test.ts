// `npm run ask` against the seeded devnet, over a real port: what README.md shows, and numbers that are the API's.
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runAsk } from "../../ask/run-ask.ts";
import { readBlocks, START, TEST } from "../../scripts/readme/blocks.mjs";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { type Examples, seededExamples } from "./examples.ts";
import { openSeededGateway } from "./seeded-index.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const questions = readBlocks(readme).filter(({ text }) => text !== START && text !== TEST);

let gateway: TestGateway;
let server: ServerType;
let env: NodeJS.ProcessEnv;
let examples: Examples;

beforeAll(async () => {
  gateway = openSeededGateway();
  server = serve({ fetch: gateway.app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  env = { GATEWAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  examples = await seededExamples();
});
afterAll(async () => {
  server.close();
  await gateway.close();
});

async function linesOf(...argv: string[]): Promise<readonly string[]> {
  const { exitCode, output, complaint } = await runAsk(argv, env);
  expect(complaint).toEqual([]);
  expect(exitCode).toBe(0);
  return output;
}

const jsonOf = async (...argv: string[]) => JSON.parse((await linesOf(...argv, "--json")).join("\n")).data;

/** The cells of a table's rows: columns are two spaces apart, and no cell here has two in it. */
const cellsOf = (lines: readonly string[], title: string): string[][] => {
  const heading = lines.findIndex((line) => line.includes(title));
  expect(heading).toBeGreaterThan(0);
  const end = lines.indexOf("", heading);
  return lines.slice(heading + 1, end < 0 ? undefined : end).map((line) => line.trim().split(/ {2,}/));
};

describe("README.md", () => {
  test("asks three questions", () => {
    expect(questions).toHaveLength(3);
  });

  test.each(questions.map(({ text, answer }) => [text, answer]))(
    "shows what the devnet answers to %s",
    async (text, answer) => {
      const words = /^npm run ask -- (.*)$/.exec(text ?? "")?.[1];
      const path = /^curl 'http:\/\/127\.0\.0\.1:4000(\S+)'$/.exec(text ?? "")?.[1];
      expect(words ?? path).toBeDefined();
      const printed =
        words === undefined ? (await gateway.get(path ?? "")).text : (await linesOf(...words.split(" "))).join("\n");
      expect(printed.trimEnd()).toBe(answer);
    },
  );
});

describe("npm run ask", () => {
  test("prints every holder's total and every reason's sum as the API says them, and they make up the supply", async () => {
    const { token } = examples;
    const { body } = await gateway.get(`/balances/${token}?blockNumber=1200`);
    const { results } = body as { results: { account: string }[] };
    const { data } = (await gateway.graphql(
      `{ balances(token: "${token}", block: { number: 1200 }, first: 1000) {
        token { totalSupply } nodes { account total totalDecimal } unattributed { amount } } }`,
    )) as {
      data: { balances: { token: { totalSupply: string }; nodes: { account: string; totalDecimal: string }[] } };
    };
    const lines = await linesOf("balances", token, "--block", "1200", "--top", "1000");
    const holders = cellsOf(lines, "where it sits");
    expect(holders.length).toBe(results.length);
    expect(holders.map(([, account, total]) => [account, total])).toEqual(
      data.balances.nodes.map(({ account, totalDecimal }) => [account, totalDecimal]),
    );
    const reasons = cellsOf(lines, "unattributed");
    expect(reasons.length).toBeGreaterThan(3);
    // every token here has 18 decimals
    const raw = (decimal = "") => BigInt((decimal.split(".")[0] ?? "") + (decimal.split(".")[1] ?? "").padEnd(18, "0"));
    const all = [...holders.map(([, , total]) => raw(total)), ...reasons.map(([, amount]) => raw(amount))];
    expect(String(all.reduce((sum, part) => sum + part, 0n))).toBe(data.balances.token.totalSupply);
  });

  test("finds a token by its symbol, in any case", async () => {
    const bySymbol = await linesOf("balances", "honey", "--block", "1200");
    expect(bySymbol).toEqual(await linesOf("balances", examples.token, "--block", "1200"));
  });

  test("lists all tokens of one symbol instead of taking one", async () => {
    const { exitCode, output, complaint } = await runAsk(["balances", "UNI-V2"], env);
    expect([exitCode, output]).toEqual([2, []]);
    expect(complaint[0]).toMatch(/^ask: <token>: \d+ tokens have the symbol "UNI-V2"; give the address of one$/);
    expect(complaint.filter((line) => /^0x[0-9a-f]{40} {2}UNI-V2/.test(line)).length).toBeGreaterThan(1);
  });

  test("prints each way an account has a token, to the last digit", async () => {
    const argv = ["account", examples.owner, "--block", "1200", "--top", "1000"];
    const { account } = await jsonOf(...argv);
    const wanted = account.balances.nodes.flatMap(
      ({ sources }: { sources: { source: string; valueDecimal: string }[] }) =>
        sources.map(({ source, valueDecimal }) => `${source}  ${valueDecimal}`),
    );
    expect(wanted.length).toBeGreaterThan(5);
    const printed = (await linesOf(...argv)).slice(4).map((line) => line.replace(/ {2,}/g, "  "));
    expect(printed).toHaveLength(wanted.length);
    for (const [at, text] of wanted.entries()) expect(printed[at]).toContain(text.replace("null", ""));
  });

  test("prints prices with all their digits, the native coin's too", async () => {
    const { tokenPrices } = await jsonOf("price", "BERA", "HONEY", "KDK", "--block", "1200");
    const lines = await linesOf("price", "BERA", "HONEY", "KDK", "--block", "1200");
    expect(cellsOf(lines, "known by").map(([address, symbol, usd]) => [address, symbol, usd])).toEqual(
      tokenPrices.map(({ address, symbol, price }: { address: string; symbol: string; price: { usd: string } }) => [
        address,
        symbol,
        price.usd,
      ]),
    );
  });

  test("prints a v3 pool as its storage has it, with the price of its square root", async () => {
    const { pool } = await jsonOf("pool", examples.pool, "--block", "1200");
    const lines = (await linesOf("pool", examples.pool, "--block", "1200")).join("\n");
    expect(lines).toContain(`tick ${pool.tick}, liquidity ${pool.liquidity}, sqrtPriceX96 ${pool.sqrtPriceX96}`);
    const price = Number(/^price (\S+) /m.exec(lines)?.[1]);
    const decimals = await gateway.graphql(
      `{ pool(address: "${examples.pool}", block: { number: 1200 }) { token0 token1 } }`,
    );
    const { token0, token1 } = (decimals.data as { pool: Record<"token0" | "token1", string> }).pool;
    const { data } = await gateway.graphql(
      `{ a: token(address: "${token0}") { decimals } b: token(address: "${token1}") { decimals } }`,
    );
    const { a, b } = data as Record<"a" | "b", { decimals: number }>;
    const expected = (Number(pool.sqrtPriceX96) / 2 ** 96) ** 2 * 10 ** (a.decimals - b.decimals);
    expect(Math.abs(price / expected - 1)).toBeLessThan(1e-12);
  });

  test("prints a launch curve and the pair that it became", async () => {
    const curve = await jsonOf("pool", examples.launched);
    expect((await linesOf("pool", examples.launched)).join("\n")).toContain(`price ${curve.launch.price} `);
    const { dexPair } = curve.launch;
    const pair = await jsonOf("pool", dexPair);
    const [{ reserve0, reserve1 }] = pair.reserves.reserves.nodes;
    const shown = (await linesOf("pool", dexPair)).find((line) => line.startsWith("reserves "));
    const digits = (text = "") => text.replace(/\D/g, "").replace(/0+$/, "");
    const [first, second] = shown?.slice("reserves ".length).split(", ") ?? [];
    expect([first?.split(" ")[0], second?.split(" ")[0]].map(digits)).toEqual([reserve0, reserve1].map(digits));
  });

  test("prints what a past swap paid, by either amount, as the router says", async () => {
    const { routerQuote } = await jsonOf("quote", "HONEY", "WBERA", "1000", "--block", "1200");
    const [first] = await linesOf("quote", "HONEY", "WBERA", "1000", "--block", "1200");
    expect(first).toMatch(new RegExp(`^1000 HONEY pays ${routerQuote.quoteDecimals} WBERA, at block 1200`));
    const exact = await jsonOf("quote", "HONEY", "WBERA", "1.5", "--exact-out", "--block", "1200");
    const [bought] = await linesOf("quote", "HONEY", "WBERA", "1.5", "--exact-out", "--block", "1200");
    expect(bought).toMatch(new RegExp(`^1.5 WBERA costs ${exact.routerQuote.quoteDecimals} HONEY, at block 1200`));
  });

  test("prints every provider that was asked for a swap now", async () => {
    const { quote } = await jsonOf("quote", "BERA", "HONEY", "5");
    const rows = cellsOf(await linesOf("quote", "BERA", "HONEY", "5"), "status");
    expect(rows.map(([provider]) => provider).sort()).toEqual(
      quote.expl.map(({ provider }: { provider: string }) => provider).sort(),
    );
  });

  test.each([
    [["balances", "HONEY", "--block", "99999999"], 1, "INVALID_INPUT: block.number: block 99999999 does not exist yet"],
    [["balances", `0x${"99".repeat(20)}`], 1, "TOKEN_NOT_TRACKED: "],
    [["quote", "HONEY", "WBERA", `1${"0".repeat(40)}`, "--block", "1200"], 1, "NO_ROUTE: "],
    [["quote", "HONEY", "WBERA", "1.0000000000000000001"], 2, "<amount>: the token has 18 decimals"],
    [["pool", `0x${"99".repeat(20)}`], 2, "<pool>: no pool, pair or curve"],
  ] as const)("%j is refused", async (argv, code, message) => {
    const { exitCode, output, complaint } = await runAsk(argv, env);
    expect([exitCode, output]).toEqual([code, []]);
    expect(complaint[0]).toContain(`ask: ${message}`);
  });
});
