// Headers that keep a browser from doing more with an answer than showing it.
import type { MiddlewareHandler } from "hono";

const ALWAYS: readonly (readonly [string, string])[] = [
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Resource-Policy", "cross-origin"],
];

/** Data is never a page. */
const FOR_DATA = "default-src 'none'; frame-ancestors 'none'";

/**
 * Pages say themselves what they load and run. Strict transport security is the business of
 * whoever ends TLS.
 */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers } = c.res;
  for (const [name, value] of ALWAYS) headers.set(name, value);
  if (!headers.has("content-security-policy")) headers.set("Content-Security-Policy", FOR_DATA);
};
