// GraphiQL on /graphql is one page that a browser can run with nothing but this gateway to ask.
import { createHash } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp, listen } from "../../gateway/server.ts";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));
/** As Chromium asks when somebody types the address. */
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

let server: Server;
let url: string;
beforeAll(async () => {
  server = await listen(createApp(gateway.service, pino({ level: "silent" })), { host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await gateway.close();
});

const open = (headers: Record<string, string> = {}, method = "GET") =>
  fetch(url, { method, headers: { ...BROWSER, ...headers } });

describe("GraphiQL", () => {
  it("has all of its scripts and styles in the page, and loads nothing from anywhere else", async () => {
    const answer = await open();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const page = await answer.text();
    expect(page).toContain("<title>Tidemark</title>");
    expect(page).toContain("YogaGraphiQL.renderYogaGraphiQL(");
    expect(page).toContain("# How far is the index, and which tokens are there?");
    expect(page).toMatch(/function prepareBlob\(.{0,200}createObjectURL/s);
    const elsewhere = String.raw`(?:https?:|wss?:)?//[^"'\`\s]{1,80}`;
    const loads = new RegExp(
      [
        String.raw`(?:src|srcset|href|action)=[\s"'\`\\]*${elsewhere}`,
        String.raw`(?:import|importScripts|fetch|url|Worker|EventSource|WebSocket)\([\s"'\`\\]*${elsewhere}`,
        String.raw`(?:import|from)\s*["'\`\\]+${elsewhere}`,
      ].join("|"),
      "gi",
    );
    expect([...page.matchAll(loads)].map(([found]) => found)).toEqual([]);
    const elements = [...page.matchAll(/<(?:script|link)\b[^>]{0,200}/g)].map(([tag]) => tag);
    expect(elements.filter((tag) => /\s(?:src|href)=/.test(tag) && !tag.includes('href="data:'))).toEqual([]);
  });

  it("may run its own script and ask this gateway, and nothing else", async () => {
    const answer = await open();
    const page = await answer.text();
    const policy = new Map(
      (answer.headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
        const [name = "", ...sources] = directive.split(" ");
        return [name, sources] as const;
      }),
    );
    const script = page.slice(page.indexOf("<script>") + "<script>".length, page.lastIndexOf("</script>"));
    expect(script.length).toBeGreaterThan(1_000_000);
    // a browser hashes what is left after reading HTML, which changes these
    expect(script).not.toMatch(/[\r\0]|<\/script/i);
    expect(policy.get("script-src")).toEqual([`'sha256-${createHash("sha256").update(script).digest("base64")}'`]);
    expect(policy.get("default-src")).toEqual(["'self'"]);
    for (const name of ["object-src", "frame-src", "media-src", "manifest-src", "form-action", "base-uri"])
      expect(policy.get(name), name).toEqual(["'none'"]);
    expect(policy.get("connect-src")).toEqual(["'self'"]);
    expect(policy.get("worker-src")).toEqual(["blob:"]);
    expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
    expect([...policy.values()].flat().filter((source) => /\*|\/\/|^https?:|unsafe-eval/.test(source))).toEqual([]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("is sent again only to a browser that does not have it, compressed when asked", async () => {
    const [plain, packed, head] = await Promise.all([
      open({ "accept-encoding": "identity" }),
      open({ "accept-encoding": "br" }),
      open({}, "HEAD"),
    ]);
    expect([plain.status, packed.status, head.status]).toEqual([200, 200, 200]);
    expect(packed.headers.get("content-encoding")).toBe("br");
    expect(plain.headers.get("vary")).toBe("Accept, Accept-Encoding");
    expect(await packed.text()).toBe(await plain.text());
    const etag = packed.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{27}-br"$/);
    const again = await open({ "if-none-match": etag, "accept-encoding": "br" });
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
    expect(again.headers.get("content-security-policy")).toBe(plain.headers.get("content-security-policy"));
  });

  it("is not in the way of clients that send a query", async () => {
    for (const accept of ["application/json", "*/*", "application/graphql-response+json"]) {
      const answer = await fetch(`${url}?query={__typename}`, { headers: { accept } });
      expect([answer.status, await answer.json()]).toEqual([200, { data: { __typename: "Query" } }]);
    }
    const posted = await fetch(url, {
      method: "POST",
      headers: { ...BROWSER, "content-type": "application/json" },
      body: JSON.stringify({ query: "{ __typename }" }),
    });
    expect(await posted.json()).toEqual({ data: { __typename: "Query" } });
  });
});
