// What the gateway says of one token at one block, as text that is easy to write down: who has what through what, and
// what nobody has. Checks on the way that everything adds up, and that REST says the same as GraphQL.
import { expect } from "vitest";
import type { TestGateway } from "./gateway-fixture.ts";

interface Answer {
  token: { totalSupply: string };
  lastSyncedBlock: number;
  unattributed: { contract: string; reason: string; amount: string }[];
  nodes: {
    account: string;
    total: string;
    totalDouble: number;
    sources: { source: string; value: string; valueDouble: number; paths: { assets: string[]; value: string }[] }[];
  }[];
}

const QUERY = `query ($token: Address!, $block: Int!) {
  balances(token: $token, block: {number: $block}, first: 1000) {
    token { totalSupply } lastSyncedBlock unattributed { contract reason amount }
    nodes { account total totalDouble sources { source value valueDouble paths { assets value } } } } }`;

interface RestEntry {
  account: string;
  total: number;
  sources: { source: string; value: number; extraData?: Record<string, string> }[];
}

export interface ShownBalances {
  /** By account, by source with its id (`v2-pool 0x…`): raw units. */
  accounts: Record<string, Record<string, bigint>>;
  /** By `<contract> <reason>`. */
  unattributed: Record<string, bigint>;
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

export async function shownBalances(gateway: TestGateway, token: string, block: number): Promise<ShownBalances> {
  const { data, errors } = await gateway.graphql(QUERY, { token, block });
  expect(errors).toBeUndefined();
  const { nodes, ...answer } = (data as { balances: Answer }).balances;
  const { body } = await gateway.get(`/balances/${token}?blockNumber=${block}`);
  const rest = body.results as RestEntry[];
  expect(rest.map(({ account, total }) => [account, total])).toEqual(
    nodes.map(({ account, totalDouble }) => [account, totalDouble]),
  );
  const shown: ShownBalances = { accounts: {}, unattributed: {} };
  for (const [i, { account, total, sources }] of nodes.entries()) {
    const named = rest[i]?.sources ?? [];
    expect(named.map(({ source, value }) => [source, value])).toEqual(
      sources.map(({ source, valueDouble }) => [source, valueDouble]),
    );
    expect(sum(sources.map(({ value }) => BigInt(value)))).toBe(BigInt(total));
    shown.accounts[account] = Object.fromEntries(
      sources.map(({ source, value }, at) => {
        const ids = Object.values(named[at]?.extraData ?? {});
        return [[source, ...ids].join(" "), BigInt(value)];
      }),
    );
  }
  for (const { contract, reason, amount } of answer.unattributed) {
    const key = `${contract} ${reason.replaceAll("_", "-")}`;
    shown.unattributed[key] = (shown.unattributed[key] ?? 0n) + BigInt(amount);
  }
  const accounted = sum(nodes.map(({ total }) => BigInt(total))) + sum(Object.values(shown.unattributed));
  expect(accounted).toBe(BigInt(answer.token.totalSupply));
  return shown;
}
