// Which accounts to take everything out for: together they have every kind of holding, nested as deeply as anybody's.
import { type Address, parseAbiItem } from "viem";
import { type BalanceEntry, balancesPage } from "../../gateway/questions/balances.ts";
import { tokensPage } from "../../gateway/questions/tokens.ts";
import { inRequest } from "../in-request.ts";
import { blockChoice, trailOf, unlessUnanswered } from "./account-answers.ts";
import { kindOf, readLogs } from "./announced-contracts.ts";
import type { ExitCheck } from "./exit-account.ts";

export interface Candidate {
  account: Address;
  block: number;
  /** Ways by kinds, e.g. `farm → bault → island`. */
  ways: Set<string>;
}

const PAGE = 10_000;
const delegateStaked = parseAbiItem(
  "event DelegateStaked(address indexed account, address indexed delegate, uint256 amount)",
);

/** All accounts that have anything through a contract at `block`. */
export async function readCandidates(check: ExitCheck, block: number): Promise<Candidate[]> {
  const { service, announced } = check;
  const byAccount = new Map<Address, Set<string>>();
  const add = (account: Address, path: readonly string[]) => {
    const ways = byAccount.get(account) ?? new Set<string>();
    byAccount.set(account, ways);
    ways.add(
      trailOf(path)
        .map((asset) => kindOf(announced, asset))
        .join(" → "),
    );
  };
  const tokens = await inRequest(service, (scope) =>
    scope.run(tokensPage, { block: blockChoice(block), first: 1_000_000 }),
  );
  for (const { token } of tokens.entries) {
    if (token.quarantine) continue;
    for (const { account, paths } of await readWays(check, { token: token.address, block }))
      for (const { path } of paths) add(account, path);
  }
  for (const account of await readDelegators(check, block)) byAccount.get(account)?.add("delegated");
  return [...byAccount].map(([account, ways]) => ({ account, block, ways }));
}

type Ways = { account: Address; paths: readonly { path: readonly string[] }[] };

/** All ways but wallets. */
function readWays({ service }: ExitCheck, { token, block }: { token: Address; block: number }): Promise<Ways[]> {
  return inRequest(service, async (scope) => {
    const found: Ways[] = [];
    let after: string | undefined;
    do {
      const input = { token, block: blockChoice(block), first: PAGE, after, isWhole: false };
      const page = await unlessUnanswered(() => scope.run(balancesPage, input));
      found.push(...(page?.entries ?? []).flatMap(waysOf));
      after = page?.hasNextPage ? page.entries.at(-1)?.cursor : undefined;
    } while (after !== undefined);
    return found;
  });
}

const waysOf = ({ account, sources }: BalanceEntry): Ways[] =>
  sources.flatMap(({ kind, paths }) => (kind === "balance" ? [] : [{ account, paths }]));

/** Accounts for which somebody else has ever staked. */
async function readDelegators({ node, announced }: ExitCheck, block: number): Promise<Set<Address>> {
  const vaults = announced.contracts.filter(({ kind, since }) => kind === "reward_vault" && since <= block);
  if (vaults.length === 0) return new Set();
  const from = Math.min(...vaults.map(({ since }) => since));
  const logs = await readLogs(node, { event: delegateStaked, from, upTo: block });
  return new Set(logs.map(({ args }) => String(args.account).toLowerCase() as Address));
}

/**
 * At most `count`, each account once. The fewer of the picked accounts have a way, the more it weighs, so that with enough accounts
 * every way is covered, the rare ones first.
 */
export function pickAccounts(candidates: readonly Candidate[], count: number, random: () => number): Candidate[] {
  const picked: Candidate[] = [];
  const times = new Map<string, number>();
  let rest = candidates
    .map((candidate) => ({ candidate, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ candidate }) => candidate);
  while (picked.length < count && rest.length > 0) {
    const scoreOf = ({ ways }: Candidate) => [...ways].reduce((sum, way) => sum + 4 ** -(times.get(way) ?? 0), 0);
    const best = rest.reduce((a, b) => (scoreOf(b) > scoreOf(a) ? b : a));
    picked.push(best);
    for (const way of best.ways) times.set(way, (times.get(way) ?? 0) + 1);
    rest = rest.filter(({ account }) => account !== best.account);
  }
  return picked;
}
