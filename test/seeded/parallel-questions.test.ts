// Random questions of every kind over the seeded devnet, many asked in one moment of a gateway that has answered others before: each is
// answered as a gateway with nothing in its cache answers it alone.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocumentView, type Operation, viewDocument } from "../../gateway/rest/openapi/view.ts";
import { isRest, requestArbitrary } from "../../trials/fuzz/request-arbitrary.ts";
import {
  type Ask,
  type RelativeRequest,
  readSampleValues,
  type SampleValues,
} from "../../trials/fuzz/sample-values.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { sized } from "../support/sized.ts";
import { openSeededGateway } from "./seeded-index.ts";

const seed = Number(process.env.PARALLEL_SEED ?? 20_261_127);
/** Of each kind, in one moment. */
const EACH = sized({ some: 4, whole: 12 });
/** Their answers depend on the process and its clock; a launch's volume is carried on from one request to the next. */
const OF_THE_PROCESS = /^\/(?:status|ready|health|metrics|docs|openapi\.json|sql|quote|launch)\b/;

let busy: TestGateway;
let fresh: TestGateway;
let view: DocumentView;
let samples: SampleValues;
let compared = 0;
let answered = 0;

const askOf =
  ({ app }: TestGateway): Ask =>
  async ({ method, path, headers: { "accept-encoding": _, ...headers }, body }) =>
    app.request(path, { method, headers, ...(body === undefined ? {} : { body }) });

/** Without the ids that every answer has of its own. What a busy machine has no time for is asked a second time. */
async function answerOf(gateway: TestGateway, request: RelativeRequest): Promise<string> {
  const first = await askOf(gateway)(request);
  const response = first.status === 503 ? await askOf(gateway)(request) : first;
  const text = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return `${response.status} ${response.headers.get("etag")} ${text.replace(/"(?:quoteId|requestId)":"[^"]*"/g, "")}`;
}

async function compare(requests: readonly RelativeRequest[]): Promise<void> {
  const together = await Promise.all(requests.map((request) => answerOf(busy, request)));
  for (const [i, request] of requests.entries()) {
    fresh.service.cache.clear();
    const alone = await answerOf(fresh, request);
    expect(together[i], `${request.method} ${request.path} ${request.body ?? ""}`).toBe(alone);
    compared += 1;
    if (alone.startsWith("200")) answered += 1;
  }
}

const drawOf = (operation: Operation, numRuns: number): RelativeRequest[] =>
  fc.sample(requestArbitrary({ view: { ...view, operations: [operation] }, samples }), {
    seed,
    numRuns,
    unbiased: true,
  });

const graphql = (query: string): RelativeRequest => ({
  ...{ method: "POST", path: "/graphql", headers: { "content-type": "application/json" } },
  body: JSON.stringify({ query }),
});

beforeAll(async () => {
  [busy, fresh] = [openSeededGateway(), openSeededGateway()];
  const ask = askOf(busy);
  view = viewDocument((await (await ask({ method: "GET", path: "/openapi.json", headers: {} })).json()) as object);
  samples = await readSampleValues(ask);
});
afterAll(async () => {
  await Promise.all([busy, fresh].map((gateway) => gateway.close()));
});

describe(`questions of seed ${seed} that are asked in one moment`, () => {
  test("by REST are answered as each is alone", async () => {
    const operations = view.operations.filter((one) => isRest(one) && !OF_THE_PROCESS.test(one.path));
    expect(operations.length).toBeGreaterThan(15);
    for (const operation of operations) await compare(drawOf(operation, EACH));
  });

  test("about ranges by GraphQL are answered as each is alone", async () => {
    const { tokens, vaults, firstBlock, lastBlock } = samples;
    const range = (i: number) =>
      `from: { number: ${firstBlock + 37 * (i + 1)} }, to: { number: ${lastBlock - 11 * i} }`;
    const kinds = [
      (i: number) =>
        `{ shareHistory(share: "${vaults[i]}", ${range(i)}, points: 7) { nodes { block { number } supply parts { amount perShareRoundedDown } } } }`,
      (i: number) =>
        `{ priceHistory(token: "${tokens[i]}", ${range(i)}, points: 7) { nodes { block { number } price { usdDouble } } } }`,
      (i: number) =>
        `{ distributionHistory(token: "${tokens[i]}", ${range(i)}, points: 7) { block { number } holders } }`,
    ];
    for (const kind of kinds) await compare(Array.from({ length: EACH }, (_, i) => graphql(kind(i))));
  });

  test("are about something", () => {
    expect(answered).toBeGreaterThan(compared / 4);
  });
});
