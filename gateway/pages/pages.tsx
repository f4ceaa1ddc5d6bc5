// The explorer: which URL shows which view, and what every one of them goes through.
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { ChainFile } from "../../chains/chain-file.ts";
import { RequestScope, type Service } from "../context.ts";
import { type GatewayError, NotFoundError } from "../errors.ts";
import { isBrowser } from "../http/is-browser.ts";
import { clientGone } from "../http/node-request.ts";
import { CommandPrefix } from "./parts/command.tsx";
import { ErrorView } from "./parts/error-view.tsx";
import { Layout } from "./parts/layout.tsx";
import { blockIn, chainNamed, linksOf, ROOT } from "./place.ts";
import { assetRoutes } from "./served-assets.ts";
import type { Page, View, ViewRequest } from "./view.ts";
import { account } from "./views/account.tsx";
import { home } from "./views/home.tsx";
import { launch } from "./views/launch.tsx";
import { launches } from "./views/launch-list.tsx";
import { pool } from "./views/pool.tsx";
import { quoteView } from "./views/quote.tsx";
import { search } from "./views/search.tsx";
import { statusView } from "./views/status.tsx";
import { token } from "./views/token.tsx";
import { tokenHistory } from "./views/token-history.tsx";
import { tokens } from "./views/tokens.tsx";
import { vault } from "./views/vault.tsx";
import { vaults } from "./views/vaults.tsx";

/** Below `/explore/<chain>`. */
const VIEWS: Readonly<Record<string, Page>> = {
  "": home,
  "/launch/:address": launch,
  "/launches": launches,
  "/quote": quoteView,
  "/account/:address": account,
  "/pool/:address": pool,
  "/search": search,
  "/status": statusView,
  "/token/:address": token,
  "/token/:address/history": tokenHistory,
  "/tokens": tokens,
  "/vault/:address": vault,
  "/vaults": vaults,
};

/** Scripts and styles from this server, and nothing written into a page is run. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

/** When the index has moved while a page was made of it. */
const ATTEMPTS = 4;

/** The explorer as the server takes it in. */
export interface Pages {
  routes(service: Service): Hono;
  /** Whether the path is one of the explorer's, so that errors there are pages. */
  isPage(c: Context): boolean;
  refuse(c: Context, service: Service, error: GatewayError): Response | Promise<Response>;
}

const isBelowRoot = (path: string): boolean => path === ROOT || path.startsWith(`${ROOT}/`);

const pageHeaders: MiddlewareHandler = async (c, next) => {
  c.header("Content-Security-Policy", POLICY);
  c.header("Cache-Control", "no-cache");
  await next();
};

async function render(c: Context, service: Service, shown: { page: Page; chain: ChainFile }): Promise<View> {
  const { page, chain: file } = shown;
  const until = performance.now() + service.longestRequestMs;
  const url = new URL(c.req.url);
  const query = (name: string) => c.req.query(name) || undefined;
  for (let attempt = 1; ; attempt++) {
    const scope = new RequestScope(service, clientGone(c), until);
    const request: ViewRequest = {
      links: linksOf(file),
      url,
      query,
      get chain() {
        return scope.chainOf(file);
      },
      isNewest: query("block") === undefined && query("at") === undefined,
      // what is wrong with it is said when the page needs it, beside its field where it has one
      get block() {
        return blockIn({ block: query("block"), at: query("at") });
      },
      param: (name) => c.req.param(name) ?? "",
      ask: (operation, input) => scope.run(operation, input, file.chainId),
    };
    try {
      return await page(request);
    } catch (error) {
      if (!scope.isOutdated || attempt === ATTEMPTS) throw error;
    } finally {
      // the page need not wait for it, and it never fails
      void scope.close();
    }
  }
}

async function answer(c: Context, service: Service, shown: { page: Page; chain: ChainFile }): Promise<Response> {
  const { title, main, at, head = at?.lastSynced, redirect, status } = await render(c, service, shown);
  if (redirect !== undefined) return c.redirect(redirect, 302);
  const { chains } = service;
  const { chain } = shown;
  const layout = { title, chain, chains, head, url: new URL(c.req.url) };
  const page = <Layout {...layout}>{main}</Layout>;
  const prefix = chain.chainId === chains[0].chainId ? "" : `CHAIN=${chain.name} `;
  return c.html(<CommandPrefix.Provider value={prefix}>{page}</CommandPrefix.Provider>, status);
}

function routes(service: Service): Hono {
  const app = new Hono();
  const [first] = service.chains;
  app.route(`${ROOT}/assets`, assetRoutes());
  app.use(`${ROOT}/*`, pageHeaders);
  app.get("/", async (c, next) => {
    c.header("Vary", "Accept");
    if (!isBrowser(c)) return next();
    c.header("Content-Security-Policy", POLICY);
    c.header("Cache-Control", "no-cache");
    return answer(c, service, { page: home, chain: first });
  });
  app.get(ROOT, (c) => c.redirect(linksOf(first).home, 302));
  for (const [path, page] of Object.entries(VIEWS))
    app.get(`${ROOT}/:chain${path}`, (c) => {
      const chain = chainNamed(service, c.req.param("chain") ?? "");
      return answer(c, service, { page, chain });
    });
  app.all(`${ROOT}/*`, () => {
    throw new NotFoundError("There is no page at this address. Search for what you look for, or begin at Home.");
  });
  return app;
}

function refuse(c: Context, service: Service, error: GatewayError): Response | Promise<Response> {
  const named = service.chains.find(({ name, chainId }) => {
    const [, , text] = c.req.path.split("/");
    return name === text || String(chainId) === text;
  });
  const chain = named ?? service.chains[0];
  c.header("Content-Security-Policy", POLICY);
  c.header("Cache-Control", "no-store");
  const url = new URL(c.req.url);
  return c.html(
    <Layout title={`Error ${error.status}`} chain={chain} chains={service.chains} head={undefined} url={url}>
      <ErrorView error={error} requestId={c.get("requestId")} links={linksOf(chain)} url={url} />
    </Layout>,
    error.status,
  );
}

export const pages: Pages = {
  routes,
  isPage: (c) => isBelowRoot(c.req.path) || (c.req.path === "/" && isBrowser(c)),
  refuse,
};
