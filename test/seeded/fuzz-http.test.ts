// Random questions drawn from the OpenAPI document and the GraphQL schema, over the seeded devnet: nothing breaks or hangs,
// every 400 names its parameter, and every answer is as the document says. `npm run fuzz:http` asks many more.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FuzzReport, runFuzz } from "../../trials/fuzz/run-fuzz.ts";
import type { Ask } from "../../trials/fuzz/sample-values.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { openSeededGateway } from "./seeded-index.ts";

const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);

let gateway: TestGateway;
let report: FuzzReport;

beforeAll(async () => {
  gateway = openSeededGateway();
  // in one process nobody takes the compression off again
  const ask: Ask = async ({ method, path, headers: { "accept-encoding": _, ...headers }, body }) =>
    gateway.app.request(path, { method, headers, ...(body === undefined ? {} : { body }) });
  report = await runFuzz({ ask, seed, requests: 200, documents: 40, concurrency: 4 });
});
afterAll(() => gateway.close());

describe(`random questions of seed ${seed}`, () => {
  test("are all answered as documented", () => {
    expect(report.problems).toEqual([]);
  });

  test("are about something: most routes answer some of them in full", () => {
    expect(report.requests).toBe(240);
    const answered = [...report.statuses.keys()].filter((key) => key.endsWith(" 200"));
    expect(answered.length).toBeGreaterThan(8);
    const refused = [...report.statuses].filter(([key]) => key.endsWith(" 400"));
    expect(refused.length).toBeGreaterThan(5);
  });
});
