// Whether the client is still there. Reading a request's own signal would build the whole request again in another shape,
// with a stream for its body, which takes longer than a short answer.
import type { Context } from "hono";
import { nodeRequest } from "./node-request.ts";

/** Aborted when the client leaves before it has its answer. */
export function clientGone(c: Context): AbortSignal {
  const { outgoing } = nodeRequest(c);
  if (!outgoing) return c.req.raw.signal;
  const leaving = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
