// The API reference at /docs: Swagger UI over /openapi.json, from this server alone.
import { createHash } from "node:crypto";
import { type Handler, Hono } from "hono";
import { isMatch } from "../../http/etags.ts";
import { answerAsset, referenceAssets } from "./reference-assets.ts";

const { packageStyle, ownStyle, packageScript, ownScript } = referenceAssets;

/** Scripts, styles and answers of this server. The package's style has its icons in it. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference – Tidemark</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${packageStyle.url}">
<link rel="stylesheet" href="${ownStyle.url}">
<script src="${packageScript.url}" defer></script>
<script src="${ownScript.url}" type="module"></script>
</head>
<body>
<div id="reference"></div>
<noscript><p>This page is made of <a href="/openapi.json">/openapi.json</a> by a script. Without it, read that document.</p></noscript>
</body>
</html>
`;

const ETAG = `"${createHash("sha256").update(PAGE).digest("base64url").slice(0, 27)}"`;

const answerPage: Handler = (c) => {
  const headers = { ETag: ETAG, "Cache-Control": "no-cache", "Content-Security-Policy": POLICY };
  return isMatch(c.req.header("if-none-match"), ETAG) ? c.body(null, 304, headers) : c.html(PAGE, 200, headers);
};

/** To be mounted at `/docs`, as the page's addresses say. */
export const referenceRoutes = (): Hono => new Hono().get("/", answerPage).get("/assets/:hash/:name", answerAsset);
