// Hours and days whose end is asked for beyond the last block, and in which nothing happened.
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { PLAIN, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const HOUR = 3_600;

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
  await buildIndex(database.sql, { ...smallIndex, chainHead: 120 });
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});

it("the gateway ends a series with the last block's step: there are no zeros of hours that nobody knows yet", async () => {
  const { status } = await gateway.data<{ status: { lastSyncedTimestamp: number } }>(
    "{ status { lastSyncedTimestamp } }",
  );
  const time = status.lastSyncedTimestamp;
  const [from, late] = [time - 3 * HOUR, time + 90 * 24 * HOUR];
  const seriesTo = (to: number) =>
    gateway.data(`{ tokenSeries(token: "${PLAIN}", interval: hour, from: ${from}, to: ${to}) { start } }`);
  const last = Math.floor(time / HOUR) * HOUR;
  const steps = [3, 2, 1, 0].map((hours) => ({ start: last - hours * HOUR }));
  for (const to of [time, late]) expect(await seriesTo(to)).toEqual({ tokenSeries: steps });
});

it("the gateway refuses a series that begins after the last block, though its end is later still", async () => {
  const { status } = await gateway.data<{ status: { lastSyncedTimestamp: number } }>(
    "{ status { lastSyncedTimestamp } }",
  );
  const [from, to] = [status.lastSyncedTimestamp + 1, status.lastSyncedTimestamp + 9 * HOUR];
  const { errors } = await gateway.graphql(
    `{ tokenSeries(token: "${PLAIN}", interval: hour, from: ${from}, to: ${to}) { start } }`,
  );
  expect(errors?.[0]?.extensions).toMatchObject({ code: "INVALID_INPUT", details: { parameter: "from" } });
});

it("the gateway says that nothing was traded in an hour for 0 USD, also of a token without a price", async () => {
  const { status } = await gateway.data<{ status: { lastSyncedTimestamp: number } }>(
    "{ status { lastSyncedTimestamp } }",
  );
  const { tokenSeries } = await gateway.data<{ tokenSeries: unknown[] }>(
    `{ tokenSeries(token: "${PLAIN}", interval: hour, from: ${status.lastSyncedTimestamp}) { volume volumeUSD priceUSD } }`,
  );
  expect(tokenSeries).toEqual([{ volume: "0", volumeUSD: "0", priceUSD: null }]);
});

it("the gateway refuses prices of more than 100 steps once, not for each step and field, also when it is asked again", async () => {
  const { status } = await gateway.data<{ status: { lastSyncedTimestamp: number } }>(
    "{ status { lastSyncedTimestamp } }",
  );
  const series = (hours: number, fields: string) =>
    `{ steps: tokenSeries(token: "${PLAIN}", interval: hour, from: ${status.lastSyncedTimestamp - hours * HOUR}) { ${fields} } }`;
  const priced = `${series(100, "start ...Priced")} fragment Priced on TokenBucket { cost: priceUSD holders block }`;
  const problem = "from: the series has 101 steps; at most 100 may ask for prices, values or holders";
  for (const _ of ["executed", "compiled"]) {
    const { errors } = await gateway.graphql(priced);
    expect(errors?.map(({ message }) => message)).toEqual([
      `${problem}. Ask for fewer steps, or leave out priceUSD, holders`,
    ]);
    for (const query of [series(99, "priceUSD"), series(100, "block"), series(100, "block priceUSD @skip(if: true)")])
      expect((await gateway.data<{ steps: unknown[] }>(query)).steps.length).toBeGreaterThanOrEqual(100);
  }
});

it("the gateway refuses a series of what is no token, or no island: nothing is known of it, and zeros would look as if it were", async () => {
  const { status } = await gateway.data<{ status: { lastSyncedTimestamp: number } }>(
    "{ status { lastSyncedTimestamp } }",
  );
  const from = status.lastSyncedTimestamp;
  const refusalOf = async (field: string, argument: string) =>
    (await gateway.graphql(`{ ${field}(${argument}, interval: hour, from: ${from}) { start } }`)).errors?.[0]
      ?.extensions;
  const unknown = "0x00000000000000000000000000000000000abcde";
  const untracked = { code: "TOKEN_NOT_TRACKED", details: { token: unknown } };
  expect(await refusalOf("tokenSeries", `token: "${unknown}"`)).toMatchObject(untracked);
  expect(await refusalOf("islandSeries", `island: "${unknown}"`)).toMatchObject(untracked);
  expect(await refusalOf("islandSeries", `island: "${PLAIN}"`)).toMatchObject({
    ...{ code: "INVALID_INPUT", details: { parameter: "island" } },
  });
});
