// Which providers are waited for, and until when: providers without a network, behind the gateway's breaker and budget.
import { describe, expect, it } from "vitest";
import { openLine, type ProviderLine } from "../../gateway/aggregator/ask-provider.ts";
import { CircuitBreaker } from "../../gateway/aggregator/circuit-breaker.ts";
import { type Gathering, gatherOutcomes } from "../../gateway/aggregator/gather-outcomes.ts";
import type { Provider, ProviderAnswer, ProviderRequest } from "../../gateway/aggregator/provider.ts";
import { refusedWith } from "../../gateway/aggregator/provider-failure.ts";
import { openOcean } from "../../gateway/aggregator/providers/openocean/provider.ts";
import { RequestBudget } from "../../gateway/aggregator/request-budget.ts";

const PATIENT_MS = 60_000;
const ANSWER: ProviderAnswer = {
  ...{ amount: 1n, gas: 1n, transaction: undefined, paths: [], quoteId: undefined },
};

interface Desk {
  line: ProviderLine;
  requests: number;
  /** Ends the question under way with an answer. */
  answer(): void;
}

/** A provider that answers at once, or only when the test says so. */
function desk(name: string, { isPrompt, now = Date.now }: { isPrompt: boolean; now?: () => number }): Desk {
  let answers: (() => void)[] = [];
  const provider: Provider = {
    ...openOcean,
    name,
    quote: () =>
      new Promise((resolve) => {
        one.requests += 1;
        if (isPrompt) resolve(ANSWER);
        else answers.push(() => resolve(ANSWER));
      }),
  };
  const settings = { url: "http://nowhere", apiKey: undefined, targets: undefined, requestsPerSecond: 1e6 };
  const parts = { name, chain: "fixture", provider, settings: { ...settings, missing: undefined } };
  const breaker = new CircuitBreaker({ failuresToOpen: 3, pauseMs: 1_000, longestPauseMs: 1_000 }, now);
  const one: Desk = {
    line: { ...openLine(parts, { concurrency: 1_000, pauseMs: 1_000 }), breaker },
    requests: 0,
    answer() {
      for (const end of answers) end();
      answers = [];
    },
  };
  return one;
}

const request = { type: "exactIn" } as ProviderRequest;

const gather = (desks: readonly Desk[], more: Partial<Gathering> = {}) =>
  gatherOutcomes({
    ...{ lines: desks.map(({ line }) => line), request, providerTimeoutMs: PATIENT_MS },
    until: performance.now() + PATIENT_MS,
    isEnough: () => false,
    hasOffer: (outcomes) => outcomes.some(({ answer }) => answer !== undefined),
    ...more,
  });

const statuses = (outcomes: readonly { status: string }[]): string[] => outcomes.map(({ status }) => status);

function opened(name: string) {
  let now = 0;
  const one = desk(name, { isPrompt: false, now: () => now });
  for (let i = 0; i < 3; i++) one.line.breaker.failed();
  return {
    one,
    passPause: () => {
      now = 1_000;
    },
  };
}

describe("a provider that has failed several times", () => {
  it("is not even asked during the pause", async () => {
    const { one } = opened("Slow");
    expect(statuses(await gather([one, desk("Quick", { isPrompt: true })]))).toEqual(["skipped", "success"]);
    expect([one.requests, one.line.breaker.state]).toEqual([0, "open"]);
  });

  it("is tried after it, but not waited for where others have an offer", async () => {
    const { one, passPause } = opened("Slow");
    passPause();
    expect(statuses(await gather([one, desk("Quick", { isPrompt: true })]))).toEqual(["skipped", "success"]);
    expect([one.requests, one.line.breaker.state, one.line.budget.underWay]).toEqual([1, "trying", 1]);
    // the trial goes on, and closes the breaker when it has ended
    one.answer();
    await expect.poll(() => one.line.breaker.state).toBe("closed");
    expect(one.line.budget.underWay).toBe(0);
  });

  it("is waited for where nobody else has an offer", async () => {
    const { one, passPause } = opened("Slow");
    passPause();
    const asking = gather([one]);
    await expect.poll(() => one.requests).toBe(1);
    one.answer();
    expect(statuses(await asking)).toEqual(["success"]);
  });
});

describe("the time for a whole answer", () => {
  it("ends the waiting, and a whole wait in vain is the provider's failure", async () => {
    const slow = desk("Slow", { isPrompt: false });
    const wait = () => gather([slow], { until: performance.now() + 60, providerTimeoutMs: 60 });
    for (let i = 0; i < 3; i++) expect(statuses(await wait())).toEqual(["timeout"]);
    expect(slow.line.breaker.state).toBe("open");
  });

  it("that others used up before is nobody's failure", async () => {
    const slow = desk("Slow", { isPrompt: false });
    const cutShort = () => gather([slow], { until: performance.now() + 60 });
    for (let i = 0; i < 5; i++) expect(statuses(await cutShort())).toEqual(["timeout"]);
    expect([slow.requests, slow.line.breaker.state]).toEqual([5, "closed"]);
    expect(statuses(await gather([slow], { until: performance.now() }))).toEqual(["timeout"]);
    expect([slow.requests, slow.line.breaker.state, slow.line.budget.underWay]).toEqual([5, "closed", 0]);
  });

  it("is not waited for when nothing more can be won", async () => {
    const slow = desk("Slow", { isPrompt: false });
    const quick = desk("Quick", { isPrompt: true });
    const outcomes = await gather([slow, quick], { isEnough: (arrived) => arrived.length > 0 });
    expect(statuses(outcomes)).toEqual(["skipped", "success"]);
    expect(slow.line.breaker.state).toBe("closed");
    expect(statuses(await gather([slow, quick], { isEnough: () => true }))).toEqual(["skipped", "skipped"]);
    expect(quick.requests).toBe(1);
  });
});

describe("a provider with a limit of requests per second", () => {
  it("gets no more of them from quotes that take two each", async () => {
    const one = desk("Two", { isPrompt: true });
    one.line.provider = { ...one.line.provider, requestsForTransaction: 2 };
    one.line.budget = new RequestBudget({ requestsPerSecond: 3, concurrency: 1_000 }, () => 0);
    const wanted = { ...request, wantsTransaction: true };
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => gather([one], { request: wanted })));
    // two seconds' worth: six requests, three quotes
    expect(outcomes.filter(([outcome]) => outcome?.status === "success")).toHaveLength(3);
  });
});

describe("an answer that our own code cannot read", () => {
  it("is a failure like another, and the operator is told where the mistake is, without the key", async () => {
    const one = desk("Odd", { isPrompt: true });
    const apiKey = "ours-1234567890";
    const defects: unknown[] = [];
    one.line.settings = { ...one.line.settings, apiKey };
    one.line.onDefect = (defect) => defects.push(defect);
    one.line.provider = { ...one.line.provider, quote: () => Promise.reject(new TypeError(`no field of ${apiKey}`)) };
    const [outcome] = await gather([one]);
    expect(outcome).toMatchObject({ status: "error", message: "answered something that cannot be read" });
    const at = expect.arrayContaining([expect.stringContaining("gather-outcomes.test.ts")]);
    expect(defects).toEqual([{ chain: "fixture", provider: "Odd", error: "TypeError: no field of <key>", at }]);
    one.line.provider = { ...one.line.provider, quote: () => Promise.reject(refusedWith(400, "no")) };
    await gather([one]);
    expect(defects).toHaveLength(1);
  });
});

describe("a provider that refuses our key", () => {
  it("is quoted without the key where it repeats it", async () => {
    const one = desk("Strict", { isPrompt: true });
    const apiKey = "ours-1234567890";
    one.line.settings = { ...one.line.settings, apiKey };
    const quote = () => Promise.reject(refusedWith(401, `Invalid API key ${apiKey}`));
    one.line.provider = { ...one.line.provider, quote };
    const [outcome] = await gather([one]);
    expect(outcome).toMatchObject({ status: "error", message: "answered 401: Invalid API key <key>" });
  });
});
