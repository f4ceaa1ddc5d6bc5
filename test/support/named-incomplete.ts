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

/** Every answer names `expected`, in REST's header and in GraphQL. */
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
  for (const field of graphqlOf(question)) {
    const data = await gateway.data<Record<string, unknown>>(`{ ${field} { incomplete } }`);
    expect({ field, named: Object.values(data) }).toEqual({ field, named: [{ incomplete: expected }] });
  }
}

/** Paths, with their bodies where they are posted to. */
function restOf({ token, block, chainId, users }: Question): [string, unknown?][] {
  const network = String(chainId);
  return [
    [`/balances/${token}?blockNumber=${block}`],
    [`/balances/${token}?blockNumber=${block}&users=${users}`],
    [`/balances/${token}/holders-count?blockNumber=${block}`],
    [`/balances/${token}/time-weighted?fromBlock=${block}&toBlock=${block}`],
    [`/balances/${token}/time-weighted?fromBlock=${block}&toBlock=${block}&users=${users}`],
    ["/snapshot/score", { options: { token }, network, addresses: users, snapshot: block }],
  ];
}

function graphqlOf({ token, block, users }: Question): string[] {
  const at = `token: "${token}", block: {number: ${block}}`;
  const over = `token: "${token}", from: {number: ${block}}, to: {number: ${block}}`;
  const few = `users: ${JSON.stringify(users)}`;
  return [
    ...[`balances(${at})`, `balances(${at}, ${few})`, `holdersCount(${at})`],
    ...[`timeWeightedBalances(${over})`, `timeWeightedBalances(${over}, ${few})`],
  ];
}
