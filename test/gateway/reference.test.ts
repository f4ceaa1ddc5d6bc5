// The API reference as HTTP: what its page may load, its few files, and that nothing else of the package is served.
import { readFileSync } from "node:fs";
import { get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp, listen } from "../../gateway/server.ts";
import { chainFixture, openGateway } from "../support/gateway-fixture.ts";

const gateway = openGateway("postgres://nobody@127.0.0.1:1/none", chainFixture({ chainId: 31337, startBlock: 0 }));
const root = new URL("../../", import.meta.url);
const ofPackage = (name: string) => readFileSync(new URL(`node_modules/swagger-ui-dist/${name}`, root));
const ask = (path: string, headers: Record<string, string> = {}) => gateway.app.request(path, { headers });

let server: Server;
let page: string;
let urls: string[];
beforeAll(async () => {
  server = await listen(createApp(gateway.service, pino({ level: "silent" })), { host: "127.0.0.1", port: 0 });
  page = await (await ask("/docs")).text();
  urls = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, url]) => url ?? "");
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await gateway.close();
});

/** With the path as it stands: fetch would tidy it up first. */
const statusOf = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    get({ port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).on("error", reject);
  });

describe("the reference page", () => {
  it("loads and runs what this server serves, and nothing that is written into it", async () => {
    const answer = await ask("/docs");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(answer.headers.get("content-security-policy")).toBe(
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; " +
        "frame-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(page).toContain('<html lang="en">');
    expect(page).not.toMatch(/<script>|<script(?![^>]* src="\/docs\/assets\/)|<style|style=|\son\w+=|https?:\/\//);
    expect(urls.map((url) => url.split("/").at(-1))).toEqual([
      "swagger-ui.css",
      "reference.css",
      "swagger-ui-bundle.js",
      "show-reference.mjs",
    ]);
  });

  it("is asked for again each time, and 304 while it is the same", async () => {
    const { headers } = await ask("/docs");
    const etag = headers.get("etag") ?? "";
    expect([headers.get("cache-control"), etag]).toEqual(["no-cache", expect.stringMatching(/^"[\w-]{27}"$/)]);
    const again = await ask("/docs", { "if-none-match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("content-security-policy")).toBe(headers.get("content-security-policy"));
  });
});

describe("the files of the reference page", () => {
  it("are the package's own, at addresses that name their bytes and so for ever", async () => {
    for (const url of urls) {
      const answer = await ask(url);
      const isStyle = url.endsWith(".css");
      expect([answer.status, answer.headers.get("content-type")], url).toEqual([
        200,
        isStyle ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
      ]);
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      const [, , , hash, name] = url.split("/");
      const etag = answer.headers.get("etag") ?? "";
      expect(etag).toBe(`"${hash}"`);
      if (name?.startsWith("swagger-ui"))
        expect(Buffer.from(await answer.arrayBuffer()).equals(ofPackage(name))).toBe(true);
      expect((await ask(url, { "if-none-match": etag })).status).toBe(304);
    }
  });

  it("are sent compressed to clients that accept it", async () => {
    const url = urls.find((one) => one.endsWith("swagger-ui-bundle.js")) ?? "";
    const packed = await ask(url, { "accept-encoding": "br" });
    expect([packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual(["br", "Accept-Encoding"]);
    const bytes = Buffer.from(await packed.arrayBuffer());
    expect(bytes.length).toBeLessThan(500_000);
    expect(brotliDecompressSync(bytes).equals(ofPackage("swagger-ui-bundle.js"))).toBe(true);
    const etag = packed.headers.get("etag") ?? "";
    expect((await ask(url, { "if-none-match": etag, "accept-encoding": "br" })).status).toBe(304);
  });

  it("are these four: no other path reaches a file", async () => {
    const [style = ""] = urls;
    const folder = style.slice(0, style.lastIndexOf("/"));
    const paths = [
      `${folder}/swagger-ui-bundle.js.map`,
      `${folder}/package.json`,
      `${folder}/../../../package.json`,
      `${folder}/%2e%2e/%2e%2e/%2e%2e/package.json`,
      `${folder}/..%2f..%2f..%2fpackage.json`,
      `${folder}/..%5c..%5cpackage.json`,
      `${folder}/swagger-ui.css%00.js`,
      "/docs/assets/0000000000000000/swagger-ui.css",
      "/docs/assets//etc/passwd",
      "/docs/assets/swagger-ui.css",
      "/docs/swagger-ui.css",
      "/docs/../package.json",
    ];
    expect(await statusOf(style)).toBe(200);
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 404]);
  });
});

describe("the package that the reference is made with", () => {
  const lock = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8")) as {
    packages: Record<string, { dependencies?: Record<string, string> }>;
  };

  it("is installed without the one beside it that reports installations to a company", () => {
    expect(lock.packages["node_modules/swagger-ui-dist"]).toBeDefined();
    expect(lock.packages["node_modules/swagger-ui-dist"]?.dependencies).toBeUndefined();
    expect(Object.keys(lock.packages).filter((path) => path.includes("@scarf"))).toEqual([]);
    const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as { scarfSettings: unknown };
    expect(manifest.scarfSettings).toEqual({ enabled: false });
  });
});
