// The explorer's pages, and how often each view is asked for.
import { LAWFUL_OF_PAGES, type PageWorld } from "./learn-pages.ts";
import { ofHundred, pick, type Question, type Random } from "./mix.ts";
import { PAGE_HEADERS } from "./read-page.ts";

/** Weights of views; half of each is about the newest block, half about past ones, where there are pages of both. */
const WEIGHTS: Readonly<Record<string, number>> = {
  home: 14,
  tokens: 6,
  token: 24,
  account: 16,
  pool: 12,
  search: 6,
  status: 4,
  vaults: 5,
  vault: 5,
  launches: 3,
  launch: 3,
  quote: 6,
};
/** Weight of any other view. */
const OTHER = 3;
/** Most characters of a symbol that are typed. */
const MOST_TYPED = 40;

const page = (path: string) => ({ method: "GET", path, headers: PAGE_HEADERS });

const groupsOf = ({ pages }: PageWorld): Map<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const { path, view, block } of pages) {
    if (view === "search") continue;
    const name = `${view}, ${block === undefined ? "newest" : "past blocks"}`;
    groups.set(name, [...(groups.get(name) ?? []), path]);
  }
  return groups;
};

/** A question for each view and kind of block for which a page was found, and one for search. */
export function pageQuestions(world: PageWorld): Question[] {
  const groups = groupsOf(world);
  const { path, terms } = world.search;
  const views = [...groups].map(([name, paths]) => {
    const [view = ""] = name.split(",");
    const parts = [...groups.keys()].filter((other) => other.startsWith(`${view},`)).length;
    const draw = (random: Random) => page(pick(random, paths));
    return { name, percent: (WEIGHTS[view] ?? OTHER) / parts, draw, lawful: LAWFUL_OF_PAGES };
  });
  const drawSearch = (random: Random) => {
    const q = [...pick(random, terms)].slice(0, MOST_TYPED).join("");
    return page(`${path}?${new URLSearchParams({ q })}`);
  };
  const search = { name: "search", percent: WEIGHTS.search ?? OTHER, draw: drawSearch, lawful: LAWFUL_OF_PAGES };
  return ofHundred([...views, ...(terms.length > 0 ? [search] : [])]);
}
