// `npm run ask` as a program: what it refuses, what it asks, and what of an answer reaches the terminal. The server imitates a
// gateway's /graphql as docs/querying.md describes it, with names no real gateway lets through.
import { spawn } from "node:child_process";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runAsk } from "../../ask/run-ask.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TOKEN = `0x${"ab".repeat(20)}`;
const HOSTILE = "\u001b[31mHO\u202eNEY\u0007\u009b2J\u05d0\r\n\0";
/** All but the line feeds between lines. */
const ACTED_UPON = /[^\P{Cc}\n]|[\p{Cf}\u0590-\u08ff]/u;

interface Reply {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

let server: Server;
let url: string;
let requests: { headers: IncomingHttpHeaders; query: string; variables: Record<string, unknown> }[] = [];
let reply: (query: string) => Reply;

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { query = "", variables = {} } = JSON.parse(Buffer.concat(parts).toString() || "{}");
      requests.push({ headers: request.headers, query, variables });
      const { status, body, headers } = reply(query);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  requests = [];
  reply = () => ({ status: 200, body: JSON.stringify({ data: answer(HOSTILE) }) });
});

/** What a product with such names would say to anything that is asked here. */
const answer = (name: string) => ({
  tokens: {
    nodes: [TOKEN, `0x${"cd".repeat(20)}`].map((address) => ({ address, symbol: name, name, firstBlock: 1 })),
    pageInfo: { hasNextPage: false, endCursor: null },
  },
  balances: {
    block: { number: 7, timestamp: 0 },
    token: { address: TOKEN, symbol: name, decimals: 0, totalSupply: "9", totalSupplyDecimal: "9", flags: [name] },
    totalCount: 1,
    nodes: [{ account: TOKEN, total: "9", totalDecimal: "9", sources: [{ source: "balance", value: "9" }] }],
    unattributed: [],
    incomplete: [],
  },
});

const ask = (...argv: string[]) => runAsk([...argv, "--url", url], {});

/** The real program, byte for byte. */
function program(...argv: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ["ask/main.ts", ...argv, "--url", url], { cwd: root });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })));
}

describe("hostile names", () => {
  test("never reach the terminal raw in a table", async () => {
    const { code, stdout } = await program("balances", TOKEN);
    expect(code).toBe(0);
    expect(stdout).toContain("\\u{1b}[31mHO\\u{202e}NEY");
    expect(stdout).not.toMatch(ACTED_UPON);
  });

  test("never reach it in raw JSON, which stays the same value", async () => {
    // as a server may write them: JSON escapes only what is below the space
    const { code, stdout } = await program("balances", TOKEN, "--json");
    expect(code).toBe(0);
    expect(stdout).not.toMatch(ACTED_UPON);
    expect(JSON.parse(stdout)).toEqual({ data: answer(HOSTILE) });
  });

  test("never reach it in a list of candidates or in a refusal", async () => {
    const candidates = await program("balances", HOSTILE.replace("\0", ""));
    reply = () => ({
      status: 200,
      body: JSON.stringify({ errors: [{ message: HOSTILE, extensions: { code: HOSTILE } }] }),
    });
    const refused = await program("balances", TOKEN);
    expect([candidates.code, refused.code]).toEqual([2, 1]);
    for (const { stderr } of [candidates, refused]) {
      expect(stderr).toContain("\\u{1b}");
      expect(stderr).not.toMatch(ACTED_UPON);
    }
  });
});

describe("symbols", () => {
  test("that several tokens have are refused with all of them, in any case", async () => {
    reply = () => ({ status: 200, body: JSON.stringify({ data: answer("HONEY") }) });
    const { exitCode, output, complaint } = await ask("balances", "honey");
    expect([exitCode, output]).toEqual([2, []]);
    expect(complaint[0]).toBe('ask: <token>: 2 tokens have the symbol "honey"; give the address of one');
    expect(complaint.join("\n")).toContain(`0x${"cd".repeat(20)}`);
  });

  test("are looked for on every page", async () => {
    const page = (after: unknown) => ({
      tokens: {
        nodes: after === "two" ? [{ address: TOKEN, symbol: "LATE", name: null, firstBlock: 5 }] : [],
        pageInfo: after === "two" ? { hasNextPage: false, endCursor: null } : { hasNextPage: true, endCursor: "two" },
      },
    });
    reply = (query) => ({
      status: 200,
      body: JSON.stringify({ data: /Symbols/.test(query) ? page(requests.at(-1)?.variables.after) : answer("LATE") }),
    });
    expect(await ask("balances", "LATE")).toMatchObject({ exitCode: 0 });
    expect(requests.at(-1)?.variables).toMatchObject({ token: TOKEN });
    // not all tokens of a chain, but those that are called so
    expect(requests.map(({ variables }) => variables.search)).toEqual(["LATE", "LATE", undefined]);
  });

  test("that no token has are refused with the way out", async () => {
    const { exitCode, complaint } = await ask("balances", "NOBODY");
    expect([exitCode, complaint[0]]).toEqual([
      2,
      'ask: <token>: no token has the symbol "NOBODY"; give its address, 0x and 40 hex digits',
    ]);
  });
});

describe("what an account had", () => {
  test("names each token by its address too, as anybody can take any symbol", async () => {
    const nodes = [TOKEN, `0x${"cd".repeat(20)}`].map((address) => ({
      ...{ token: { address, symbol: "HONEY" }, total: "9", totalDecimal: "9" },
      sources: [{ source: "balance", value: "9", valueDecimal: "9", contract: null, positionId: null }],
    }));
    const balances = { block: { number: 7, timestamp: 0 }, totalCount: 2, replacedBy: null, incomplete: [], nodes };
    reply = () => ({ status: 200, body: JSON.stringify({ data: { account: { address: TOKEN, balances } } }) });
    const { output } = await ask("account", `0x${"11".repeat(20)}`);
    for (const { token } of nodes) expect(output.filter((line) => line.includes(token.address))).not.toEqual([]);
    expect(output.slice(4).map((line) => line.split(/ {2,}/)[1])).toEqual(nodes.map(({ token }) => token.address));
  });
});

describe("what a token was worth", () => {
  test("is not said to lack a pool where the contract gives no decimals", async () => {
    const priced = { address: TOKEN, known: true, symbol: "ODD", decimals: null, totalSupplyDecimal: null };
    const tokenPrices = [{ ...priced, price: null, priceStrategy: "none", unpriced: [] }];
    const at = { block: { number: 7, timestamp: 0 } };
    reply = () => ({ status: 200, body: JSON.stringify({ data: { at, tokenPrices } }) });
    const { output } = await ask("price", TOKEN);
    expect(output.join("\n")).toContain("not known  its contract gives no decimals");
  });
});

describe("the zero address", () => {
  test("is not said to have no token: what lies there is shown for each token", async () => {
    const block = { number: 7, timestamp: 0 };
    const balances = { block, totalCount: 0, replacedBy: null, incomplete: [], nodes: [] };
    const address = `0x${"0".repeat(40)}`;
    reply = () => ({ status: 200, body: JSON.stringify({ data: { account: { address, balances } } }) });
    const { exitCode, output } = await ask("account", address);
    expect([exitCode, output[1]]).toEqual([
      0,
      "nobody's account: each token's answer shows what lies there, as unattributed (zero_address)",
    ]);
  });
});

describe("command lines that cannot be asked so", () => {
  test.each([
    [["balances"], "<token> is missing"],
    [["balances", "0x12"], "<token>: an address has 40 hex digits"],
    [["balances", TOKEN, "extra"], '"extra" is one word too many'],
    [["balances", TOKEN, "--block", "1e3"], "--block: must be a number"],
    [["balances", TOKEN, "--block", "1", "--timestamp", "1"], "--block: give either"],
    [["balances", TOKEN, "--top", "0"], "--top: must be a number from 1 to 1000"],
    [["balances", TOKEN, "--exact-out"], "--exact-out: this question does not take it"],
    [["account", "HONEY"], "<account>: must be an address"],
    [["pool", "HONEY"], "<pool>: must be an address, 0x and 40 hex digits, or two symbols"],
    [["price"], "<token> is missing"],
    [["quote", TOKEN, TOKEN], "<amount> is missing"],
    [["ballances", TOKEN], 'there is no question "ballances"'],
    [["constructor"], 'there is no question "constructor"'],
  ])("%j names the parameter", async (argv, message) => {
    const { exitCode, output, complaint } = await ask(...argv);
    expect([exitCode, output]).toEqual([2, []]);
    expect(complaint[0]).toContain(message);
  });

  test("for a URL that is no product's are refused", async () => {
    for (const place of ["127.0.0.1:4000", "ftp://127.0.0.1", "http://me:secret@127.0.0.1", "http://127.0.0.1/?a"])
      expect(await runAsk(["balances", TOKEN, "--url", place], {})).toMatchObject({ exitCode: 2 });
  });

  test.each(["balances", "account", "price", "pool", "quote"])("%s --help says how it is asked", async (question) => {
    const { exitCode, output } = await ask(question, "--help");
    expect(exitCode).toBe(0);
    expect(output.join("\n")).toMatch(
      new RegExp(`^usage: npm run ask -- ${question} <[\\s\\S]*--block N[\\s\\S]*--json`),
    );
  });
});

describe("the product", () => {
  test("gets the first of API_KEYS, unless --key says another", async () => {
    await runAsk(["balances", TOKEN, "--url", url], { API_KEYS: "first-key-of-the-two, second" });
    await runAsk(["balances", TOKEN, "--url", url, "--key", "mine"], { API_KEYS: "first-key-of-the-two" });
    await ask("balances", TOKEN);
    expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual(["first-key-of-the-two", "mine", undefined]);
  });

  test("gets no key that no header can have", async () => {
    for (const [argv, env, name] of [
      [["--key", "\u043a\u043b\u044e\u0447"], {}, "--key"],
      [[], { API_KEYS: "first key" }, "API_KEYS"],
    ] as const) {
      const { exitCode, complaint } = await runAsk(["balances", TOKEN, "--url", url, ...argv], env);
      expect([exitCode, complaint[0]]).toEqual([2, expect.stringContaining(`ask: ${name}: a key has only`)]);
    }
    expect(requests).toEqual([]);
  });

  test("is that of GATEWAY_URL where --url says nothing, whatever slash it ends with", async () => {
    expect(await runAsk(["balances", TOKEN], { GATEWAY_URL: `${url}/` })).toMatchObject({ exitCode: 0 });
    expect(requests).toHaveLength(1);
  });

  test("that does not run is reported as such, with the way out", async () => {
    const { exitCode, complaint } = await runAsk(["balances", TOKEN, "--url", "http://127.0.0.1:9"], {});
    expect(exitCode).toBe(1);
    expect(complaint[0]).toMatch(/^ask: UNREACHABLE: .* does not answer \(.+\); start it with "npm start"/);
  });

  test("refuses in its own words, with its own code", async () => {
    const refusal = { error: { code: "API_KEY_NEEDED", message: "This needs a key." } };
    reply = () => ({ status: 401, body: JSON.stringify(refusal) });
    expect(await ask("balances", TOKEN)).toEqual({
      exitCode: 1,
      output: [],
      complaint: ["ask: API_KEY_NEEDED: This needs a key."],
    });
  });

  test("that is something else, or sends the key elsewhere, is not believed", async () => {
    reply = () => ({ status: 200, body: "<html>" });
    expect(await ask("balances", TOKEN)).toMatchObject({ exitCode: 1 });
    reply = () => ({ status: 307, body: "{}", headers: { location: "http://127.0.0.1:9/graphql" } });
    expect((await ask("balances", TOKEN)).complaint[0]).toMatch(/^ask: UNREACHABLE/);
  });
});
