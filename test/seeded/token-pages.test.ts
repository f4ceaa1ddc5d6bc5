// A token's page in use: the slider changes table and picture in place, the picture opens level by level, what happened over
// time comes by itself, and is a page of its own without script.
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp, listen } from "../../gateway/server.ts";
import { describeInBrowser, openBrowser, watch } from "../support/browser.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { seededExamples } from "./examples.ts";
import { explore } from "./pages.ts";
import { openSeededGateway, seeded, seededChain } from "./seeded-index.ts";

const PATIENCE = { timeout: 60_000 };

describeInBrowser("A token's page in a browser", {}, () => {
  let gateway: TestGateway;
  let server: Server;
  let browser: Browser;
  let base: string;
  let token: string;

  beforeAll(async () => {
    gateway = openSeededGateway();
    const app = createApp(gateway.service, pino({ level: "silent" }), { pages });
    server = await listen(app, { host: "127.0.0.1", port: 0 });
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${explore(seededChain().name)}`;
    ({ token } = await seededExamples());
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await gateway?.close();
  });

  async function inPage(javaScriptEnabled: boolean, use: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1_280, height: 800 } });
    try {
      await use(await context.newPage());
    } finally {
      await context.close();
    }
  }

  /** The exact amount of the largest holder. */
  const largest = (tab: Page) => tab.locator("tbody tr").first().locator("data").nth(1).getAttribute("value");

  async function largestOf(block: number): Promise<string> {
    const { data } = await gateway.graphql(
      `{ balances(token: "${token}", block: {number: ${block}}, first: 1) { nodes { totalDecimal } } }`,
    );
    return (data as { balances: { nodes: { totalDecimal: string }[] } }).balances.nodes[0]?.totalDecimal ?? "";
  }

  it("changes table and picture in place with the slider, and leaves open what was opened", async () => {
    await inPage(true, async (tab) => {
      const misdeeds = watch(tab, base.slice(0, base.indexOf("/explore")));
      await tab.goto(`${base}/token/${token}?block=1200`, { waitUntil: "load" });
      expect(await largest(tab)).toBe(await largestOf(1200));
      const pools = tab.locator(".shares > .parts > li", { hasText: "Pools" }).locator("> details");
      await pools.locator("summary").first().click();
      expect(await pools.locator("li").first().isVisible()).toBe(true);
      await tab.evaluate("globalThis.isSameDocument = true");
      await tab.getByRole("slider").focus();
      await tab.keyboard.press("End");
      await tab.waitForURL(new RegExp(`block=${seeded.head}$`), PATIENCE);
      expect(await tab.evaluate("globalThis.isSameDocument")).toBe(true);
      expect(await largest(tab)).toBe(await largestOf(seeded.head));
      expect(await pools.getAttribute("open")).not.toBeNull();
      expect(misdeeds).toEqual({ errors: [], elsewhere: [] });
    });
  });

  it("opens where it sat down to the ways through contracts", async () => {
    await inPage(true, async (tab) => {
      await tab.goto(`${base}/token/${token}?block=1200`, { waitUntil: "load" });
      await tab.evaluate("for (const part of document.querySelectorAll('.shares details')) part.open = true");
      const depths = await tab.evaluate<number[]>(
        "[...document.querySelectorAll('.shares .parts')].map((list) => { let n = 0; for (let at = list; at; at = at.parentElement?.closest('.parts')) n++; return n; })",
      );
      expect(Math.max(...depths)).toBeGreaterThanOrEqual(3);
      expect(await tab.locator(".shares").textContent()).toContain("lies in");
    });
  });

  it("shows what happened over time by itself, and leads there without script", async () => {
    await inPage(true, async (tab) => {
      await tab.goto(`${base}/token/${token}?block=1200`, { waitUntil: "load" });
      await tab.locator("[data-later] .uplot").first().waitFor(PATIENCE);
      expect(await tab.locator("[data-later] .uplot").count()).toBe(4);
    });
    await inPage(false, async (tab) => {
      await tab.goto(`${base}/token/${token}?block=1200`, { waitUntil: "load" });
      await tab.locator("[data-later] a").click();
      await tab.waitForURL(/\/history\?block=1200$/, PATIENCE);
      expect(await tab.locator("svg.drawing").count()).toBe(4);
      expect(await tab.locator("figure details").first().locator("tbody tr").count()).toBe(10);
    });
  });

  it("downloads all holders as a file of its own name and kind: CSV, Parquet and a Merkle tree", async () => {
    await inPage(true, async (tab) => {
      await tab.goto(`${base}/token/${token}?block=1200`, { waitUntil: "load" });
      for (const [name, ending, contents] of [
        ["CSV", "csv", /^account,amount,/],
        ["Parquet", "parquet", /^PAR1[\s\S]*PAR1$/],
        ["Merkle tree", "merkle.json", /^\{"root":"0x[0-9a-f]{64}",/],
      ] as const) {
        const [download] = await Promise.all([
          tab.waitForEvent("download", PATIENCE),
          tab.getByRole("link", { name }).click(),
        ]);
        expect(download.suggestedFilename()).toBe(`holders-${token}-1200.${ending}`);
        expect(readFileSync(await download.path(), "latin1")).toMatch(contents);
      }
    });
  });
});
