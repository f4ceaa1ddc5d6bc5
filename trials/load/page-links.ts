// The links of a page and what it loads, from its own text.
import { ROOT } from "../../gateway/pages/place.ts";

const ASSETS = `${ROOT}/assets/`;
/** A host that no page is on: a link that resolves to any other host leads to another site. */
const HERE = "http://here.invalid";

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

// enough for the explorer's own HTML; a browser understands more
const valuesOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, value = ""]) => unescaped(value));

/** The path and query of `href` as it stands on the page at `path`; undefined on another host. */
export function pathOf(href: string, path: string): string | undefined {
  if (!URL.canParse(href, HERE + path)) return undefined;
  const { origin, pathname, search } = new URL(href, HERE + path);
  return origin === HERE ? pathname + search : undefined;
}

/** Where the links of the page at `path` lead on its own server, each once. */
export function linksOn(text: string, path: string): string[] {
  const found = valuesOf(text, /<a\s[^>]*?\bhref="([^"]*)"/g).flatMap((href) => pathOf(href, path) ?? []);
  return [...new Set(found)];
}

/** Style, scripts, icon and chart library. */
export const assetsOf = (text: string): string[] => [
  ...new Set(valuesOf(text, /"([^"]+)"/g).filter((value) => value.startsWith(ASSETS))),
];

/** Parts that the page's script fetches by itself. */
export const partsOf = (text: string): string[] => [...new Set(valuesOf(text, /\bdata-later="([^"]+)"/g))];

export const isScript = (path: string): boolean => path.startsWith(ASSETS) && /\.m?js$/.test(path);

/** Which view of the explorer a path shows, e.g. `home`, `token`, `token history`; undefined for what is not one of its pages. */
export function viewOf(path: string): string | undefined {
  const { pathname } = new URL(path, HERE);
  if (pathname === "/") return "home";
  const [, root, , view = "home", , ...rest] = pathname.split("/");
  if (`/${root}` !== ROOT || pathname.startsWith(ASSETS)) return undefined;
  return [view, ...rest].join(" ");
}

/** The block that the path names; undefined for the newest one. */
export const blockOf = (path: string): string | undefined => new URL(path, HERE).searchParams.get("block") ?? undefined;
