// What a page weighs on its way to a browser, with everything that it loads at first: as this server sends it, compressed.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../gateway/pages/pages.tsx";
import { createApp } from "../../gateway/server.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { triedPages } from "./pages.ts";
import { openSeededGateway, seededChain } from "./seeded-index.ts";

/** Bytes. */
const MOST_AT_FIRST = 100_000;
const MOST_SCRIPT = 40_000;

let gateway: TestGateway;
let app: ReturnType<typeof createApp>;

beforeAll(() => {
  gateway = openSeededGateway();
  app = createApp(gateway.service, pino({ level: "silent" }), { pages });
});
afterAll(() => gateway.close());

interface Loaded {
  path: string;
  bytes: number;
}

async function load(path: string): Promise<Loaded & { text: string }> {
  const ask = (headers: Record<string, string>) => app.request(path, { headers: { accept: "text/html", ...headers } });
  const sent = await ask({ "accept-encoding": "gzip" });
  // the icon is a picture to the server, and too small to matter
  if (!path.endsWith(".svg")) expect([path, sent.headers.get("content-encoding")]).toEqual([path, "gzip"]);
  const bytes = (await sent.arrayBuffer()).byteLength;
  return { path, bytes, text: await (await ask({})).text() };
}

/** The page, its style, scripts, icon and chart library, and the parts that its script fetches by itself. */
async function loadAtFirst(path: string): Promise<Loaded[]> {
  const page = await load(path);
  const assets = [...new Set(page.text.match(/\/explore\/assets\/[\w./-]+/g) ?? [])];
  const later = [...page.text.matchAll(/data-later="([^"]+)"/g)].map(
    ([, href]) => href?.replaceAll("&amp;", "&") ?? "",
  );
  return [page, ...(await Promise.all([...assets, ...later].map(load)))];
}

const sum = (many: readonly Loaded[]): number => many.reduce((all, { bytes }) => all + bytes, 0);

describe("every page", () => {
  it("weighs at most 100 kB at first, 40 kB of it script", async () => {
    const weights: string[] = [];
    for (const { path, name } of await triedPages(seededChain().name)) {
      const loaded = await loadAtFirst(path);
      const script = loaded.filter(({ path: part }) => part.includes("/assets/") && /js$/.test(part));
      weights.push(`${name} ${(sum(loaded) / 1_000).toFixed(1)}`);
      expect(script.length, path).toBeGreaterThan(1);
      expect(sum(script), path).toBeLessThanOrEqual(MOST_SCRIPT);
      expect(sum(loaded), path).toBeLessThanOrEqual(MOST_AT_FIRST);
    }
    console.log(`kB at first: ${weights.join(", ")}`);
  });
});
