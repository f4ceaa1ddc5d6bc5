// A thread's whole work: GraphiQL as one page, with every script and style in it. Rendered in the gateway's own thread
// it would hold up requests, and leave 50 MB on a heap that is sized without them.
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import type { GraphiqlPage } from "./graphiql.ts";

const WELCOME = `# Who held how much of a token at a block?
{
  status { state lastSyncedBlock }
  tokens(first: 10) { nodes { address symbol decimals totalSupplyDecimal } }
}
`;

const digest = (text: string, encoding: "base64" | "base64url") => createHash("sha256").update(text).digest(encoding);

const html = renderGraphiQL({ title: "Tidemark", defaultQuery: WELCOME });
const script = html.slice(html.indexOf("<script>") + "<script>".length, html.lastIndexOf("</script>"));

/** Its own script by its hash, and this gateway to ask. The editor writes styles, and starts workers out of the script. */
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
