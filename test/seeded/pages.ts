// Every page of the explorer that browsers try, on the seeded chain. A new page is a line here.
import { type Examples, seededExamples } from "./examples.ts";
import { vaultPages } from "./tried-vault-pages.ts";

export interface TriedPage {
  /** Which of the pages it is, in one or two words. */
  name: string;
  path: string;
  /** What must stand in the page's main part. */
  shows: string;
  /** Of error pages; else 200. */
  status?: number;
}

/** The path that all URLs of the seeded chain begin with. */
export const explore = (chain: string): string => `/explore/${chain}`;

export async function triedPages(chain: string): Promise<TriedPage[]> {
  const examples = await seededExamples();
  return [...pagesOf(explore(chain), examples), ...accountsAndPools(explore(chain), examples)];
}

const pagesOf = (root: string, examples: Examples): TriedPage[] => [
  { name: "home", path: "/", shows: "Newest launches" },
  { name: "status", path: `${root}/status`, shows: "Quarantined tokens" },
  { name: "tokens", path: `${root}/tokens?block=1200`, shows: "1,200" },
  { name: "token", path: `${root}/token/${examples.token}`, shows: "Where it sat" },
  { name: "token-at", path: `${root}/token/${examples.token}?block=1200`, shows: "no account can be named for it" },
  { name: "token-history", path: `${root}/token/${examples.token}/history?block=1200`, shows: "Concentration" },
  { name: "token-too-early", path: `${root}/token/${examples.island}?block=1`, shows: "Its first event is in block" },
  { name: "token-quarantined", path: `${root}/token/${examples.quarantined}`, shows: "contradict the standard" },
  { name: "error-token", path: `${root}/token/0x${"12".repeat(20)}`, shows: "is not tracked", status: 404 },
  { name: "search", path: `${root}/search?q=UNI`, shows: "Anybody can give a token any symbol" },
  { name: "search-nothing", path: `${root}/search?q=nothing-is-called-so`, shows: "No token has this" },
  { name: "error-no-page", path: `${root}/nowhere/${examples.token}`, shows: "There is no page", status: 404 },
  { name: "error-block", path: `${root}/tokens?block=many`, shows: "must be a block number", status: 400 },
  ...vaultPages(root, examples),
];

const accountsAndPools = (
  root: string,
  { account, owner, token, pool, pair, curve, launched }: Examples,
): TriedPage[] => [
  { name: "account", path: `${root}/account/${account}?block=1200&token=${token}`, shows: "Every token it had" },
  { name: "account-positions", path: `${root}/account/${owner}`, shows: "Fees owed" },
  { name: "account-contract", path: `${root}/account/${pool}`, shows: "This address is a pool" },
  { name: "account-nobody", path: `${root}/account/0x${"0".repeat(39)}1`, shows: "It had no token at this block" },
  { name: "pool-v3", path: `${root}/pool/${pool}?block=1200`, shows: "Islands in it" },
  { name: "pool-v2", path: `${root}/pool/${pair}`, shows: "v2 pair" },
  { name: "pool-curve", path: `${root}/pool/${curve}`, shows: "Progress to graduation" },
  { name: "pool-graduated", path: `${root}/pool/${launched}`, shows: "Graduated at block" },
  { name: "error-no-pool", path: `${root}/pool/${token}`, shows: "There is no pool here", status: 404 },
];
