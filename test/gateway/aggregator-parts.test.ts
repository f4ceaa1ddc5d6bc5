// What the aggregator is made of: amounts in any notation, exact JSON, breaker, budget, settings, clean messages.
import { describe, expect, it } from "vitest";
import { wholeNumber } from "../../gateway/aggregator/answer-fields.ts";
import type { Outcome } from "../../gateway/aggregator/ask-provider.ts";
import { breakerRules, CircuitBreaker } from "../../gateway/aggregator/circuit-breaker.ts";
import { parseExactJson, parseFaithfulJson } from "../../gateway/aggregator/exact-json.ts";
import { FinishingTime } from "../../gateway/aggregator/finishing-time.ts";
import { noOffer } from "../../gateway/aggregator/no-offer.ts";
import { cleanMessage } from "../../gateway/aggregator/provider-failure.ts";
import { providerNamed, providers, requireExistingProviders } from "../../gateway/aggregator/registry.ts";
import { RequestBudget } from "../../gateway/aggregator/request-budget.ts";
import { readQuoteSettings } from "../../gateway/aggregator/settings.ts";
import { routerChain } from "../support/router-world.ts";

describe("amounts", () => {
  it.each([
    ["123", 123n],
    ["1e3", 1000n],
    ["1.25E+4", 12_500n],
    ["7.000", 7n],
    ["1234567890123456789012", 1_234_567_890_123_456_789_012n],
    ["1.5", undefined],
    ["1e-3", undefined],
    ["-1", undefined],
    ["0x10", undefined],
    ["1e99", undefined],
    ["", undefined],
  ])("%s is %s", (text, value) => {
    expect(wholeNumber(text)).toBe(value);
  });

  it("keep all digits through JSON, and are written back as they came", () => {
    const text = '{"a":123456789012345678901234567890,"b":[1.50e3,true,"7"],"c":null}';
    expect(parseExactJson(text)).toEqual({ a: "123456789012345678901234567890", b: ["1.50e3", true, "7"], c: null });
    expect(JSON.stringify(parseFaithfulJson(text))).toBe(text);
  });
});

describe("the circuit breaker", () => {
  it("opens after failures in a row, lets one try after the pause, and closes when that works", () => {
    let now = 0;
    const breaker = new CircuitBreaker({ failuresToOpen: 3, pauseMs: 100, longestPauseMs: 300 }, () => now);
    breaker.failed();
    breaker.failed();
    breaker.succeeded();
    for (const _ of [1, 2]) breaker.failed();
    expect([breaker.state, breaker.admit()]).toEqual(["closed", true]);
    breaker.failed();
    expect([breaker.state, breaker.admit(), breaker.pauseLeftMs]).toEqual(["open", false, 100]);
    now = 100;
    expect([breaker.admit(), breaker.admit(), breaker.state]).toEqual([true, false, "trying"]);
    breaker.failed();
    now = 299;
    expect(breaker.admit()).toBe(false);
    now = 300;
    expect(breaker.admit()).toBe(true);
    breaker.unknown();
    expect(breaker.admit()).toBe(true);
    breaker.succeeded();
    expect([breaker.state, breaker.admit(), breaker.admit()]).toEqual(["closed", true, true]);
    expect(breakerRules.failuresToOpen).toBeGreaterThan(1);
  });
});

describe("without an offer", () => {
  const leftAlone = (name: string, retryAfterMs: number): Outcome => ({
    ...{ name, status: "skipped", milliseconds: 0, message: "left alone", retryAfterMs },
  });
  const unsupported: Outcome = { name: "Fly", status: "unsupported", milliseconds: 0, message: "no fixed output" };
  const noRoute: Outcome = { name: "Kodiak", status: "no_route", milliseconds: 0, message: "no path" };
  const refusal = (...outcomes: Outcome[]) => {
    const { code, status, retryAfterSeconds } = noOffer(outcomes, false);
    return [code, status, retryAfterSeconds];
  };

  it("the answer says when the first of those left alone is asked again, unless somebody says that there is no route", () => {
    expect(refusal(leftAlone("Enso", 9_001), leftAlone("OpenOcean", 4_001))).toEqual(["PROVIDERS_FAILED", 502, 5]);
    expect(refusal(leftAlone("Enso", 0), unsupported)).toEqual(["PROVIDERS_FAILED", 502, 1]);
    expect(refusal(leftAlone("Enso", 9_001), noRoute)).toEqual(["NO_ROUTE", 404, undefined]);
    expect(refusal(unsupported)).toEqual(["NO_ROUTE", 404, undefined]);
    const isNotSetUp: Outcome = {
      name: "Enso",
      status: "skipped",
      milliseconds: 0,
      message: "ENSO_API_KEY is not set",
    };
    expect(refusal(unsupported, isNotSetUp)).toEqual(["PROVIDERS_FAILED", 502, undefined]);
    expect(refusal()).toEqual(["NO_ROUTE", 404, undefined]);
  });
});

describe("the budget", () => {
  it("bounds requests per second, at once, and after a request to be left alone", () => {
    let now = 0;
    const budget = new RequestBudget({ requestsPerSecond: 2, concurrency: 3 }, () => now);
    expect([1, 2, 3].map(() => budget.take())).toEqual([undefined, undefined, undefined]);
    expect(budget.take()).toBe("too many requests under way");
    budget.release();
    expect(budget.take()).toBeUndefined();
    budget.release();
    expect(budget.take()).toBe("too many requests per second");
    now = 500;
    expect(budget.take()).toBeUndefined();
    budget.release();
    budget.leaveAlone(1_000);
    now = 1_499;
    expect(budget.take()).toBe("asked to be left alone");
    now = 1_500;
    expect([budget.take(), budget.underWay]).toEqual([undefined, 3]);
  });

  it("counts every request of a quote, and lets the next ones wait for what it took too much", () => {
    let now = 0;
    const budget = new RequestBudget({ requestsPerSecond: 1, concurrency: 100 }, () => now);
    expect([budget.take(2), budget.take(2)]).toEqual([undefined, "too many requests per second"]);
    now = 1_000;
    expect([budget.take(2), budget.take()]).toEqual([undefined, "too many requests per second"]);
    now = 2_000;
    expect(budget.take()).toBe("too many requests per second");
    now = 3_000;
    expect(budget.take()).toBeUndefined();
  });
});

describe("the time that writing takes", () => {
  it("is taken off the waiting time, for all quotes under way, as long as it was lately", () => {
    let now = 0;
    const time = new FinishingTime(() => now);
    const quotes = [1, 2, 3, 4].map(() => time.begin());
    expect(time.reserveMs(1_000)).toBe(4);
    for (const { waited } of quotes) waited();
    // one after the other, 10 ms each
    for (const { finished } of quotes) {
      now += 10;
      finished();
    }
    expect(time.reserveMs(1_000)).toBe(0);
    const more = Array.from({ length: 100 }, () => time.begin());
    expect([time.reserveMs(10_000), time.reserveMs(1_000)]).toEqual([1_000, 400]);
    // quotes that never waited change nothing, quick ones lower the time a little each
    for (const { finished } of more) finished();
    const quick = time.begin();
    quick.waited();
    expect(time.reserveMs(1_000)).toBe(10);
    quick.finished();
    time.begin();
    expect(time.reserveMs(1_000)).toBe(9);
  });
});

describe("settings", () => {
  const [openOcean, , oogaBooga, , kyber] = providers;

  it("know the public services of Berachain, and skip what lacks its key or its address", () => {
    const settings = readQuoteSettings({ ENSO_API_KEY: "k" }, [80094, 31337]);
    const missing = (chainId: number) => providers.map((one) => settings.of(one, chainId).missing);
    expect(missing(80094)).toEqual([undefined, undefined, "OOGABOOGA_API_KEY is not set", undefined, undefined]);
    expect(missing(31337)).toEqual(providers.map(({ prefix }) => `${prefix}_URL is not set`));
    expect(settings.of(kyber!, 80094).targets).toHaveLength(1);
  });

  it("take the variable of one chain before the one of all", () => {
    const env = {
      OPENOCEAN_URL: "http://a/x/",
      OPENOCEAN_URL_1: "http://b",
      OPENOCEAN_RPS: "7",
      OOGABOOGA_API_KEY: "",
    };
    const settings = readQuoteSettings(env, [1, 2]);
    expect([1, 2].map((id) => settings.of(openOcean!, id).url)).toEqual(["http://b", "http://a/x"]);
    expect(settings.of(openOcean!, 1).requestsPerSecond).toBe(7);
    expect(settings.of(oogaBooga!, 1).apiKey).toBeUndefined();
  });

  it.each([
    ["OPENOCEAN_URL", "ftp://x"],
    ["OPENOCEAN_URL", "http://host:99999"],
    ["OPENOCEAN_URL_1", "https://host/v1?key=x"],
    ["FLY_URL", "https://host/v1#x"],
    ["SIMULATION_RPC_URL", "http://host:99999"],
    ["ENSO_API_KEY", "a b"],
    ["FLY_TARGETS", "0x12"],
    ["KYBERSWAP_RPS", "0"],
    ["QUOTE_TIMEOUT_MS", "never"],
    ["QUOTE_WORTH_WAITING_USD", "1e3"],
  ])("refuse %s=%s by name", (name, value) => {
    expect(() => readQuoteSettings({ [name]: value }, [1])).toThrow(name);
  });

  it("take a node's address with its key in the query", () => {
    const url = "https://node.example/rpc?key=x";
    expect(readQuoteSettings({ SIMULATION_RPC_URL: url }, [1]).simulationUrl(1)).toBe(url);
  });

  it("refuse a chain file with a provider that does not exist", () => {
    const listing = (name: string) => ({ ...routerChain, providers: [{ name, weight: "1", priority: 0 }] });
    expect(() => requireExistingProviders(listing("Odos"))).toThrow('"Odos" is no provider');
    for (const name of ["fixture", "openocean", "FLY"]) requireExistingProviders(listing(name));
    expect(["MAGPIE", "kyber", " Enso "].map((name) => providerNamed(name)?.name)).toEqual([
      "Fly",
      "Kyberswap",
      "Enso",
    ]);
  });
});

describe("messages of others", () => {
  it("lose hosts, keys, line breaks and length", () => {
    expect(cleanMessage("see http://10.0.0.7:80/x?apikey=1 and 10.1.2.3:99\n Bearer abc.def token=xyz")).toBe(
      "see <url> and <host> Bearer <key> token <key>",
    );
    expect(cleanMessage("x".repeat(500))).toHaveLength(200);
  });

  it("lose the key that they were sent, wherever it is cut", () => {
    const key = "ours-1234567890";
    expect(cleanMessage(`Invalid API key ${key}`, key)).toBe("Invalid API key <key>");
    expect(cleanMessage(`${"x".repeat(190)} ${key}`, key)).not.toContain("ours");
    expect(cleanMessage('{"x-api-key": "theirs", api key: theirs}')).toBe('{"x-api-key <key>", api key <key>}');
  });

  it("keep what they say of tokens", () => {
    expect(cleanMessage("code 4011: token not found")).toBe("code 4011: token not found");
  });
});
