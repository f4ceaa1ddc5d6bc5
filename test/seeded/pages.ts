// Every page of the explorer that browsers try, on the seeded chain. A new page is a line here.
import { type Examples, seededExamples } from "./examples.ts";

export interface TriedPage {
  /** Names the page's screenshots. */
  name: string;
  path: string;
  /** What must stand in the page's main part. */
  shows: string;
  /** Of error pages; else 200. */
  status?: number;
}

/** Below this all URLs of the seeded chain lie. */
export const explore = (chain: string): string => `/explore/${chain}`;

export async function triedPages(chain: string): Promise<TriedPage[]> {
  const examples = await seededExamples();
  return pagesOf(explore(chain), examples);
}

const pagesOf = (root: string, { token }: Examples): TriedPage[] => [
  { name: "home", path: "/", shows: "Newest launches" },
  { name: "status", path: `${root}/status`, shows: "Quarantined tokens" },
  { name: "tokens", path: `${root}/tokens?block=1200`, shows: "1,200" },
  { name: "search", path: `${root}/search?q=UNI`, shows: "Anybody can give a token any symbol" },
  { name: "search-nothing", path: `${root}/search?q=nothing-is-called-so`, shows: "No token has this" },
  { name: "error-no-page", path: `${root}/nowhere/${token}`, shows: "There is no page", status: 404 },
  { name: "error-block", path: `${root}/tokens?block=many`, shows: "must be a block number", status: 400 },
];
