// The code of a worker thread: renders GraphiQL as one page, with every script and style in it. In the gateway's own thread
// this would hold up requests, and leave 50 MB on a heap that is sized without them.
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import type { GraphiqlPage } from "./graphiql.ts";

const WELCOME = `# How far is the index, and which tokens are there?
# Who held how much of one of them: balances(token: "0x…", block: { number: 1200 }) { nodes { account total } }
{
  status { state lastSyncedBlock }
  tokens(first: 10) { nodes { address symbol decimals totalSupplyDecimal } }
}
`;

const digest = (text: string, encoding: "base64" | "base64url") => createHash("sha256").update(text).digest(encoding);

const ROOT = '<div id="root"></div>';
/** For screen readers: a heading, and a link past it to the main part of the page. */
const LANDMARKS =
  '<header style="position: absolute; width: 1px; height: 1px; overflow: hidden"><h1>Tidemark in GraphQL</h1></header>' +
  '<main id="root"></main>';

const html = renderGraphiQL({ title: "Tidemark", defaultQuery: WELCOME }).replace(ROOT, LANDMARKS);
const script = html.slice(html.indexOf("<script>") + "<script>".length, html.lastIndexOf("</script>"));

/** Allows its own script, by hash, and requests to this gateway. The editor writes styles, and starts workers out of the script. */
const policy = [
  "default-src 'self'",
  `script-src 'sha256-${digest(script, "base64")}'`,
  "worker-src blob:",
  "style-src 'unsafe-inline'",
  "font-src data:",
  "img-src data:",
  "connect-src 'self'",
  "frame-src 'none'",
  "object-src 'none'",
  "media-src 'none'",
  "manifest-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const page: GraphiqlPage = {
  body: new TextEncoder().encode(html),
  policy,
  etag: `"${digest(html, "base64url").slice(0, 27)}"`,
};
parentPort?.postMessage(page, [page.body.buffer]);
