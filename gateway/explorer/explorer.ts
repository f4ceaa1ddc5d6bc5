// GraphiQL for a browser that opens /graphql. It loads nothing from anywhere else, so it is there without internet too.
import { Worker } from "node:worker_threads";
import type { Context, MiddlewareHandler } from "hono";
import { isKnown } from "../rest/validators.ts";

export interface ExplorerPage {
  body: Uint8Array<ArrayBuffer>;
  /** What the page may load and run. */
  policy: string;
  etag: string;
}

const isBrowser = (c: Context): boolean =>
  ["GET", "HEAD"].includes(c.req.method) && (c.req.header("accept")?.includes("text/html") ?? false);

/** Whoever does not ask for a page asks a query. */
export function explorer(): MiddlewareHandler {
  /** Made for the first one who asks; the same for all. */
  let made: Promise<ExplorerPage> | undefined;
  return async (c, next) => {
    if (!isBrowser(c)) return next();
    made ??= make();
    const { body, policy, etag } = await made.catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    const headers = { ETag: etag, "Cache-Control": "no-cache", "Content-Security-Policy": policy, Vary: "Accept" };
    if (isKnown(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
    return c.body(body, 200, { ...headers, "Content-Type": "text/html; charset=utf-8" });
  };
}

function make(): Promise<ExplorerPage> {
  const thread = new Worker(new URL("./explorer-page.ts", import.meta.url));
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`the explorer's page was not made: its thread ended with ${code}`)));
  });
}
