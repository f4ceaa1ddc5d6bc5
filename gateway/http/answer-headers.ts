// Headers of every answer: its id, what lets any page read it, and what keeps a browser from doing more with it than showing it.
import type { OutgoingHttpHeaders } from "node:http";
import { isCompressible } from "./compression.ts";

const EXPOSED = [
  "ETag",
  "X-Block-Number",
  "X-Block-Hash",
  "X-Token-Flags",
  "X-Incomplete",
  "X-Request-Id",
  "Retry-After",
];

/** Pages have a policy of their own; data are never a page. Strict transport security is up to the proxy that ends TLS. */
const ALWAYS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED.join(","),
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** `given`, by a route, with what every answer has; all names are in lower case. */
export function completeHeaders(
  { status, requestId }: { status: number; requestId: string | undefined },
  given: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ...ALWAYS };
  if (requestId !== undefined) headers["x-request-id"] = requestId;
  for (const name in given) headers[name.toLowerCase()] = given[name];
  // an answer without a body has no type: node-server sets one, and a cache would add it to the answer that it stored (RFC 9111, 3.2)
  if (status === NO_CONTENT || status === NOT_MODIFIED) delete headers["content-type"];
  if (status !== NO_CONTENT && isCompressible(status, headers["content-type"]))
    headers.vary = headers.vary === undefined ? "Accept-Encoding" : `${headers.vary}, Accept-Encoding`;
  return headers;
}
