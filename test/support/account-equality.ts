// Whether `account` says of each token what the token's own `balances` say of the account.
import { expect } from "vitest";
import type { TestGateway } from "./gateway-fixture.ts";

const SOURCES = `sources { source value valueDecimal valueDouble contract positionId manager direct principal fees
  paths { assets value } }`;
const ACCOUNT = `query ($account: Address!, $block: Int!, $first: Int!, $after: String) {
  account(address: $account, block: {number: $block}) { balances(first: $first, after: $after) {
    nodes { token { address } total totalDecimal totalDouble ${SOURCES} }
    totalCount replacedBy incomplete pageInfo { hasNextPage endCursor } } } }`;
const BALANCES = `query ($token: Address!, $users: [Address!], $block: Int!) {
  balances(token: $token, users: $users, block: {number: $block}, first: 1000) {
    nodes { account total totalDecimal totalDouble replacedBy ${SOURCES} } } }`;

interface ServedAccount {
  total: string;
  totalDecimal: string | null;
  totalDouble: number | null;
  sources: unknown[];
}

interface AccountPage {
  nodes: (ServedAccount & { token: { address: string } })[];
  totalCount: number;
  replacedBy: string | null;
  incomplete: string[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface AccountAnswer {
  tokens: Map<string, ServedAccount>;
  replacedBy: string | null;
  incomplete: string[];
}

export type Ask = Pick<TestGateway, "graphql">;

/** All pages of what the gateway says of one account. */
export async function accountAnswer(
  gateway: Ask,
  { account, block, first = 1000 }: { account: string; block: number; first?: number },
): Promise<AccountAnswer> {
  const answer: AccountAnswer = { tokens: new Map(), replacedBy: null, incomplete: [] };
  for (let after: string | null = null, hasNextPage = true; hasNextPage; ) {
    const { data, errors } = await gateway.graphql(ACCOUNT, { account, block, first, after });
    expect(errors).toBeUndefined();
    const page = (data as { account: { balances: AccountPage } }).account.balances;
    for (const { token, ...entry } of page.nodes) answer.tokens.set(token.address, entry);
    ({ hasNextPage, endCursor: after } = page.pageInfo);
    if (!hasNextPage) expect(page.totalCount).toBe(answer.tokens.size);
    Object.assign(answer, { replacedBy: page.replacedBy, incomplete: page.incomplete });
  }
  return answer;
}

export interface Compared {
  accounts: readonly string[];
  tokens: readonly string[];
  block: number;
  /** An account that holds this token alone for others. */
  custodian?: { account: string; token: string };
}

/** What every token says of the accounts, and which of them hold nothing for themselves. */
async function saidByTokens(gateway: Ask, { accounts, tokens, block, custodian }: Compared) {
  const expected = new Map(accounts.map((account) => [account, new Map<string, ServedAccount>()]));
  const issuers = new Set<string>();
  for (const token of tokens) {
    const { data, errors } = await gateway.graphql(BALANCES, { token, users: accounts, block });
    expect(errors).toBeUndefined();
    const { nodes } = (
      data as { balances: { nodes: (ServedAccount & { account: string; replacedBy: string | null })[] } }
    ).balances;
    for (const { account, replacedBy, ...entry } of nodes) {
      if (account === custodian?.account && token === custodian.token) expect(replacedBy).toBe("issuer");
      else if (replacedBy !== null) issuers.add(account);
      if (entry.total !== "0") expected.get(account)?.set(token, entry);
    }
  }
  return { expected, issuers };
}

/** Compares every account with every token; resolves to how many parts beyond wallets were reported. */
export async function expectSameAsBalances(gateway: Ask, compared: Compared): Promise<number> {
  const { accounts, block } = compared;
  const { expected, issuers } = await saidByTokens(gateway, compared);
  let lookedThrough = 0;
  for (const account of accounts) {
    const answer = await accountAnswer(gateway, { account, block });
    expect({ account, tokens: Object.fromEntries(answer.tokens) }).toEqual({
      account,
      tokens: Object.fromEntries([...(expected.get(account) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))),
    });
    expect([account, answer.replacedBy]).toEqual([account, issuers.has(account) ? "issuer" : null]);
    for (const { sources } of answer.tokens.values())
      lookedThrough += (sources as { source: string }[]).filter(({ source }) => source !== "balance").length;
  }
  return lookedThrough;
}
