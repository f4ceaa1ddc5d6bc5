// What Node's server knows of a request, without an object of the web's making: building one with all headers takes as long
// as a good part of a short answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";

/** What the server of @hono/node-server puts beside a request; tests without a socket have none. */
interface NodeRequest {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
}

export const nodeRequest = (c: Context): NodeRequest => (c.env as NodeRequest | undefined) ?? {};

/** `name` in lower case; several of one name are one, joined by commas. */
export function requestHeader(c: Context, name: string): string | undefined {
  const { incoming } = nodeRequest(c);
  if (!incoming) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/**
 * Aborted when the client leaves before it has its answer. The request's own signal would build the whole request again in another
 * shape, with a stream for its body, which takes longer than a short answer.
 */
export function clientGone(c: Context): AbortSignal {
  const { outgoing } = nodeRequest(c);
  if (!outgoing) return c.req.raw.signal;
  const leaving = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
