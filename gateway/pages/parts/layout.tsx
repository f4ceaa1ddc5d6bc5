// What stands around every page: the product, search, where to go, and how far the index is.

import { html, raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { ChainFile } from "../../../chains/chain-file.ts";
import { linksOf } from "../place.ts";
import { assets } from "../served-assets.ts";
import { Count } from "./shown-number.tsx";

interface LayoutProps {
  title: string;
  chain: ChainFile;
  chains: readonly ChainFile[];
  /** The newest block; undefined where the page does not know it. */
  head: number | undefined;
  url: URL;
  children?: Child;
}

export function Layout({ title, chain, chains, head, url, children }: LayoutProps) {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${chain.name} · Tidemark`}</title>
        <link rel="icon" href={assets.icon.url} />
        <link rel="stylesheet" href={assets.style.url} />
        <script type="module" src={assets.script.url} data-charts={assets.charts.url} data-chain={chain.chainId} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the page
        </a>
        <Header chain={chain} chains={chains} head={head} url={url} />
        <main id="main" tabindex={-1} aria-live="off">
          {children}
        </main>
        <footer>
          <p>
            Tidemark: who held how much of a token at a block, wherever it sat. Every page is a URL that names chain and
            block; every number leads to the query that gives it.
          </p>
          <p>
            <a href="/docs">API reference</a> · <a href="/graphql">GraphiQL</a> · <a href="/openapi.json">OpenAPI</a> ·{" "}
            <a href={linksOf(chain).to("status")}>Status</a>
          </p>
        </footer>
      </body>
    </html>
  );
  return html`${raw("<!doctype html>")}${page}`;
}

function Header({ chain, chains, head, url }: Omit<LayoutProps, "title" | "children">) {
  const links = linksOf(chain);
  const places = [
    { name: "Home", href: links.home },
    { name: "Tokens", href: links.to("tokens") },
    { name: "Vaults", href: links.to("vaults") },
    { name: "Launches", href: links.to("launches") },
    { name: "Quote", href: links.to("quote") },
    { name: "Status", href: links.to("status") },
    { name: "API", href: "/docs" },
    { name: "GraphiQL", href: "/graphql" },
  ];
  const isHere = (href: string) => url.pathname === href || (url.pathname === "/" && href === links.home);
  return (
    <header>
      <div class="bar">
        <a class="brand" href={links.home}>
          <img src={assets.icon.url} alt="" width={22} height={22} /> Tidemark
        </a>
        <form class="search" action={links.to("search")} method="get">
          <label class="sr" for="q">
            Address or symbol
          </label>
          <input
            id="q"
            name="q"
            type="search"
            maxlength={200}
            placeholder="Address, or symbol of a token"
            value={url.searchParams.get("q") ?? ""}
            autocomplete="off"
            spellcheck={false}
          />
          <button type="submit">Search</button>
        </form>
        <p class="head">
          <Chains chain={chain} chains={chains} /> <span class="quiet">head</span>{" "}
          <output data-head={head ?? ""}>{head === undefined ? "…" : <Count count={head} />}</output>
        </p>
      </div>
      <nav aria-label="Explorer">
        {places.map(({ name, href }) => (
          <a href={href} aria-current={isHere(href) ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** The chain shown; where several are served, the others as links. */
function Chains({ chain, chains }: Pick<LayoutProps, "chain" | "chains">) {
  if (chains.length === 1) return <b>{chain.name}</b>;
  return (
    <>
      {chains.map((one) => (
        <>{one.chainId === chain.chainId ? <b>{one.name}</b> : <a href={linksOf(one).home}>{one.name}</a>} </>
      ))}
    </>
  );
}
