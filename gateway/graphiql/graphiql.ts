// GraphiQL for a browser that opens /graphql. It loads nothing from anywhere else, so it is there without internet too.
import { Worker } from "node:worker_threads";
import type { Context, MiddlewareHandler } from "hono";
import { isMatch } from "../http/etags.ts";
import { isBrowser } from "../http/is-browser.ts";

export interface GraphiqlPage {
  body: Uint8Array<ArrayBuffer>;
  /** What the page may load and run. */
  policy: string;
  etag: string;
}

/** The page is rendered for the first browser that opens it, once. A request that does not want a page is a query, and is passed on. */
export function createGraphiql(): MiddlewareHandler {
  let rendered: Promise<GraphiqlPage> | undefined;
  return async (c, next) => {
    if (!isBrowser(c)) return next();
    rendered ??= render();
    const page = await rendered.catch((error: unknown) => {
      rendered = undefined;
      throw error;
    });
    return respond(c, page);
  };
}

function respond(c: Context, { body, policy, etag }: GraphiqlPage): Response {
  const headers = { ETag: etag, "Cache-Control": "no-cache", "Content-Security-Policy": policy, Vary: "Accept" };
  if (isMatch(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
  return c.body(body, 200, { ...headers, "Content-Type": "text/html; charset=utf-8" });
}

function render(): Promise<GraphiqlPage> {
  const thread = new Worker(new URL("./graphiql-page.ts", import.meta.url));
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) =>
      reject(new Error(`the page of GraphiQL was not rendered: its thread ended with ${code}`)),
    );
  });
}
