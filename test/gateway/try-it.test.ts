// The two pages where the API can be tried, as a browser shows them: the reference at /docs and GraphiQL at /graphql. Over a
// real database; everything that they ask for, run and refuse is watched.
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openapiDocument } from "../../gateway/rest/openapi/document.ts";
import { viewDocument } from "../../gateway/rest/openapi/view.ts";
import { createApp, listen } from "../../gateway/server.ts";
import { describeInBrowser, openBrowser, RULES_OF_COLOURS, violationsOf } from "../support/browser.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex } from "../support/index-fixture.ts";
import { ALICE, PLAIN, smallIndex } from "../support/small-index.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const KEY = "0123456789abcdef";
/** A machine that does other things besides needs seconds for what is drawn in half of one. */
const PATIENCE_MS = 60_000;

let database: TestDatabase;
let gateway: TestGateway;
let browser: Browser;
const stops: (() => void)[] = [];
const origins = { open: "", keyed: "" };

async function serve(keys: readonly string[]): Promise<string> {
  const app = createApp(gateway.service, pino({ level: "silent" }), { access: { keys } });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Watched {
  page: Page;
  /** What no page may do or meet: another host, an error or a warning, something that its policy refuses. */
  problems: string[];
  /** Everything it asked for. */
  requests: string[];
}

async function open(url: string): Promise<Watched> {
  const context = await browser.newContext({ colorScheme: "light" });
  context.setDefaultTimeout(PATIENCE_MS);
  const [problems, requests]: string[][] = [[], []];
  context.on("request", (request) => {
    requests?.push(request.url());
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
      problems?.push(`asked ${request.url()}`);
  });
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems?.push(`${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => problems?.push(String(error.error())));
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (e) => console.error('refused', e.violatedDirective, e.blockedURI))",
  );
  const page = await context.newPage();
  await page.goto(url);
  return { page, problems: problems ?? [], requests: requests ?? [] };
}

const textOf = async (place: Locator): Promise<string> => ((await place.textContent()) ?? "").trim();
/** Paths are drawn with places where they may break. */
const bare = (text: string): string => text.replace(/[\s\u200b]/g, "");

async function openOperation(page: Page, id: string): Promise<Locator> {
  const operation = page.locator(`#operations-${id}`);
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  return operation;
}

/** Status and text as they are shown. */
async function execute(operation: Locator): Promise<{ status: string; shown: string; curl: string }> {
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table .response");
  await answer.locator(".response-col_status").waitFor();
  const status = await textOf(answer.locator(".response-col_status"));
  const shown = await textOf(answer.locator(".response-col_description pre").first());
  return { status, shown, curl: await textOf(operation.locator(".curl")) };
}

describeInBrowser("in a browser", { timeout: 3 * PATIENCE_MS }, () => {
  beforeAll(async () => {
    database = await startTestDatabase();
    await buildIndex(database.sql, smallIndex);
    gateway = openGateway(database.url, chainFixture({ chainId: 31337, startBlock: 100 }));
    origins.open = await serve([]);
    origins.keyed = await serve([KEY]);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    for (const stop of stops) stop();
    await gateway.close();
    await database.stop();
  });

  describe("the API reference", () => {
    /** One page for the tests that come after one another: it takes seconds to be drawn. */
    let opened: Promise<Watched>;
    beforeAll(() => {
      opened = open(`${origins.open}/docs`);
    });
    afterAll(async () => (await opened).page.context().close());

    const expectNoViolation = async (page: Page, where: { within?: string } = {}) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(colorScheme === "dark" ? "html.dark-mode" : "html:not(.dark-mode)").waitFor();
        const rules = colorScheme === "dark" ? { only: RULES_OF_COLOURS } : {};
        expect(await violationsOf(page, { ...where, ...rules }), colorScheme).toEqual([]);
      }
    };

    it("shows every operation of the document with its words, loading its own files alone", async () => {
      const { page, problems, requests } = await opened;
      const { operations, tags } = viewDocument(openapiDocument("1.0.0"));
      expect(operations.length).toBeGreaterThan(20);
      await page.locator(".opblock").first().waitFor();
      expect(await page.title()).toBe("API reference – Tidemark");
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      expect(await page.locator(".opblock").count()).toBe(operations.length);
      for (const { tag, operationId, method, path, summary } of operations) {
        const shown = await textOf(page.locator(`#operations-${tag}-${operationId}`));
        expect(bare(shown)).toBe(bare(`${method} ${path} ${summary}`));
      }
      for (const { name, description } of tags)
        expect(await textOf(page.locator(`#operations-tag-${name}`))).toContain(description);
      const paths = requests.map((url) => new URL(url).pathname.replace(/[\da-f]{16}/, "<hash>"));
      expect(paths.sort()).toEqual([
        "/docs",
        "/docs/assets/<hash>/reference.css",
        "/docs/assets/<hash>/show-reference.mjs",
        "/docs/assets/<hash>/swagger-ui-bundle.js",
        "/docs/assets/<hash>/swagger-ui.css",
        "/openapi.json",
      ]);
      expect(problems).toEqual([]);
    });

    it("shows what an operation takes and answers, and asks it of this server as curl would", async () => {
      const { page, problems } = await opened;
      const operation = await openOperation(page, "balances-getBalances");
      expect(await textOf(operation)).toContain("TOKEN_NOT_TRACKED");
      expect(new URL(page.url()).hash).toBe("#/balances/getBalances");
      await operation.locator("[data-param-name=token] input").fill(PLAIN);
      await operation.locator("[data-param-name=blockNumber] input").fill("112");
      const { status, shown, curl } = await execute(operation);
      const path = `/balances/${PLAIN}?blockNumber=112`;
      const direct = await fetch(`${origins.open}${path}`);
      expect([status, direct.status]).toEqual(["200", 200]);
      expect(JSON.parse(shown)).toEqual(await direct.json());
      expect(shown).toContain(ALICE);
      expect(curl).toContain(`${origins.open}${path}`);
      await operation.getByRole("button", { name: "Clear" }).click();
      expect(problems).toEqual([]);
    });

    it("breaks no rule of axe in light colours and in dark, opened and asked", async () => {
      const { page, problems } = await opened;
      await openOperation(page, "balances-postBalances");
      await execute(await openOperation(page, "service-getHealth"));
      await expectNoViolation(page);
      await page.locator(".auth-wrapper > .authorize").click();
      await page.getByRole("dialog").locator(".modal-ux").waitFor();
      await expectNoViolation(page, { within: ".dialog-ux" });
      expect(problems).toEqual([]);
    });

    it("opens the operation that its address names", async () => {
      const { page, problems } = await open(`${origins.open}/docs#/service/getHealth`);
      await page.locator("#operations-service-getHealth.is-open .try-out__btn").waitFor();
      expect(await page.locator(".opblock.is-open").count()).toBe(1);
      expect(problems).toEqual([]);
      await page.context().close();
    });

    it("opens without a key where keys are needed, and sends the one that is entered", async () => {
      const { page, problems } = await open(`${origins.keyed}/docs`);
      const operation = await openOperation(page, "balances-getBalances");
      await operation.locator("[data-param-name=token] input").fill(PLAIN);
      await operation.locator("[data-param-name=blockNumber] input").fill("112");
      const refused = await execute(operation);
      expect(refused.status).toMatch(/^401/);
      expect(refused.shown).toContain("API_KEY_NEEDED");
      // Chromium itself names every refusal on the console
      expect(problems.splice(0)).toEqual([expect.stringContaining("status of 401")]);
      await page.locator(".auth-wrapper > .authorize").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("apiKey value").or(dialog.locator("input")).first().fill(KEY);
      await dialog.getByRole("button", { name: "Authorize" }).first().click();
      await dialog.locator(".close-modal").click();
      const answer = page.waitForResponse((response) => response.url().includes("/balances/"));
      await operation.getByRole("button", { name: "Execute" }).click();
      expect((await answer).status()).toBe(200);
      await operation.locator(".live-responses-table", { hasText: ALICE }).waitFor();
      expect(problems).toEqual([]);
      await page.context().close();
    });
  });

  describe("GraphiQL", () => {
    /** The package's own: the colours of its title and of comments in its editor, and a tab's buttons within the tab. */
    const THEIRS = ["color-contrast", "nested-interactive"];

    it("runs the query that it opens with, loads nothing besides, and has no fault of ours that axe finds", async () => {
      const { page, problems, requests } = await open(`${origins.open}/graphql`);
      const run = page.getByRole("button", { name: /^Execute query/ });
      await run.waitFor();
      const answer = page.waitForResponse(
        (response) => response.request().postData()?.includes("lastSyncedBlock") ?? false,
      );
      await run.click();
      const { status, body } = await answer.then(async (one) => ({ status: one.status(), body: await one.json() }));
      expect(status).toBe(200);
      const { data } = await gateway.graphql(
        "{ status { state lastSyncedBlock } tokens(first: 10) { nodes { address symbol decimals totalSupplyDecimal } } }",
      );
      expect(body).toEqual({ data });
      await page.locator(".result-window", { hasText: PLAIN }).waitFor();
      const paths = requests.filter((url) => url.startsWith("http")).map((url) => new URL(url).pathname);
      expect([...new Set(paths)]).toEqual(["/graphql"]);
      expect(problems).toEqual([]);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const rules = colorScheme === "dark" ? RULES_OF_COLOURS.filter((id) => !THEIRS.includes(id)) : undefined;
        expect(await violationsOf(page, { except: THEIRS, only: rules }), colorScheme).toEqual([]);
      }
      await page.context().close();
    });
  });
});
