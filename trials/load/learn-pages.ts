// Which pages the explorer has, found by following the links on them, and what each weighs at first view.
import type { Ask } from "../fuzz/sample-values.ts";
import { assetsOf, blockOf, isScript, linksOn, partsOf, pathOf, viewOf } from "./page-links.ts";
import type { PageReader, ReadPage } from "./read-page.ts";

export interface FoundPage {
  path: string;
  /** e.g. `token`; see viewOf. */
  view: string;
  /** The past block that it is about; undefined for the newest one. */
  block: string | undefined;
}

/** A link without an answer. */
export interface BrokenLink {
  from: string;
  to: string;
  status: number;
}

/** Compressed bytes that a browser with an empty cache loads for a page. */
export interface FirstView {
  path: string;
  view: string;
  bytes: number;
  /** Scripts' part of them. */
  scriptBytes: number;
}

export interface PageWorld {
  pages: readonly FoundPage[];
  broken: readonly BrokenLink[];
  firstViews: readonly FirstView[];
  /** The path of the search page, and what to search for: symbols and addresses of tokens. */
  search: { path: string; terms: readonly string[] };
}

/** Past blocks, as parts of the indexed range. */
const PAST = [0.4, 0.6, 0.8, 0.95];
/** Pages read of each view: about the newest block, about each past one, and of each path outside the explorer. */
interface MostPages {
  newest: number;
  past: number;
  elsewhere: number;
}

const MOST: MostPages = { newest: 12, past: 4, elsewhere: 3 };

/** A view that says why it cannot answer is an answer, too: 409. */
export const LAWFUL_OF_PAGES: readonly string[] = ["302", "409"];
const isAnswer = (status: number): boolean => status === 200 || LAWFUL_OF_PAGES.includes(String(status));

interface Known {
  status: { firstBlock: number; lastSyncedBlock: number };
  tokens: { nodes: { address: string; symbol: string | null }[] };
}

async function known(ask: Ask): Promise<Known> {
  const query = "{ status { firstBlock lastSyncedBlock } tokens(first: 50) { nodes { address symbol } } }";
  const headers = { "content-type": "application/json" };
  const response = await ask({ method: "POST", path: "/graphql", headers, body: JSON.stringify({ query }) });
  const { data } = (await response.json()) as { data?: Known | null };
  if (!data) throw new Error(`the product does not answer ${query} (${response.status})`);
  return data;
}

/** @throws Error when the product does not answer, or has no explorer */
export async function learnPages(read: PageReader, ask: Ask, most: MostPages = MOST): Promise<PageWorld> {
  const { status, tokens } = await known(ask);
  const first = await read("/");
  const home = linksOn(first.text, "/").find((path) => viewOf(path) === "home" && path !== "/");
  if (first.status !== 200 || home === undefined)
    throw new Error(`/ is not a page of the explorer (${first.status}); is --url the gateway of this version?`);
  const span = status.lastSyncedBlock - status.firstBlock;
  const past = PAST.map((part) => String(status.firstBlock + Math.floor(part * span)));
  const found = await follow(read, { home, past, most });
  return {
    pages: [...found.read].flatMap(([path, { status: code }]) => {
      const view = viewOf(path);
      return view === undefined || !isAnswer(code) ? [] : [{ path, view, block: blockOf(path) }];
    }),
    broken: found.broken,
    firstViews: await firstViews(read, found.read),
    search: {
      path: `${home}/search`,
      terms: tokens.nodes.flatMap(({ address, symbol }) => (symbol ? [symbol, address] : [address])),
    },
  };
}

/** Breadth first, from Home at every block. */
async function follow(
  read: PageReader,
  { home, past, most }: { home: string; past: readonly string[]; most: MostPages },
) {
  const answers = new Map<string, ReadPage>();
  const broken: BrokenLink[] = [];
  const counts = new Map<string, number>();
  const waiting = ["/", home, ...past.map((block) => `${home}?block=${block}`)].map((to) => ({ from: "/", to }));
  for (const { from, to } of waiting) {
    if (answers.has(to) || !takes(to, { past, counts, most })) continue;
    const answer = await read(to);
    answers.set(to, answer);
    if (!isAnswer(answer.status)) broken.push({ from, to, status: answer.status });
    if (viewOf(to) === undefined) continue;
    const { text, location } = answer;
    const led = location === undefined ? undefined : pathOf(location, to);
    for (const next of [...linksOn(text, to), ...partsOf(text), ...(led === undefined ? [] : [led])])
      waiting.push({ from: to, to: next });
  }
  return { read: answers, broken };
}

/** Whether one more page of its kind is read; if so, it is counted as read. */
function takes(
  path: string,
  { past, counts, most }: { past: readonly string[]; counts: Map<string, number>; most: MostPages },
): boolean {
  const view = viewOf(path);
  const block = blockOf(path);
  if (view !== undefined && block !== undefined && !past.includes(block)) return false;
  const kind = view === undefined ? `/${path.split(/[/?]/)[1]}` : `${view} ${block ?? "newest"}`;
  const allowed = view === undefined ? most.elsewhere : block === undefined ? most.newest : most.past;
  const count = counts.get(kind) ?? 0;
  counts.set(kind, count + 1);
  return count < allowed;
}

/** First views of every full page that was read. @throws Error when something that a page loads is missing */
async function firstViews(read: PageReader, answers: ReadonlyMap<string, ReadPage>): Promise<FirstView[]> {
  const bytes = new Map([...answers].map(([path, answer]) => [path, answer.bytes]));
  const weigh = async (path: string): Promise<{ path: string; bytes: number }> => {
    const weighed = bytes.get(path);
    if (weighed !== undefined) return { path, bytes: weighed };
    const answer = await read(path);
    if (answer.status !== 200) throw new Error(`a page loads ${path}, which answers ${answer.status}`);
    bytes.set(path, answer.bytes);
    return { path, bytes: answer.bytes };
  };
  const views: FirstView[] = [];
  for (const [path, { status, text, bytes: own }] of answers) {
    const view = viewOf(path);
    if (view === undefined || status !== 200 || assetsOf(text).length === 0) continue;
    const loaded = [{ path, bytes: own }];
    for (const part of [...assetsOf(text), ...partsOf(text)]) loaded.push(await weigh(part));
    const sum = (some: typeof loaded) => some.reduce((all, one) => all + one.bytes, 0);
    const scripts = loaded.filter((one) => isScript(one.path));
    views.push({ path, view, bytes: sum(loaded), scriptBytes: sum(scripts) });
  }
  return views;
}
