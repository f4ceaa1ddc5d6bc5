// Both skins in one HTTP server: request ids, CORS, logs and errors are the same for all routes.
import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { methodNotAllowed } from "hono/method-not-allowed";
import { matchedRoutes } from "hono/route";
import type { Logger } from "pino";
import type { Service } from "./context.ts";
import { errorBody, GatewayError, NotFoundError, publicError } from "./errors.ts";
import { createGraphiql } from "./graphiql/graphiql.ts";
import { graphqlSkin } from "./graphql/yoga.ts";
import { Answer, addHeaders } from "./http/answer.ts";
import { limitBody } from "./http/body-limit.ts";
import { compression } from "./http/compression.ts";
import { type AccessSettings, guard, OPEN_ACCESS } from "./http/guard.ts";
import { isBrowser } from "./http/is-browser.ts";
import { nodeRequest, requestHeader } from "./http/node-request.ts";
import { MOST_HEADER_BYTES, refuseUnreadable } from "./http/unreadable-request.ts";
import { requestSeconds } from "./instruments.ts";
import type { Pages } from "./pages/pages.tsx";
import { restRoutes } from "./rest/routes.ts";
import type { Lasting } from "./subscriptions/feeds.ts";

/** To a browser that asks whether it may ask; it need not ask again for a day. */
const answerPreflight = cors({ origin: "*", allowMethods: ["GET", "HEAD", "POST", "OPTIONS"], maxAge: 86_400 });

type App = Hono<{ Variables: { requestId: string } }>;

interface AppSettings extends Lasting {
  /** Without it anybody may ask anything, as often as they like. */
  access?: AccessSettings;
  /** The explorer; without it there are no pages but the reference and GraphiQL. */
  pages?: Pages;
}

/** The whole HTTP surface, without a port. */
export function createApp(service: Service, log: Logger, { access, pages, ...lasting }: AppSettings = {}): App {
  // a slash at a path's end changes nothing, as in the servers whose clients we have
  const app: App = new Hono({ strict: false });
  const answerGraphql = graphqlSkin(service, log, lasting);

  app.use(async (c, next) => {
    const started = performance.now();
    const given = requestHeader(c, "x-request-id");
    const requestId = given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    c.set("requestId", requestId);
    await addHeaders(c, requestId, next);
    // node-server drops the body of an answer whose client has left, and does not cancel it
    if (nodeRequest(c).outgoing?.destroyed) await c.res.body?.cancel();
    const seconds = (performance.now() - started) / 1000;
    const { method } = c.req;
    requestSeconds.observe({ route: routeOf(c), method, status: c.res.status }, seconds);
    const milliseconds = Math.round(seconds * 10_000) / 10;
    log.info({ requestId, method, path: c.req.path, status: c.res.status, ms: milliseconds }, "answered");
  });
  // any page may ask anything
  app.use((c, next) => (c.req.method === "OPTIONS" ? answerPreflight(c, next) : next()));
  app.use(guard(access ?? OPEN_ACCESS));
  app.use(compression);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  app.get("/graphql", createGraphiql());
  app.on(["GET", "POST"], ["/graphql"], limitBody, answerGraphql);
  app.route("/", restRoutes(service));
  if (pages) app.route("/", pages.routes(service));
  // Answered, not thrown: methodNotAllowed never sees what is thrown.
  app.notFound((c) => {
    const error = new NotFoundError("There is nothing at this path. See /docs, /status and /graphql.");
    return pages && isBrowser(c) ? pages.refuse(c, service, error) : c.json(errorBody(error), 404);
  });
  app.onError((error, c) => {
    const shown = publicError(error);
    if (shown.status === 500) log.error({ err: error, requestId: c.get("requestId") }, "a request failed");
    if (shown.status === 401) c.header("WWW-Authenticate", 'Bearer realm="tidemark"');
    // the rest of the body is not read, so the connection cannot carry another request
    if (shown.status === 413) c.header("Connection", "close");
    if (shown.retryAfterSeconds !== undefined) c.header("Retry-After", String(shown.retryAfterSeconds));
    return pages?.isPage(c) ? pages.refuse(c, service, shown) : c.json(errorBody(shown), shown.status);
  });
  return app;
}

const EVERY_PATH = "/*";

/** The pattern of the route that was asked for; handlers of every path may stand behind it. */
const routeOf = (c: Context): string =>
  matchedRoutes(c).findLast(({ path }) => path !== EVERY_PATH)?.path ?? EVERY_PATH;

function wrongMethod(c: Context, allowed: string[]): Response {
  const error = new GatewayError(`This path takes ${allowed.join(", ")}.`, { code: "METHOD_NOT_ALLOWED", status: 405 });
  return c.json(errorBody(error), 405, { Allow: allowed.join(", ") });
}

/**
 * Longer than proxies keep an idle connection, mostly a minute: the side that sends requests must close it first, or a request
 * that is on its way then is lost.
 */
const KEEP_ALIVE_MS = 75_000;

/** Listens; resolves when the port is open. */
export function listen(app: App, place: { host: string; port: number }): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: app.fetch,
        hostname: place.host,
        port: place.port,
        serverOptions: {
          ServerResponse: Answer,
          maxHeaderSize: MOST_HEADER_BYTES,
          requestTimeout: 30_000,
          keepAliveTimeout: KEEP_ALIVE_MS,
        },
      },
      () => resolve(server as Server),
    );
    server.on("clientError", refuseUnreadable);
    server.once("error", (error: NodeJS.ErrnoException) => reject(new Error(listenComplaint(place, error))));
  });
}

/** Which setting keeps a server from listening, and what to write. */
function listenComplaint(
  { host, port }: { host: string; port: number },
  { code = "", message }: NodeJS.ErrnoException,
): string {
  if (code === "EADDRINUSE" || code === "EACCES")
    return `PORT=${port}: nothing can listen there (${code}); stop what has it, or take a free port above 1023`;
  if (!/^(EADDRNOTAVAIL|EAFNOSUPPORT|EAI_AGAIN|EINVAL|ENOTFOUND)$/.test(code)) return message;
  return `HOST=${host}: nothing can listen there (${code}); name an address of this machine, or 0.0.0.0 for all of them`;
}
