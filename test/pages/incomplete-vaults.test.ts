// Pages of an island whose state is unknown: they say so and why, and show no number in its place.
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { dropIndex } from "../support/index-fixture.ts";
import {
  CREATED,
  ISLAND,
  islandChain,
  islandScript,
  islandSettings,
  OTHER,
  storeSettings,
} from "../support/island-script.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const INDEX = { ponderSchema: "facts_unsaid", foldSchema: "fold_unsaid", finalized: 8, chain: islandChain };

let database: TestDatabase;
let gateway: TestGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  gateway = openGateway(database.url, islandChain);
});
afterAll(async () => {
  await gateway.close();
  await database.stop();
});
afterEach(() => dropIndex(database.sql, INDEX));

type Setting = (typeof islandSettings)[number];
const isCreation = ({ island, block }: Setting) => island === ISLAND && block === CREATED;
const others = islandSettings.filter((one) => !isCreation(one));
const atCreation = islandSettings.filter(isCreation);

async function build(prepare: Parameters<typeof storeSettings>[2]): Promise<void> {
  const options = { ...INDEX, prepare: () => storeSettings(database.sql, INDEX.foldSchema, prepare) };
  await buildScripted(database.sql, islandScript(), options);
}

async function open(path: string): Promise<string> {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(`/explore/${islandChain.name}${path}`, { headers: { accept: "text/html" } });
  expect(answer.status).toBe(200);
  return answer.text();
}

const factOf = (text: string, name: string): string => text.split(`<dt>${name}</dt>`)[1]?.split("</dd>")[0] ?? "";

describe.each([
  ["waiting", { settings: others, refused: atCreation }, "Waiting: its settings are not read from the chain yet"],
  [
    "undetermined",
    { settings: [...others, ...atCreation.map((one) => ({ ...one, managerFeeBps: undefined }))] },
    "Undetermined: at this block neither its events nor the node give its range or its fee",
  ],
] as const)("An island that is %s", (reason, prepare, words) => {
  const block = CREATED + 1;

  it("is shown with the reason in words, and without a number that nobody knows", async () => {
    await build(prepare as Parameters<typeof storeSettings>[2]);
    const { body } = await gateway.get(`/vaults/${ISLAND}?blockNumber=${block}`);
    expect(body.incomplete).toBe(reason);
    const text = await open(`/vault/${ISLAND}?block=${block}`);
    expect(text.match(/<p class="problem">([^<]*)</)?.[1]).toContain(words);
    for (const name of ["TVL", "LP APR", "Total APR", "Price of a share", "Range, in ticks"]) {
      expect([name, factOf(text, name)]).toEqual([name, expect.stringContaining(words)]);
      expect(factOf(text, name)).not.toContain("<data");
    }
    expect(text).toContain("Not known: ");
    expect(text).toContain("who manages it, if anybody, is not known at this block");
  });

  it("is marked in the list, where others have their numbers", async () => {
    await build(prepare as Parameters<typeof storeSettings>[2]);
    const text = await open(`/vaults?block=${block}`);
    const rows = text.split("<tr>");
    const row = rows.find((one) => one.includes(`title="${ISLAND}"`)) ?? "";
    expect(row).toContain(`>${reason}</span>`);
    const other = rows.find((one) => one.includes(`title="${OTHER}"`)) ?? "";
    expect(other).not.toBe("");
    expect(other).not.toContain("is-bad");
  });
});

describe("An island whose pool has stopped", () => {
  it("is not said to be in a pool without a price", async () => {
    await build({ settings: islandSettings });
    await database.sql`update fold_unsaid.v3_pool
      set stopped_block = ${CREATED}, stopped_log = 1, stopped_field = 'tick', stopped_expected = '1', stopped_replayed = '2'`;
    const text = await open(`/vault/${ISLAND}?block=${CREATED + 1}`);
    expect(text.match(/<p class="problem">([^<]*)</)?.[1]).toContain("Stopped: ");
    expect(factOf(text, "Range, in ticks")).toContain("the pool&#39;s price is not known");
  });
});
