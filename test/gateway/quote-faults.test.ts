// Every way in which an outside service can fail, alone and together: there is an answer from the rest, in time, the culprit is
// named, and nothing that it said leaks.
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { type Mode, modes } from "../../devnet/standins/stand-in.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { cachedPricer, EXTERNALS, openQuoteGateway, statusesOf, withProviders } from "../support/quote-world.ts";
import { accountOf } from "../support/reference-ledger.ts";
import { A, B, routerChain, tellRouterWorld } from "../support/router-world.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** More of them, and others. */
const MIXTURES = Number(process.env.QUOTE_MIXTURES ?? 6);
const SEED = process.env.QUOTE_SEED ?? "mixtures";

const [AGGREGATOR, EXECUTOR, RECIPIENT] = [accountOf(70), accountOf(71), accountOf(72)] as const;
const chain = withProviders(routerChain, AGGREGATOR);
const PATIENT = { QUOTE_TIMEOUT_MS: "20000", QUOTE_PROVIDER_TIMEOUT_MS: "20000", QUOTE_WORTH_WAITING_USD: "0" };

let database: TestDatabase;
let base: TestGateway;
let price: ReturnType<typeof cachedPricer>;

beforeAll(async () => {
  database = await startTestDatabase();
  const place = { ponderSchema: "facts_faults", foldSchema: "fold_faults", finalized: 1, chain: routerChain };
  await buildScripted(database.sql, tellRouterWorld(), place);
  base = openGateway(database.url, routerChain);
  price = cachedPricer({ base, chain, executor: EXECUTOR });
});
afterAll(async () => {
  await base?.close();
  await database?.stop();
});

const PATH =
  `/quote?tokenInAddress=${A}&tokenOutAddress=${B}&tokenInChainId=31337&tokenOutChainId=31337` +
  `&amount=1000000000000000000000&type=exactIn&recipient=${RECIPIENT}&slippageTolerance=1`;

/** What becomes of a provider in a mode; where they differ, by name. */
const expected: Record<Mode, string | Record<string, string>> = {
  ok: "success",
  slow: "success",
  hang: "timeout",
  busy: "rate_limited",
  broken: "error",
  malformed: "error",
  refusing: { OpenOcean: "no_route", Fly: "error", OogaBooga: "no_route", Enso: "error", Kyberswap: "no_route" },
  "no-route": "no_route",
  partial: { OpenOcean: "error", Fly: "error", OogaBooga: "no_route", Enso: "error", Kyberswap: "error" },
  numbers: "success",
  "wrong-target": "error",
  // found out by the contract's minimum, or by trying it out beforehand
  reverting: "success",
  underpaying: "success",
  spoofing: "error",
};

const expectedOf = (mode: Mode, name: string): string => {
  const found = expected[mode];
  return typeof found === "string" ? found : (found[name] ?? "");
};

async function open(broken: Readonly<Record<string, Mode>>, env: Record<string, string> = {}) {
  // only those that hang need a deadline, and then all but they are sure to be there before it
  const hanging = Object.values(broken).filter((mode) => mode === "hang").length;
  const patience = hanging > 0 ? { QUOTE_PROVIDER_TIMEOUT_MS: hanging === EXTERNALS.length ? "200" : "1500" } : {};
  const options = { base, chain, executor: EXECUTOR, price, modes: broken, isBare: true };
  return openQuoteGateway({ ...options, env: { ...PATIENT, ...patience, ...env } });
}

describe("a mode", () => {
  it.each(modes)("%s of each provider alone affects no other provider", async (mode) => {
    await Promise.all(
      EXTERNALS.map(async (culprit) => {
        const gateway = await open({ [culprit]: mode });
        const { status, body, text } = await gateway.get(`${PATH}&debug=true`);
        const others = EXTERNALS.filter((name) => name !== culprit);
        const all = { Kodiak: "success", ...Object.fromEntries(others.map((name) => [name, "success"])) };
        expect([status, statusesOf(body)], culprit).toEqual([200, { ...all, [culprit]: expectedOf(mode, culprit) }]);
        const isGood = expectedOf(mode, culprit) === "success";
        const first = EXTERNALS.find((name) => isGood || name !== culprit);
        expect(body.provider).toBe(first);
        expect(text).not.toContain("secret-internal-detail");
        await gateway.stop();
      }),
    );
  });

  it.each(modes)("%s of all of them leaves the own quote", async (mode) => {
    const gateway = await open(Object.fromEntries(EXTERNALS.map((name) => [name, mode])));
    const { status, body } = await gateway.get(`${PATH}&debug=true`);
    expect(status).toBe(200);
    for (const name of EXTERNALS) expect(statusesOf(body)[name], name).toBe(expectedOf(mode, name));
    const areGood = expected[mode] === "success";
    expect(body.provider).toBe(areGood ? "OpenOcean" : "Kodiak");
    if (!areGood) {
      const without = await gateway.get(`${PATH}&providers=${EXTERNALS.join(",")}`);
      const code = (without.body.error as { code: string }).code;
      const hasRefusal = EXTERNALS.some((name) => expectedOf(mode, name) === "no_route");
      expect([without.status, code]).toEqual(hasRefusal ? [404, "NO_ROUTE"] : [502, "PROVIDERS_FAILED"]);
      expect(without.text).not.toMatch(/message":"answered|secret|127\.0\.0\.1/);
    }
    await gateway.stop();
  });

  it("of its own for each provider, in any mixture, is answered by the best of the rest", async () => {
    const random = seedRandom(SEED);
    const mixtures = Array.from({ length: MIXTURES }, () =>
      Object.fromEntries(EXTERNALS.map((name) => [name, random.pick(modes)])),
    );
    await Promise.all(
      mixtures.map(async (mixture) => {
        const gateway = await open(mixture);
        const { status, body, text } = await gateway.get(`${PATH}&debug=true`);
        const all = Object.fromEntries(EXTERNALS.map((name) => [name, expectedOf(mixture[name] ?? "ok", name)]));
        const shown = JSON.stringify(mixture);
        expect([status, statusesOf(body)], shown).toEqual([200, { Kodiak: "success", ...all }]);
        expect(body.provider, shown).toBe(EXTERNALS.find((name) => all[name] === "success") ?? "Kodiak");
        expect(text, shown).not.toContain("secret-internal-detail");
        await gateway.stop();
      }),
    );
    console.log(
      `${modes.length} modes × ${EXTERNALS.length} providers alone, all in one mode, and ${MIXTURES} mixtures`,
    );
  });

  it("of JSON numbers instead of texts keeps every digit", async () => {
    const [text, numbers] = [
      await open({}),
      await open(Object.fromEntries(EXTERNALS.map((name) => [name, "numbers"]))),
    ];
    for (const name of EXTERNALS) {
      const path = `${PATH}&providers=${name}`;
      expect((await numbers.get(path)).body.quote, name).toBe((await text.get(path)).body.quote);
    }
    await Promise.all([text.stop(), numbers.stop()]);
  });
});

describe("a way through pools", () => {
  const token = (address: string) => ({ address });
  const openOcean = (...subRoutes: object[]) => ({
    code: 200,
    data: { inAmount: "1000000000000000000000", outAmount: "1", path: { routes: [{ percentage: 100, subRoutes }] } },
  });
  const step = (assumedAmountIn: string) => ({
    ...{ poolAddress: EXECUTOR, poolType: "x", tokenFrom: 0, tokenTo: 1, assumedAmountIn, assumedAmountOut: "1" },
  });
  const oogaBooga = (...amounts: string[]) => ({
    ...{ status: "Success", tokenFrom: 0, tokenTo: 1, tokens: [token(A), token(B)], gas: 1 },
    ...{ amountIn: "1000000000000000000000", assumedAmountOut: "1", route: amounts.map(step) },
  });
  const hop = (from: string, to: string) => ({ from, to, dexes: [{ dex: "x", id: EXECUTOR }] });

  it.each([
    { way: "without pools is not shown", answer: openOcean(), paths: 0, text: "[OpenOcean]" },
    { way: "that ends elsewhere is not shown", answer: openOcean(hop(A, RECIPIENT)), paths: 0, text: "[OpenOcean]" },
    {
      ...{ way: "with a gap is not shown", answer: openOcean(hop(A, RECIPIENT), hop(EXECUTOR, B)) },
      ...{ paths: 0, text: "[OpenOcean]" },
    },
    { way: "of the swap is shown", answer: openOcean(hop(A, B)), paths: 1, text: "[OpenOcean] 100.00% = T -- " },
    {
      ...{ way: "that takes more than is sold is shown without shares", answer: oogaBooga(`1${"0".repeat(70)}`, "1") },
      ...{ paths: 2, text: "[OogaBooga] T -- " },
    },
  ])("$way", async ({ answer, paths, text }) => {
    const [name = ""] = /\w+/.exec(text) ?? [];
    const server = createServer((_request, response) => void response.end(JSON.stringify(answer)));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const gateway = await open({}, { [`${name.toUpperCase()}_URL_31337`]: `http://127.0.0.1:${port}` });
    const { status, body } = await gateway.get(`${PATH.replace(/&recipient.*/, "")}&providers=${name}`);
    expect([status, body.provider, (body.route as unknown[]).length]).toEqual([200, name, paths]);
    expect(String(body.routeString).slice(0, text.length)).toBe(text);
    expect(String(body.routeString)).toMatch(paths === 0 ? /^\[\w+]$/ : / --> T/);
    await gateway.stop();
    server.close();
    server.closeAllConnections();
  });
});

describe("the metrics", () => {
  it("count what became of an offer, not only that one came, and trials that no node answered", async () => {
    const gateway = await open({ Fly: "spoofing" }, { SIMULATION_RPC_URL: "http://127.0.0.1:1" });
    const counts = async () => {
      const { text } = await gateway.get("/metrics");
      const of = (series: string) => Number(new RegExp(`^tidemark_quote_${series} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
      const flyWith = (status: string) =>
        of(`provider_outcomes_total\\{chain="fixture",provider="Fly",status="${status}"\\}`);
      return [flyWith("success"), flyWith("error"), of(`trials_total\\{chain="fixture",verdict="untried"\\}`)];
    };
    const [success = 0, error = 0, untried = 0] = await counts();
    expect((await gateway.get(PATH)).status).toBe(200);
    expect(await counts()).toEqual([success, error + 1, untried + 1]);
    await gateway.stop();
  });
});

describe("nobody to ask", () => {
  const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
    const { code, message } = body.error as { code: string; message: string };
    return { status, code, message };
  };

  it("because all failed before is no word about a route, for as long as they are left alone", async () => {
    const gateway = await open(Object.fromEntries(EXTERNALS.map((name) => [name, "broken"])), {
      QUOTE_PAUSE_MS: "30000",
    });
    const ask = async () => refusal(await gateway.get(`${PATH}&providers=${EXTERNALS.join(",")}`));
    for (let i = 0; i < 5; i++) expect(await ask()).toMatchObject({ status: 502, code: "PROVIDERS_FAILED" });
    gateway.requested.length = 0;
    const message = expect.stringMatching(/left alone.* Retry in (?:30|2\d) s or name other providers/);
    expect(await ask()).toEqual({ status: 502, code: "PROVIDERS_FAILED", message });
    expect(gateway.requested).toEqual([]);
    await gateway.stop();
  });

  it("because those named have no key is no word about a route, and says which setting there is none of", async () => {
    const gateway = await open({}, { ENSO_API_KEY: "", ENSO_API_KEY_31337: "" });
    const message = expect.stringContaining("Enso: ENSO_API_KEY is not set");
    expect(refusal(await gateway.get(`${PATH}&providers=enso`))).toEqual({
      ...{ status: 502, code: "PROVIDERS_FAILED", message },
    });
    await gateway.stop();
  });
});

describe("many at once", () => {
  it("200 quotes with two providers that hang are all answered, and the two are left alone until they are back", async () => {
    const gateway = await open(
      { Fly: "hang", Enso: "hang" },
      { QUOTE_PROVIDER_TIMEOUT_MS: "1200", QUOTE_TIMEOUT_MS: "1500", QUOTE_PAUSE_MS: "1500" },
    );
    const times: number[] = [];
    const ask = async () => {
      const started = performance.now();
      const { status, body } = await gateway.get(`${PATH}&debug=true`);
      times.push(performance.now() - started);
      return { status, provider: body.provider, statuses: statusesOf(body) };
    };
    const heap = process.memoryUsage().heapUsed;
    const answers = await Promise.all(Array.from({ length: 200 }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const name of ["Fly", "Enso"]) {
      const seen = new Set(answers.map(({ statuses }) => statuses[name]));
      for (const status of seen) expect(["timeout", "rate_limited", "skipped"]).toContain(status);
      expect(seen).toContain("timeout");
    }
    const sorted = times.sort((a, b) => a - b);
    const megabytes = (process.memoryUsage().heapUsed - heap) / 1e6;
    console.log(
      `200 quotes, 2 of 6 hang, whole deadline 1500 ms: p50 ${sorted[100]?.toFixed()} ms, p95 ${sorted[190]?.toFixed()} ms, heap ${megabytes.toFixed(1)} MB more`,
    );

    const breakers = async () => {
      const { text } = await gateway.get("/metrics");
      const of = (name: string) =>
        new RegExp(`provider_breaker\\{chain="fixture",provider="${name}"\\} (\\d)`).exec(text)?.[1];
      return [of("Fly"), of("Enso"), of("OpenOcean")];
    };
    // on a machine that was too busy for them to be given their time, more have to ask
    await expect
      .poll(
        async () => {
          const now = (await breakers()).slice(0, 2);
          if (now.join() !== "2,2") await Promise.all(Array.from({ length: 5 }, ask));
          return now;
        },
        { timeout: 30_000, interval: 50 },
      )
      .toEqual(["2", "2"]);
    const paused = await ask();
    expect([paused.status, paused.statuses.Fly, paused.statuses.Enso]).toEqual([200, "skipped", "skipped"]);
    for (const name of ["Fly", "Enso"]) Object.assign(gateway.desks[name] ?? {}, { mode: "ok" });
    await expect
      .poll(async () => (await ask()).statuses, { timeout: 20_000, interval: 250 })
      .toMatchObject({ Fly: "success", Enso: "success" });
    expect((await breakers()).slice(0, 2)).toEqual(["0", "0"]);
    await gateway.stop();
  });
});
