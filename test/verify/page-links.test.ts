// What `npm run load -- --pages` finds by following links. The server here is a stub: it imitates the explorer's pages as
// gateway/pages writes them, with links, assets, parts, redirects and pages that are not there.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { learnPages, type PageWorld } from "../../trials/load/learn-pages.ts";
import { blockOf, linksOn, viewOf } from "../../trials/load/page-links.ts";
import { pageQuestions } from "../../trials/load/page-mix.ts";
import { pageVerdicts } from "../../trials/load/page-report.ts";
import { openPageReader } from "../../trials/load/read-page.ts";
import { Tally } from "../../trials/load/tally.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";

const HOME = "/explore/stub";
const SCRIPT = "/explore/assets/0a/explorer.mjs";
const STYLE = "/explore/assets/0b/style.css";
/** Text that no compression makes shorter than about three quarters. */
const heavy = (bytes: number): string => {
  const random = seededRandom("heavy");
  return Array.from({ length: bytes }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("");
};

const page = (links: readonly string[], rest = ""): string =>
  `<html><link rel="stylesheet" href="${STYLE}"><script src="${SCRIPT}"></script>${links
    .map((href) => `<a class="x" href="${href}">to</a>`)
    .join("")}${rest}</html>`;

const PAGES: Readonly<Record<string, string>> = {
  "/": page([HOME, "https://elsewhere.invalid/nowhere", "#main"]),
  [HOME]: page([`${HOME}/token/0x1`, `${HOME}/token/0x2`, "/balances/0x1?a=1&amp;b=2", "/balances/0x9"]),
  [`${HOME}?block=95`]: page([`${HOME}/token/0x1?block=95`, `${HOME}/token/0x1`, `${HOME}/token/0x1?block=3`]),
  [`${HOME}/token/0x1`]: page([`${HOME}/account/0x3`], `<div data-later="${HOME}/token/0x1/history?n=1"></div>`),
  [`${HOME}/token/0x1?block=95`]: page([]),
  [`${HOME}/token/0x1/history?n=1`]: "<div>a part</div>",
  "/balances/0x1?a=1&b=2": "{}",
  [SCRIPT]: heavy(68_000),
  [STYLE]: heavy(1_000),
};
for (const block of [40, 60, 80]) Object.assign(PAGES, { [`${HOME}?block=${block}`]: page([]) });

let server: Server;
let world: PageWorld;
beforeAll(async () => {
  server = createServer((asking, answer) => {
    const path = asking.url ?? "";
    if (path === `${HOME}/account/0x3`) {
      answer.writeHead(302, { location: `${HOME}/account/0x4` }).end();
      return;
    }
    if (path === "/graphql") {
      const data = {
        status: { firstBlock: 0, lastSyncedBlock: 100 },
        tokens: { nodes: [{ address: "0x1", symbol: "A&B" }] },
      };
      answer.end(JSON.stringify({ data }));
      return;
    }
    const text = PAGES[path];
    answer.writeHead(text === undefined ? 404 : 200, { "content-encoding": "gzip" });
    answer.end(gzipSync(text ?? "no such page"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await learnPages(openPageReader(url), ({ method, path, headers, body }) =>
    fetch(url + path, { method, headers, body: body ?? null }),
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("the links of pages", () => {
  it("lead to every view, at the newest block and at the chosen ones, and no further", () => {
    const found = world.pages.map(({ path }) => path).sort();
    expect(found).toEqual(
      [
        ...["/", HOME, `${HOME}?block=40`, `${HOME}?block=60`, `${HOME}?block=80`, `${HOME}?block=95`],
        ...[`${HOME}/token/0x1`, `${HOME}/token/0x1?block=95`, `${HOME}/token/0x1/history?n=1`, `${HOME}/account/0x3`],
      ].sort(),
    );
  });

  it("that lead nowhere are named with the page that they are on, whether page, redirect or query", () => {
    expect(world.broken).toEqual([
      { from: HOME, to: `${HOME}/token/0x2`, status: 404 },
      { from: HOME, to: "/balances/0x9", status: 404 },
      { from: `${HOME}/account/0x3`, to: `${HOME}/account/0x4`, status: 404 },
    ]);
  });

  it("are read as a browser reads them", () => {
    const text =
      '<a href="/a?x=1&amp;y=2">1</a><a class="n" href="#q">2</a><a href="//other.invalid/">3</a><a name="n">';
    expect(linksOn(text, "/b/c?d=1")).toEqual(["/a?x=1&y=2", "/b/c?d=1"]);
    expect(viewOf("/explore/x/token/0x1/history?block=2")).toBe("token history");
    expect(viewOf("/docs")).toBeUndefined();
    expect(viewOf(STYLE)).toBeUndefined();
    expect(blockOf("/explore/x?block=12")).toBe("12");
  });
});

describe("a first view", () => {
  const of = (path: string) => world.firstViews.find((view) => view.path === path);

  it("is the page with all that it loads, compressed, parts too", () => {
    const sizes = [SCRIPT, STYLE, `${HOME}/token/0x1`, `${HOME}/token/0x1/history?n=1`].map(
      (path) => gzipSync(PAGES[path] ?? "").length,
    );
    expect(of(`${HOME}/token/0x1`)?.bytes).toBe(sizes.reduce((sum, bytes) => sum + bytes, 0));
    expect(of(`${HOME}/token/0x1`)?.scriptBytes).toBe(sizes[0]);
    expect(of(`${HOME}/token/0x1/history?n=1`)).toBeUndefined();
  });
});

describe("a run over pages", () => {
  it("asks for every view found, in shares that make up a hundred, and for what one searches", () => {
    const questions = pageQuestions(world);
    expect(questions.map(({ name }) => name).sort()).toEqual([
      "account, newest",
      "home, newest",
      "home, past blocks",
      "search",
      "token history, newest",
      "token, newest",
      "token, past blocks",
    ]);
    expect(questions.reduce((sum, { percent }) => sum + percent, 0)).toBeCloseTo(100);
    const random = seededRandom("search");
    const search = questions.find(({ name }) => name === "search");
    const drawn = new Set(Array.from({ length: 20 }, () => search?.draw(random).path));
    expect(drawn).toEqual(new Set([`${HOME}/search?q=A%26B`, `${HOME}/search?q=0x1`]));
  });

  it("fails of a slow page, a failed one, a broken link and too heavy a script, and of nothing else", () => {
    const tally = new Tally();
    tally.take("home", { sent: { outcome: "503", start: HOME }, ms: 301, isLawful: false });
    const problems = pageVerdicts(tally.all("all"), world);
    expect(problems).toEqual([
      "3 links lead nowhere",
      "1 requests failed",
      "p95 is 301 ms, above 300 ms",
      expect.stringMatching(/^scripts of .* are 4\d\.\d kB, above 40\.0 kB$/),
    ]);
    const light = { ...world, broken: [], firstViews: world.firstViews.map((view) => ({ ...view, scriptBytes: 1 })) };
    const fast = new Tally();
    fast.take("home", { sent: { outcome: "302", start: HOME }, ms: 300, isLawful: true });
    expect(pageVerdicts(fast.all("all"), light)).toEqual([]);
    const heaviest = { ...light, firstViews: light.firstViews.map((view) => ({ ...view, bytes: 100_001 })) };
    expect(pageVerdicts(fast.all("all"), heaviest)).toEqual([
      expect.stringMatching(/^the first view of .* is 100\.0 kB, above 100\.0 kB$/),
    ]);
  });
});
