// Which contracts each kind of answer about a token at a block names as incomplete.
import { expect } from "vitest";
import type { TestGateway } from "./gateway-fixture.ts";

interface Question {
  token: string;
  block: number;
  chainId: number;
  /** For answers about these alone. */
  users: readonly string[];
}

/** Every answer names `expected`, in REST's header and in GraphQL; but for votes that count wallets alone, which need nothing of contracts. */
export async function expectNamed(
  gateway: TestGateway,
  question: Question,
  expected: readonly string[],
): Promise<void> {
  const { block } = question;
  for (const [path, body] of restOf(question)) {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await gateway.app.request(path, sent);
    await response.text();
    const { status, headers } = response;
    const named = headers.get("x-incomplete")?.split(",") ?? [];
    expect({ path, block, status, named }).toEqual({ path, block, status: 200, named: expected });
  }
  const body = JSON.stringify(scoreOf(question, { sources: ["balance"] }));
  const ofWallets = await gateway.app.request("/snapshot/score", { method: "POST", body });
  expect([ofWallets.status, ofWallets.headers.get("x-incomplete")]).toEqual([200, null]);
  for (const field of graphqlOf(question)) {
    const data = await gateway.data<Record<string, unknown>>(`{ ${field} { incomplete } }`);
    expect({ field, named: Object.values(data).flat() }).toEqual({ field, named: [{ incomplete: expected }] });
  }
}

/** Paths, with their bodies where they are posted to. */
function restOf(question: Question): [string, unknown?][] {
  const { token, block, users } = question;
  return [
    [`/balances/${token}?blockNumber=${block}`],
    [`/balances/${token}?blockNumber=${block}&users=${users}`],
    [`/balances/${token}/holders-count?blockNumber=${block}`],
    // of these alone first: an answer about all is an answer about them
    [`/balances/${token}/time-weighted?fromBlock=${block}&toBlock=${block}&users=${users}`],
    [`/balances/${token}/time-weighted?fromBlock=${block}&toBlock=${block}`],
    [`/balances/${token}/at-blocks?blocks=${block}`],
    [`/balances/${token}/at-blocks?format=csv`, { blocks: [block], users }],
    ["/rewards", campaignOf(question)],
    ["/snapshot/score", scoreOf(question)],
  ];
}

const scoreOf = ({ token, block, chainId, users }: Question, options: { sources?: readonly string[] } = {}) => ({
  ...{ options: { token, ...options }, network: String(chainId) },
  ...{ addresses: users, snapshot: block },
});

const campaignOf = ({ token, block, chainId }: Question) => ({
  ...{ chainId, token, reward: { token, budget: "1000" } },
  ...{ range: { fromBlock: block, toBlock: block }, counts: { held: "anywhere" } },
});

function graphqlOf(question: Question): string[] {
  const { token, block, users } = question;
  const at = `token: "${token}", block: {number: ${block}}`;
  const over = `token: "${token}", from: {number: ${block}}, to: {number: ${block}}`;
  const few = `users: ${JSON.stringify(users)}`;
  return [
    ...[`balances(${at})`, `balances(${at}, ${few})`, `holdersCount(${at})`],
    ...[`timeWeightedBalances(${over})`, `timeWeightedBalances(${over}, ${few})`],
    `balancesAtBlocks(token: "${token}", blocks: [${block}], ${few})`,
    `rewards(campaign: ${JSON.stringify(campaignOf(question)).replace(/"(\w+)":/g, "$1: ")})`,
  ];
}
