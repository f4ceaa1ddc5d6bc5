// What a page of the explorer shows as numbers, read from its HTML: every number that leads to how it was made, the row that
// it stands in, and the queries that it leads to. Pages are written by JSX, so that their tags always fit together.

/** One number as a page shows it. */
export interface PageCell {
  /** The exact decimal under the short form. */
  value: string;
  /** `%`, `$`, or nothing. */
  unit: "%" | "$" | "";
  /** The id of the queries that it leads to. */
  made: string;
  /** What names its table row: addresses, and times in ISO. Empty outside of tables. */
  row: readonly string[];
}

export interface PageNumbers {
  cells: PageCell[];
  /** Paths of the server, by the id of the queries: REST, and GraphQL as `/graphql?query=…`. */
  queries: ReadonlyMap<string, readonly string[]>;
}

const TAG = /<(\/?)([a-zA-Z][\w-]*)([^>]*?)(\/?)>/g;
const EMPTY = new Set(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, unescaped(value ?? "")]),
  );

interface Open {
  tag: string;
  row: string[] | undefined;
  made: string | undefined;
  /** Of an element that holds queries, their id. */
  queries: string | undefined;
}

/** Of the main part. */
export function numbersOf(html: string): PageNumbers {
  const main = html.slice(html.indexOf("<main"), html.indexOf("</main>"));
  const cells: PageCell[] = [];
  const queries = new Map<string, string[]>();
  const stack: Open[] = [];
  for (const [, close, tag = "", text = "", selfClosed] of main.matchAll(TAG)) {
    if (close) {
      while (stack.length > 0 && stack.pop()?.tag !== tag);
      continue;
    }
    const attributes = attributesOf(text);
    const open = openedBy(tag, attributes, stack.at(-1));
    const { made, row = [] } = open;
    if (tag === "data" && made !== undefined) cells.push({ ...shownBy(attributes), made, row });
    takeQuery(queries, open, attributes.href);
    if (!selfClosed && !EMPTY.has(tag)) stack.push(open);
  }
  return { cells, queries };
}

const idIn = (text: string | undefined, before: string): string | undefined =>
  text?.startsWith(before) ? text.slice(before.length) : undefined;

function openedBy(tag: string, attributes: Record<string, string>, around: Open | undefined): Open {
  const row = tag === "tr" ? [] : around?.row;
  const name = attributes.datetime ?? attributes.title?.toLowerCase().match(/^0x[0-9a-f]{40}$/)?.[0];
  if (name !== undefined) row?.push(name);
  const made = idIn(attributes.href, "#made-") ?? around?.made;
  return { tag, row, made, queries: idIn(attributes.id, "made-") ?? around?.queries };
}

function takeQuery(all: Map<string, string[]>, { tag, queries }: Open, href: string | undefined): void {
  if (tag === "a" && queries !== undefined && href?.startsWith("/"))
    all.set(queries, [...(all.get(queries) ?? []), href]);
}

function shownBy({ value = "", title = "" }: Record<string, string>): Pick<PageCell, "value" | "unit"> {
  return { value, unit: title.endsWith("%") ? "%" : title.startsWith("$") ? "$" : "" };
}
