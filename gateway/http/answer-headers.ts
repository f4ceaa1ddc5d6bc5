// Headers of every answer: its id, what lets any page read it, and what keeps a browser from doing more with it than showing it.
// They are added where Node writes the head of the answer. Adding them to web headers, as routes add theirs, takes a tenth of
// what a short answer takes. There, too, an answer is broken off whose rows have failed.
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Context, Next } from "hono";
import { isCompressible } from "./compression.ts";
import { nodeRequest } from "./node-request.ts";

const EXPOSED = [
  "ETag",
  "X-Block-Number",
  "X-Token-Flags",
  "X-Incomplete",
  "X-Sampled-Blocks",
  "X-Request-Id",
  "Retry-After",
];

/** Pages have a policy of their own; data are never a page. Strict transport security is the business of whoever ends TLS. */
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

/** `given`, by a route, with what every answer has; all names are in lower case. */
function completeHeaders(
  { status, requestId }: { status: number; requestId: string | undefined },
  given: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ...ALWAYS };
  if (requestId !== undefined) headers["x-request-id"] = requestId;
  for (const name in given) headers[name.toLowerCase()] = given[name];
  if (status !== NO_CONTENT && isCompressible(status, headers["content-type"]))
    headers.vary = headers.vary === undefined ? "Accept-Encoding" : `${headers.vary}, Accept-Encoding`;
  return headers;
}

/** What the server makes for each request in the place of Node's own. */
export class Answer<Incoming extends IncomingMessage = IncomingMessage> extends ServerResponse<Incoming> {
  requestId: string | undefined;
  #isStreamed = false;

  /** The server of @hono/node-server gives headers as an object, if any, and no message. */
  override writeHead(status: number, ...given: unknown[]): this {
    const headers = given.find((part) => typeof part === "object") as OutgoingHttpHeaders | undefined;
    return super.writeHead(status, completeHeaders({ status, requestId: this.requestId }, headers ?? {}));
  }

  override flushHeaders(): void {
    this.#isStreamed = true;
    super.flushHeaders();
  }

  override write(...given: unknown[]): boolean {
    this.#isStreamed = true;
    return super.write(...(given as Parameters<ServerResponse["write"]>));
  }

  /**
   * Behind the pieces of a stream that failed, @hono/node-server (1.19.5, `handleResponseError`) writes the error and ends the
   * answer, which a client would take for whole. It is broken off instead; a stream that did not fail ends without a last piece.
   */
  override end(...given: unknown[]): this {
    const isFailed = this.#isStreamed && typeof given[0] === "string";
    return isFailed ? this.destroy() : super.end(...(given as Parameters<ServerResponse["end"]>));
  }
}

/** Has the answer to come given its headers, `requestId` among them. */
export async function addHeaders(c: Context, requestId: string, next: Next): Promise<void> {
  const { outgoing } = nodeRequest(c);
  if (outgoing instanceof Answer) {
    outgoing.requestId = requestId;
    return next();
  }
  // Without a socket, as in tests, nobody writes a head. One header before the answer is there makes it keep those added later.
  c.header("X-Request-Id", requestId);
  await next();
  const { headers, status } = c.res;
  for (const [name, value] of Object.entries(completeHeaders({ status, requestId }, Object.fromEntries(headers))))
    headers.set(name, String(value));
}
