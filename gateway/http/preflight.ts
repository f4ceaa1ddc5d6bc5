// Any page may ask anything: the answer to a browser's CORS preflight.
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** How long a browser need not ask again whether it may ask. */
const PREFLIGHT_SECONDS = 86_400;

const answerPreflight = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "OPTIONS"],
  maxAge: PREFLIGHT_SECONDS,
});

export const preflight: MiddlewareHandler = (c, next) =>
  c.req.method === "OPTIONS" ? answerPreflight(c, next) : next();
