// The explorer's style, script, icon and chart library: a few files, read once, under URLs that change with what is in them.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Hono } from "hono";
import { NotFoundError } from "../errors.ts";
import { ROOT } from "./place.ts";

interface Asset {
  url: string;
  type: string;
  body: Uint8Array<ArrayBuffer>;
}

const own = (name: string): string => fileURLToPath(new URL(`assets/${name}`, import.meta.url));
const charts = join(dirname(createRequire(import.meta.url).resolve("uplot")));

function asset(name: string, type: string, files: readonly string[]): Asset {
  const body = new TextEncoder().encode(files.map((file) => readFileSync(file, "utf8")).join("\n"));
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { url: `${ROOT}/assets/${hash}/${name}`, type, body };
}

export const assets = {
  style: asset("style.css", "text/css; charset=utf-8", [own("style.css"), join(charts, "uPlot.min.css")]),
  script: asset("explorer.mjs", "text/javascript; charset=utf-8", [own("explorer.mjs")]),
  /** Loaded by the script, on pages with charts. */
  charts: asset("uplot.js", "text/javascript; charset=utf-8", [join(charts, "uPlot.iife.min.js")]),
  icon: asset("icon.svg", "image/svg+xml", [own("icon.svg")]),
} as const;

/** @throws NotFoundError for what is of another version */
export function assetRoutes(): Hono {
  const byUrl = new Map<string, Asset>(Object.values(assets).map((one) => [one.url, one]));
  return new Hono().get("/:hash/:name", (c) => {
    const found = byUrl.get(c.req.path);
    if (!found) throw new NotFoundError("This file is of another version of the explorer. Load the page again.");
    return c.body(found.body, 200, {
      "Content-Type": found.type,
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  });
}
