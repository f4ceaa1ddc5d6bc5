// Any page may ask anything and read what it is told. Headers are added to an answer that is there: a header set before
// would have every answer built a second time around a stream of its body.
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

const EXPOSED = [
  "ETag",
  "X-Block-Number",
  "X-Token-Flags",
  "X-Incomplete",
  "X-Sampled-Blocks",
  "X-Request-Id",
  "Retry-After",
];

/** How long a browser need not ask again whether it may ask. */
const PREFLIGHT_SECONDS = 86_400;

const preflight = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "OPTIONS"],
  exposeHeaders: EXPOSED,
  maxAge: PREFLIGHT_SECONDS,
});

export const allowOrigins: MiddlewareHandler = async (c, next) => {
  if (c.req.method === "OPTIONS") return preflight(c, next);
  await next();
  const { headers } = c.res;
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", EXPOSED.join(","));
};
