// The explorer's style, script, icon and chart library.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Hono } from "hono";
import { NotFoundError } from "../errors.ts";
import { answerFile, SCRIPT, type ServedFile, STYLE, servedFile } from "../http/served-files.ts";
import { ROOT } from "./place.ts";

const own = (name: string): URL => new URL(`assets/${name}`, import.meta.url);
const charts = join(dirname(createRequire(import.meta.url).resolve("uplot")));

const asset = (name: string, type: string, files: readonly (string | URL)[]): ServedFile =>
  servedFile({ folder: `${ROOT}/assets`, name, type }, files);

export const assets = {
  style: asset("style.css", STYLE, [own("style.css"), own("forms.css"), join(charts, "uPlot.min.css")]),
  script: asset("explorer.mjs", SCRIPT, [own("explorer.mjs")]),
  /** Loaded by the script, on pages with charts. */
  charts: asset("uplot.js", SCRIPT, [join(charts, "uPlot.iife.min.js")]),
  icon: asset("icon.svg", "image/svg+xml", [own("icon.svg")]),
} as const;

/** @throws NotFoundError for what is of another version */
export function assetRoutes(): Hono {
  const byUrl = new Map<string, ServedFile>(Object.values(assets).map((one) => [one.url, one]));
  return new Hono().get("/:hash/:name", (c) => {
    const found = byUrl.get(c.req.path);
    if (!found) throw new NotFoundError("This file is of another version of the explorer. Load the page again.");
    return answerFile(c, found);
  });
}
