// Imitates how providers refuse what is too much in a second (their words as given in the issues that are named), in front of
// answers that count. Nothing is sent while the node wants to be left alone, and less afterwards.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pacedFetch } from "../../fold/node/paced-fetch.ts";
import { tooOftenOf } from "../../fold/node/too-often.ts";

const answerOf = (
  error: object | undefined,
  { status = 200, headers = {} }: { status?: number; headers?: object } = {},
) => ({
  status,
  headers: new Headers(headers as Record<string, string>),
  text: JSON.stringify({ jsonrpc: "2.0", id: 1, ...(error ? { error } : { result: "0x1" }) }),
});
const infura = (backoff: number) => ({
  code: -32005,
  message: "exceeded project rate limit",
  data: { see: "https://infura.io/dashboard", rate: { allowed_rps: 5, backoff_seconds: backoff, current_rps: 5.2 } },
});

describe("that a node is asked too often", () => {
  const alchemy =
    "Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.";
  it.each([
    ["HTTP alone", answerOf(undefined, { status: 429 }), undefined],
    ["Retry-After in seconds", answerOf(undefined, { status: 429, headers: { "retry-after": "3" } }), 3_000],
    ["a pause of a service that is away", answerOf(undefined, { status: 503, headers: { "retry-after": "2" } }), 2_000],
    ["more than five minutes", answerOf(undefined, { status: 429, headers: { "retry-after": "3600" } }), 300_000],
    ["Alchemy's units (conduitxyz/node#36)", answerOf({ code: 429, message: alchemy }), undefined],
    ["Infura's project (status-go#4807)", answerOf(infura(30), { status: 429 }), 30_000],
    ["Infura's project, without a pause", answerOf(infura(0)), undefined],
    [
      "Infura's day (blockscout#7339)",
      answerOf({ code: -32005, message: "daily request count exceeded, request rate limited" }),
      undefined,
    ],
    [
      "QuickNode's requests (viem#5083)",
      answerOf({ code: -32007, message: "50/second request limit reached" }),
      undefined,
    ],
    ["QuickNode's credits (mud#1522)", answerOf({ code: -32012, message: "credits limited to 6000/sec" }), undefined],
    ["Base's (base/node#368)", answerOf({ code: -32016, message: "over rate limit" }), undefined],
    ["Tenderly's (dev-rewards#20)", answerOf({ code: -32005, message: "rate limit exceeded" }), undefined],
    ["BNB's (bsc#1215)", answerOf({ code: -32005, message: "limit exceeded" }), undefined],
    [
      "words with a time (godwoken-web3#452)",
      answerOf({ code: -32005, message: "Too Many Requests, please wait 23s and retry." }),
      23_000,
    ],
  ])("is understood: %s", (_, answer, waitMs) => {
    expect(tooOftenOf(answer)).toMatchObject({ waitMs });
  });

  it("is understood as a date", () => {
    const headers = { "retry-after": new Date(Date.now() + 20_000).toUTCString() };
    const { waitMs = 0 } = tooOftenOf(answerOf(undefined, { status: 429, headers })) ?? {};
    expect(waitMs).toBeGreaterThan(18_000);
    expect(waitMs).toBeLessThanOrEqual(20_000);
  });

  it.each([
    ["an answer", answerOf(undefined)],
    ["a range", answerOf({ code: -32005, message: "query returned more than 10000 results" })],
    ["another range", answerOf({ code: -32602, message: "range 1000000 exceeds limit of 10000" })],
    ["a contract's words", answerOf({ code: 3, message: "execution reverted: rate limit exceeded" })],
    ["an unknown block", answerOf({ code: -32000, message: "unknown block" })],
    ["a service that is away", answerOf(undefined, { status: 503 })],
    ["nonsense", { status: 200, headers: new Headers(), text: '{"error"' }],
  ])("is not heard in %s", (_, answer) => {
    expect(tooOftenOf(answer)).toBeUndefined();
  });

  it("is heard in one answer of a batch", () => {
    const text = `[${answerOf(undefined).text},${answerOf({ code: -32007, message: "15/second request limit reached" }).text}]`;
    expect(tooOftenOf({ ...answerOf(undefined), text })?.words).toContain("15/second");
  });
});

describe("a node that refuses", () => {
  /** When each request came, and whether it was granted. */
  let came: { at: number; granted: boolean }[] = [];
  let grants: () => boolean = () => true;
  let refusal: { status: number; headers?: Record<string, string>; body: string } = { status: 429, body: "slow down" };
  const server = createServer((request, response) => {
    request.resume();
    const granted = grants();
    came.push({ at: performance.now(), granted });
    if (granted) response.setHeader("content-type", "application/json").end('{"jsonrpc":"2.0","id":1,"result":"0x7"}');
    else response.writeHead(refusal.status, refusal.headers).end(refusal.body);
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const bodyOf = (method: string, id = 1) => JSON.stringify({ jsonrpc: "2.0", id, method, params: [] });
  const send = (fetchIt: typeof fetch, method: string, id = 1) =>
    fetchIt(url, { method: "POST", body: bodyOf(method, id), signal: AbortSignal.timeout(9_000) });

  it("is left alone for as long as it wants, however many ask", async () => {
    came = [];
    grants = () => came.length !== 0;
    refusal = { status: 429, headers: { "retry-after": "1" }, body: "slow down" };
    const fetchIt = pacedFetch(fetch);
    expect((await send(fetchIt, "a")).status).toBe(429);
    const answers = await Promise.all(["b", "c", "d"].map((method) => send(fetchIt, method)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [first, second] = came;
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThan(995);
  });

  it("is seen as a 429 with its pause by those who ask, however the node says it", async () => {
    const words: string[] = [];
    grants = () => false;
    refusal = { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id: 1, error: infura(1) }) };
    const response = await send(pacedFetch(fetch, { warn: (message) => words.push(message) }), "a");
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await response.json()).toMatchObject({ error: { code: -32005 } });
    expect(words).toEqual([expect.stringMatching(/exceeded project rate limit/)]);
  });

  it("is asked at about the rate that it grants, and for the same thing once", async () => {
    came = [];
    const PER_SECOND = 25;
    let granted = PER_SECOND;
    let since = performance.now();
    grants = () => {
      const now = performance.now();
      granted = Math.min(granted + ((now - since) / 1_000) * PER_SECOND, PER_SECOND);
      since = now;
      if (granted < 1) return false;
      granted -= 1;
      return true;
    };
    refusal = { status: 429, body: "slow down" };
    const fetchIt = pacedFetch(fetch);
    const end = performance.now() + 7_000;
    let done = 0;
    const ask = async (name: number): Promise<void> => {
      while (performance.now() < end) {
        const { status } = await send(fetchIt, `question ${name}`, done);
        if (status === 200) done += 1;
        else await sleep(20);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, name) => ask(name)));
    const late = came.filter(({ at }) => at > end - 4_000);
    const refused = late.filter(({ granted: wasGranted }) => !wasGranted).length;
    // what is granted in that time, with what may come at once
    expect(late.length).toBeLessThan(PER_SECOND * (4 + 1) * 1.1);
    expect(late.length / 4).toBeGreaterThan(PER_SECOND * 0.4);
    expect(refused / late.length).toBeLessThan(0.1);
    const before = came.length;
    await Promise.all(Array.from({ length: 10 }, (_, id) => send(fetchIt, "the same", id)));
    expect(came.length - before).toBe(1);
  });

  it("gets no request for those who want the refusal rather than a wait", async () => {
    came = [];
    grants = () => false;
    refusal = { status: 429, headers: { "retry-after": "60" }, body: "slow down" };
    const fetchIt = pacedFetch(fetch, { mostWaitMs: 1_000 });
    for (let times = 0; times < 5; times++) {
      const response = await send(fetchIt, "a");
      expect([response.status, await response.text()]).toEqual([429, "slow down"]);
    }
    expect(came).toHaveLength(1);
  });

  it("keeps nobody waiting longer than they want to", async () => {
    grants = () => false;
    refusal = { status: 429, headers: { "retry-after": "5" }, body: "slow down" };
    const fetchIt = pacedFetch(fetch);
    await send(fetchIt, "a");
    const body = bodyOf("b");
    await expect(fetchIt(url, { method: "POST", body, signal: AbortSignal.timeout(50) })).rejects.toThrow(
      /timeout|abort/i,
    );
  });
});
