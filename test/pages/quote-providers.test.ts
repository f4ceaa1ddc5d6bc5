// The page of quotes with stand-ins of all outside services: the one that offers most is shown as the best, one that gives nothing with the reason.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { EXTERNALS, openQuoteGateway, type QuoteGateway, withProviders } from "../support/quote-world.ts";
import { accountOf, ZERO } from "../support/reference-ledger.ts";
import { A, ALICE, B, BLOCKS, POOL_BC, POOL_WA, routerChain, tellRouterWorld } from "../support/router-world.ts";
import { buildScripted } from "../support/scripted-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const [AGGREGATOR, EXECUTOR] = [accountOf(70), accountOf(71)];
const chain = withProviders(routerChain, AGGREGATOR);
const env = { QUOTE_TIMEOUT_MS: "3500", QUOTE_PROVIDER_TIMEOUT_MS: "3000", QUOTE_WORTH_WAITING_USD: "0" };

let database: TestDatabase;
let base: TestGateway;
let gateway: QuoteGateway;
beforeAll(async () => {
  database = await startTestDatabase();
  const place = { ponderSchema: "facts_pq", foldSchema: "fold_pq", finalized: 1, chain: routerChain };
  await buildScripted(database.sql, tellRouterWorld(), place);
  base = openGateway(database.url, routerChain);
  gateway = await openQuoteGateway({ base, chain, executor: EXECUTOR, env });
});
afterAll(async () => {
  await gateway?.stop();
  await base?.close();
  await database?.stop();
});

interface ShownRow {
  name: string;
  isBest: boolean;
  words: string;
  /** Exact values: what it gives, its gas. */
  values: string[];
}

async function openPath(path: string): Promise<{ status: number; text: string }> {
  const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  const answer = await app.request(`/explore/${chain.name}/${path}`, { headers: { accept: "text/html" } });
  return { status: answer.status, text: await answer.text() };
}

async function open(query = ""): Promise<{ status: number; text: string; rows: ShownRow[] }> {
  const { status, text } = await openPath(`quote?tokenIn=${A}&tokenOut=${B}&amount=1000${query}`);
  const [, table = ""] = text.split('<caption class="sr">Providers side by side</caption>');
  const rows = (table.split("</table>")[0] ?? "")
    .split("<tr>")
    .slice(2)
    .map((row): ShownRow => {
      const [head = "", ...cells] = row.split("<td");
      return {
        name: head.match(/<bdi>([^<]*)<\/bdi>/)?.[1] ?? "",
        isBest: head.includes('class="badge">best'),
        words: head.split('class="below">')[1]?.replace(/<[^>]*>/g, "") ?? "",
        values: cells.flatMap((cell) => cell.match(/ value="([^"]*)"/)?.[1] ?? []),
      };
    });
  return { status, text, rows };
}

describe("The page of quotes", () => {
  it("shows every provider's offer, and the way of the one that pays most", async () => {
    const { status, text, rows } = await open();
    expect([status, rows.map(({ name }) => name)]).toEqual([200, ["Kodiak", ...EXTERNALS]]);
    const [own, ...others] = rows;
    for (const other of others) {
      expect([other.name, other.words]).toEqual([other.name, "answered"]);
      // each stand-in promises a hundredth more than our own router
      expect(Number(other.values[0])).toBeGreaterThan(Number(own?.values[0]));
    }
    const best = rows.filter(({ isBest }) => isBest);
    expect(best).toHaveLength(1);
    expect(best[0]?.name).not.toBe("Kodiak");
    expect(text).toContain(`<dt>Offered by</dt><dd><bdi>${best[0]?.name}</bdi></dd>`);
  });

  it("says in words why a provider gave nothing, and shows no number of it", async () => {
    const [slow, without, busy, broken] = EXTERNALS;
    const modes = [
      [slow, "hang", "did not answer in time"],
      [without, "no-route", "has no route for this pair and amount"],
      [busy, "busy", "allows no more requests"],
      [broken, "broken", "failed"],
    ] as const;
    for (const [name, mode] of modes) gateway.desks[name ?? ""]!.mode = mode;
    const { status, rows } = await open();
    expect(status).toBe(200);
    for (const [name, , words] of modes) {
      const row = rows.find((one) => one.name === name);
      expect([name, row?.words]).toEqual([name, expect.stringContaining(words)]);
      // only the time that it took
      expect(row?.values).toHaveLength(1);
    }
  });

  it("asks nobody outside about a past block, and says so", async () => {
    const before = gateway.requested.length;
    const { status, rows } = await open(`&block=${BLOCKS.head}`);
    expect([status, gateway.requested.length]).toEqual([200, before]);
    for (const { name, words } of rows.slice(1))
      expect([name, words]).toEqual([name, "answers for the newest block alone, never for a past one"]);
  });
});

describe("The form of quotes", () => {
  it("says beside the field that two names of the native coin are one token", async () => {
    for (const [one, other] of [
      ["BERA", ZERO],
      ["bera", "BERA"],
    ]) {
      const { status, text } = await openPath(`quote?tokenIn=${one}&tokenOut=${other}&amount=1`);
      const problem = text.split('id="tokenOut-problem">')[1]?.split("<")[0];
      expect([status, problem]).toEqual([400, "is the token that is paid with; name another one"]);
    }
  });

  it("quotes the native coin for its wrapped token", async () => {
    const { status, text } = await openPath(`quote?tokenIn=BERA&tokenOut=${chain.wrappedNative.address}&amount=1`);
    expect([status, text.includes("tokenOut-problem")]).toEqual([200, false]);
  });
});

describe("The page of a pool", () => {
  it("that has stopped does not say that there is no price", async () => {
    const { text } = await openPath(`pool/${POOL_BC}`);
    expect(text).toContain("its price is not known at this block");
    expect(text).not.toContain("it has no price at this block");
    expect((await openPath(`pool/${POOL_WA}`)).text).not.toContain("its price is not known at this block");
  });
});

describe("The page of an account", () => {
  it("at an older block names what is missing with links to that block", async () => {
    const { text } = await openPath(`account/${ALICE}?block=${BLOCKS.head}`);
    const [, missing = ""] = text.split("What comes through these contracts is missing");
    expect(missing.split("</p>")[0]).toContain(`/account/${POOL_BC}?block=${BLOCKS.head}"`);
  });
});
