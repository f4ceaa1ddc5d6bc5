// Whether the client is still there. A request's own signal would have all of the request built anew in another shape,
// with a stream for its body, which takes longer than a short answer.
import type { ServerResponse } from "node:http";
import type { Context } from "hono";

/** What the server of @hono/node-server puts beside a request; tests without a socket have none. */
type NodeBindings = { outgoing?: ServerResponse } | undefined;

/** Aborted when the client leaves before it has its answer. */
export function clientGone(c: Context): AbortSignal {
  const outgoing = (c.env as NodeBindings)?.outgoing;
  if (!outgoing) return c.req.raw.signal;
  const leaving = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
