// Whether somebody looks at the answer in a browser, who is shown a page.
import type { Context } from "hono";

export const isBrowser = (c: Context): boolean =>
  ["GET", "HEAD"].includes(c.req.method) && (c.req.header("accept")?.includes("text/html") ?? false);
