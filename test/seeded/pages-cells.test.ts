// Numbers on pages are the API's: 500 of them, drawn at random from every page that browsers try, are looked for in what the
// API answers to the very queries that they lead to.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Random, seedRandom } from "../../devnet/scenario/random.ts";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import { foundInAnswers } from "../support/found-in-answer.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { numbersOf, type PageCell, type PageNumbers } from "../support/page-cells.ts";
import { type TriedPage, triedPages } from "./pages.ts";
import { openSeededGateway, seededChain } from "./seeded-index.ts";

const CELLS = 500;
const ATTEMPTS = 10;

/** Numbers that no one query of the API gives, by page and query, each with what it follows from. */
const NOT_IN_ONE_ANSWER: Readonly<Record<string, string>> = {
  "home pools": "the TVL of v3 pools is what their addresses hold, times the prices of both tokens",
  "account worth": "sums of amounts times prices",
  "account-positions worth": "sums of amounts times prices",
  "pool-v3 figures": "the price is sqrtPriceX96 squared, divided by 2^192; sums over seven days",
  "pool-v2 figures": "the price is one reserve divided by the other; sums over seven days",
  "pool-curve figures": "sums over seven days",
  "pool-graduated figures": "sums over seven days",
  "quote quote": "the limit is the quote less the slippage, which pages-vaults.test.ts compares",
  "quote-past quote": "the limit is the quote less the slippage, which pages-vaults.test.ts compares",
};

interface ReadPage extends TriedPage, PageNumbers {}

let gateway: TestGateway;
let app: ReturnType<typeof createApp>;
let read: ReadPage[];

beforeAll(async () => {
  gateway = openSeededGateway();
  app = createApp(gateway.service, pino({ level: "silent" }), { pages });
  read = [];
  for (const page of await triedPages(seededChain().name))
    if (page.status === undefined || page.status === 200) read.push({ ...page, ...(await open(page)) });
});
afterAll(() => gateway.close());

async function open({ path }: TriedPage): Promise<PageNumbers> {
  const answer = await patiently(() => app.request(path, { headers: { accept: "text/html" } }));
  expect([path, answer.status]).toEqual([path, 200]);
  return numbersOf(await answer.text());
}

/** A machine at work says to ask again; what has been worked out by then need not be once more. */
async function patiently<T extends { status: number }>(load: () => T | Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const answer = await load();
    if (answer.status !== 503 || attempt === ATTEMPTS) return answer;
  }
}

const answers = new Map<string, Promise<unknown>>();

/** What the API says to a link of a page. */
function answerOf(href: string): Promise<unknown> {
  const running = answers.get(href) ?? ask(href);
  answers.set(href, running);
  return running;
}

async function ask(href: string): Promise<unknown> {
  if (href.startsWith("/graphql?query=")) {
    const query = decodeURIComponent(href.slice("/graphql?query=".length));
    const { data, errors } = await patiently(async () => {
      const answer = await gateway.graphql(query);
      return { ...answer, status: answer.errors?.[0]?.extensions?.code === "TIMEOUT" ? 503 : 200 };
    });
    expect(errors, query).toBeUndefined();
    return data;
  }
  const { status, body } = await patiently(() => gateway.get(href));
  expect([href, status]).toEqual([href, 200]);
  return body;
}

interface Drawn {
  page: ReadPage;
  cell: PageCell;
}

/** From every page in turn, so that none is left out; a page with few numbers gives all that it has. */
function draw(random: Random, count: number): Drawn[] {
  const left = read.map((page) => ({ page, cells: shuffled(random, page.cells) }));
  const drawn: Drawn[] = [];
  while (drawn.length < count && left.some(({ cells }) => cells.length > 0))
    for (const { page, cells } of left) {
      const cell = cells.pop();
      if (cell && drawn.length < count) drawn.push({ page, cell });
    }
  return drawn;
}

function shuffled<T>(random: Random, many: readonly T[]): T[] {
  const all = [...many];
  for (let i = all.length - 1; i > 0; i--) {
    const j = random.between(0, i);
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

describe("numbers on pages", () => {
  it("lead to queries that are there and are answered", async () => {
    for (const { path, cells, queries } of read) {
      const missing = [...new Set(cells.map(({ made }) => made))].filter((made) => !queries.has(made));
      expect(missing, path).toEqual([]);
      for (const href of [...queries.values()].flat()) expect(await answerOf(href), href).toBeTruthy();
    }
  });

  it("are those of the API, 500 drawn at random", async () => {
    const drawn = draw(seedRandom("cells of pages"), CELLS);
    const ways: Record<string, number> = {};
    const wrong: string[] = [];
    for (const { page, cell } of drawn) {
      const hrefs = page.queries.get(cell.made) ?? [];
      const found = foundInAnswers(cell, await Promise.all(hrefs.map(answerOf)));
      const excused = found === undefined && NOT_IN_ONE_ANSWER[`${page.name} ${cell.made}`] !== undefined;
      const way = found ?? (excused ? "not in one answer" : "wrong");
      ways[way] = (ways[way] ?? 0) + 1;
      if (way === "wrong")
        wrong.push(`${page.path}: ${cell.unit}${cell.value} of ${cell.made} in ${cell.row.join(" ")}`);
    }
    console.log(`${drawn.length} numbers of ${read.length} pages: ${JSON.stringify(ways)}`);
    expect(wrong).toEqual([]);
    expect(drawn).toHaveLength(CELLS);
    expect(ways["not in one answer"] ?? 0).toBeLessThan(CELLS / 20);
  });

  it("would be found wrong if they were: a digit more is not in any answer", async () => {
    const drawn = draw(seedRandom("wrong cells"), 100).filter(({ cell }) => cell.value.length > 6);
    expect(drawn.length).toBeGreaterThan(30);
    for (const { page, cell } of drawn) {
      const hrefs = page.queries.get(cell.made) ?? [];
      const wrong = { ...cell, value: cell.value.includes(".") ? `${cell.value}1` : `${cell.value}.1` };
      const near = foundInAnswers(wrong, await Promise.all(hrefs.map(answerOf)));
      // a double stands for every decimal that is nearest to it
      expect(["nearest double", undefined], `${page.path} ${wrong.value}`).toContain(near);
    }
  });
});
