// The files that the reference page loads: a fixed few, read once, at addresses that change with what is in them.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Handler } from "hono";
import { NotFoundError } from "../../errors.ts";
import { isMatch } from "../validators.ts";

const FOLDER = "/docs/assets";
const STYLE = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

interface Asset {
  /** Path on this server. */
  url: string;
  type: string;
  etag: string;
  body: Uint8Array<ArrayBuffer>;
}

function asset(name: string, type: string, file: string): Asset {
  const body = new Uint8Array(readFileSync(new URL(file)));
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { url: `${FOLDER}/${hash}/${name}`, type, etag: `"${hash}"`, body };
}

const ofPackage = (name: string): string => import.meta.resolve(`swagger-ui-dist/${name}`);
const own = (name: string): string => new URL(name, import.meta.url).href;

export const referenceAssets = {
  packageStyle: asset("swagger-ui.css", STYLE, ofPackage("swagger-ui.css")),
  ownStyle: asset("reference.css", STYLE, own("reference.css")),
  packageScript: asset("swagger-ui-bundle.js", SCRIPT, ofPackage("swagger-ui-bundle.js")),
  ownScript: asset("show-reference.mjs", SCRIPT, own("show-reference.mjs")),
} as const;

const byUrl: ReadonlyMap<string, Asset> = new Map(Object.values(referenceAssets).map((one) => [one.url, one]));

/**
 * Answers an asset by its whole path: no part of a request is ever used as a file name.
 * @throws NotFoundError for any other path, that of another version too
 */
export const answerAsset: Handler = (c) => {
  const found = byUrl.get(c.req.path);
  if (!found) throw new NotFoundError("The reference page has no such file now. Load /docs again.");
  const { etag, type, body } = found;
  const headers = { ETag: etag, "Cache-Control": "public, max-age=31536000, immutable", "Content-Type": type };
  return isMatch(c.req.header("if-none-match"), etag) ? c.body(null, 304, headers) : c.body(body, 200, headers);
};
