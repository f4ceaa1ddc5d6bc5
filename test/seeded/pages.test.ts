// The explorer in a browser, on the seeded chain: every page at the width of a phone and of a desk, in light and dark.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buildSchema, parse, validate } from "graphql";
import type { Hono } from "hono";
import { pino } from "pino";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { typeDefinitions } from "../../gateway/graphql/type-definitions.ts";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp, listen } from "../../gateway/server.ts";
import { describeInBrowser, giveAxe, openBrowser, RULES_OF_COLOURS, violationsOf, watch } from "../support/browser.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { explore, type TriedPage, triedPages } from "./pages.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const DESK = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 844 };
/**
 * Each page in one visit as it is opened on a phone, then as wide as a desk's, then in the other colours. Width and colours hide
 * nothing and show nothing: later settings are held to the rules that can be broken by these alone.
 */
const SETTINGS: readonly {
  viewport: typeof DESK;
  colorScheme: "light" | "dark";
  /** Of axe; undefined: all. */
  rules?: readonly string[];
}[] = [
  { viewport: PHONE, colorScheme: "light" },
  { viewport: DESK, colorScheme: "light", rules: ["scrollable-region-focusable"] },
  { viewport: DESK, colorScheme: "dark", rules: RULES_OF_COLOURS },
];

/**
 * The page as it is served. A process that has just begun may say to load a page again, or what the page fetches into itself, while
 * the machine is busy.
 */
async function loadUntilThere(app: Pick<Hono, "request">, path: string): Promise<string> {
  let answer: Response;
  do answer = await app.request(path, { headers: { accept: "text/html" } });
  while (answer.status === 503);
  const text = await answer.text();
  for (const [, later = ""] of text.matchAll(/data-later="([^"]+)"/g))
    await loadUntilThere(app, later.replaceAll("&amp;", "&"));
  return text;
}

/** What a page's main part says to somebody who runs no script. */
const mainOf = (page: string): string =>
  (/<main[^>]*>([\s\S]*)<\/main>/.exec(page)?.[1] ?? "").replaceAll(/<script[\s\S]*?<\/script>|<[^>]*>/g, "");

describeInBrowser("The explorer in a browser", {}, () => {
  const chain = seededChain().name;
  let gateway: TestGateway;
  let server: Server;
  let browser: Browser;
  let base: string;
  let tried: TriedPage[];
  /** By path. */
  const served = new Map<string, string>();

  beforeAll(async () => {
    gateway = openSeededGateway();
    const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
    server = await listen(app, { host: "127.0.0.1", port: 0 });
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    [browser, tried] = await Promise.all([openBrowser(), triedPages(chain)]);
    for (const { path } of tried) served.set(path, await loadUntilThere(app, path));
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await gateway?.close();
  });

  async function inPage<T>(setting: BrowserContextOptions, use: (page: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext(setting);
    try {
      return await use(await context.newPage());
    } finally {
      await context.close();
    }
  }

  it("shows every page without a fault at a phone's width and at a desk's, in light colours and in dark", async () => {
    expect(tried.length).toBeGreaterThan(4);
    await inPage({}, async (tab) => {
      let expected = 200;
      const misdeeds = watch(tab, base, (text) => expected !== 200 && text.includes(`status of ${expected}`));
      await giveAxe(tab);
      for (const { path, shows, status = 200 } of tried) {
        expected = status;
        await tab.setViewportSize(PHONE);
        await tab.emulateMedia({ colorScheme: "light" });
        const answer = await tab.goto(base + path, { waitUntil: "load" });
        expect([path, answer?.status()]).toEqual([path, status]);
        expect(await tab.textContent("main"), path).toContain(shows);
        for (const { viewport, colorScheme, rules } of SETTINGS) {
          await tab.setViewportSize(viewport);
          await tab.emulateMedia({ colorScheme });
          const place = `${path} at ${viewport.width} in ${colorScheme} colours`;
          expect(await violationsOf(tab, rules && { only: rules }), place).toEqual([]);
          const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
          expect(width, `${place} must not scroll sideways`).toBeLessThanOrEqual(viewport.width);
        }
        expect(misdeeds, path).toEqual({ errors: [], elsewhere: [] });
      }
    });
  });

  it("needs no scrolling sideways at 320 pixels, whatever of where a token sat is opened", async () => {
    await inPage({ viewport: { width: 320, height: 640 } }, async (tab) => {
      const { path } = tried.find(({ name }) => name === "token-at")!;
      await tab.goto(base + path, { waitUntil: "load" });
      await tab.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true");
      expect(await tab.evaluate("document.documentElement.scrollWidth")).toBe(320);
    });
  });

  it("shows every page without script, too", () => {
    for (const { path, shows } of tried) expect(mainOf(served.get(path) ?? ""), path).toContain(shows);
  });

  it("changes the page in place when the slider is moved by key, and the URL with it", async () => {
    await inPage({ viewport: DESK }, async (tab) => {
      const misdeeds = watch(tab, base);
      await tab.goto(`${base}${explore(chain)}/tokens?block=1200`, { waitUntil: "load" });
      await tab.evaluate("globalThis.isSameDocument = true");
      const slider = tab.getByRole("slider");
      await slider.focus();
      await tab.keyboard.press("End");
      await tab.waitForURL(new RegExp(`block=${seeded.head}$`));
      await tab.waitForFunction(`document.querySelector("main b data")?.value === "${seeded.head}"`);
      expect(await tab.evaluate("globalThis.isSameDocument")).toBe(true);
      expect(await tab.evaluate("document.activeElement.type")).toBe("range");
      expect(misdeeds).toEqual({ errors: [], elsewhere: [] });
    });
  });

  it("goes back and forward through the blocks that were chosen, and from a link within the page to it alone", async () => {
    await inPage({ viewport: DESK }, async (tab) => {
      const misdeeds = watch(tab, base);
      const shows = async (block: number): Promise<void> => {
        await tab.locator(`main b data[value="${block}"]`).waitFor();
        expect(new URL(tab.url()).searchParams.get("block")).toBe(String(block));
      };
      await tab.goto(`${base}${explore(chain)}/tokens?block=1200`, { waitUntil: "load" });
      await tab.evaluate("globalThis.isSameDocument = true");
      for (const block of [1100, 1000]) {
        await tab.fill(".blocks input[name=block]", String(block));
        await tab.keyboard.press("Enter");
        await shows(block);
      }
      await tab.locator("a[href='#made-tokens']").first().click();
      await tab.goBack();
      await shows(1000);
      for (const block of [1100, 1200]) {
        await tab.goBack();
        await shows(block);
      }
      await tab.goForward();
      await shows(1100);
      expect(await tab.evaluate("globalThis.isSameDocument")).toBe(true);
      expect(misdeeds).toEqual({ errors: [], elsewhere: [] });
    });
  });

  it("follows the head again after the server has ended the subscription, and once more after it has refused one", async () => {
    await inPage({ viewport: DESK }, async (tab) => {
      const contentType = "text/event-stream";
      const answers = [
        { contentType, body: "event: complete\ndata:\n\n" },
        { status: 503, contentType: "application/json", body: "{}" },
        { contentType, body: 'event: next\ndata: {"data":{"newBlock":{"block":{"number":9876543}}}}\n\n' },
      ];
      const queries: string[] = [];
      await tab.route(/\/graphql\?query=subscription/, (route) => {
        queries.push(String(new URL(route.request().url()).searchParams.get("query")));
        return route.fulfill(answers.shift() ?? { status: 503 });
      });
      await tab.goto(`${base}${explore(chain)}/status`, { waitUntil: "load" });
      await tab.getByText("9,876,543").waitFor({ timeout: 90_000 });
      const schema = buildSchema(typeDefinitions);
      expect(queries.map((query) => validate(schema, parse(query)))).toEqual([[], [], []]);
    });
  });

  it("chooses a block by number without script", async () => {
    await inPage({ viewport: DESK, javaScriptEnabled: false }, async (tab) => {
      await tab.goto(`${base}${explore(chain)}/tokens`, { waitUntil: "load" });
      await tab.fill("input[name=block]", "1200");
      await tab.click("form[data-blocks] button");
      await tab.waitForURL(/block=1200$/);
      expect(await tab.textContent(".blocks")).toContain("1,200");
    });
  });

  it("opens how a number was made when the number is followed", async () => {
    await inPage({ viewport: DESK }, async (tab) => {
      await tab.goto(`${base}/`, { waitUntil: "load" });
      const command = tab.locator("#made-tokens .command").first();
      expect(await command.isVisible()).toBe(false);
      await tab.locator("a[href='#made-tokens']").first().click();
      await command.waitFor({ state: "visible" });
      expect(await command.textContent()).toContain("curl ");
    });
  });
});
