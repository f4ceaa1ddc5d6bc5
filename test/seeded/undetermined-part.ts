// Balances of a token from two gateways, one of which does not know an island's state: that island's part, and everything else.
import { expect } from "vitest";
import type { TestGateway } from "../support/gateway-fixture.ts";

const QUERY = `query ($token: Address!, $block: Int!) {
  balances(token: $token, block: {number: $block}, first: 1000) {
    token { totalSupply } unattributed { contract reason amount path } pageInfo { hasNextPage }
    nodes { account total sources { source value paths { assets value } } } } }`;

interface Unattributed {
  contract: string;
  reason: string;
  amount: string;
  path: string[];
}

interface Answer {
  token: { totalSupply: string };
  unattributed: Unattributed[];
  pageInfo: { hasNextPage: boolean };
  nodes: { account: string; sources: { source: string; paths: { assets: string[]; value: string }[] }[] }[];
}

async function answerOf(gateway: TestGateway, token: string, block: number): Promise<Answer> {
  const { data, errors } = await gateway.graphql(QUERY, { token, block });
  expect(errors).toBeUndefined();
  return (data as { balances: Answer }).balances;
}

const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((a, b) => a + b, 0n);

type Rows = Map<string, bigint>;

/** Rows of one name are one. */
function added(rows: readonly (readonly [name: string, amount: string])[]): Rows {
  const sums: Rows = new Map();
  for (const [name, amount] of rows) sums.set(name, (sums.get(name) ?? 0n) + BigInt(amount));
  return sums;
}

/** What a path leads through: not the token, which it begins with. */
const through = (path: readonly string[]): string => path.slice(1).join(" ");

/** What everybody has by each path. */
const partsOf = ({ nodes }: Answer): Rows =>
  added(
    nodes.flatMap(({ account, sources }) =>
      sources.flatMap(({ source, paths }) =>
        paths.map(({ assets, value }) => [`${account} ${source} ${through(assets)}`, value] as const),
      ),
    ),
  );

const lostOf = ({ unattributed }: Answer): Rows =>
  added(unattributed.map(({ contract, reason, amount, path }) => [`${reason} ${contract} ${through(path)}`, amount]));

const ROUNDING = /^rounding /;

/**
 * Everything that does not lead through `island` is the same, but that less may be left over by divisions when the island's part
 * is not divided further; the island's part is unattributed, reason `undetermined`, and all sums up to the supply.
 * @returns the amount that is named
 */
export async function compareWithout(
  { partial, whole }: { partial: TestGateway; whole: TestGateway },
  { token, block, island }: { token: string; block: number; island: string },
): Promise<bigint> {
  const [ours, theirs] = [await answerOf(partial, token, block), await answerOf(whole, token, block)];
  expect([ours.pageInfo, theirs.pageInfo]).toEqual([{ hasNextPage: false }, { hasNextPage: false }]);
  expect(ours.token).toEqual(theirs.token);
  const isOfIsland = (row: string) => row.split(" ").some((name) => name === island || name === `erc20:${island}`);
  const besides = (rows: Rows) => [...rows].filter(([row]) => !isOfIsland(row));
  expect(besides(partsOf(ours))).toEqual(besides(partsOf(theirs)));
  const [lost, all] = [lostOf(ours), lostOf(theirs)];
  const exact = (rows: Rows) => besides(rows).filter(([row]) => !ROUNDING.test(row));
  expect(exact(lost)).toEqual(exact(all));
  for (const [row, amount] of besides(lost))
    if (ROUNDING.test(row)) expect(amount, row).toBeLessThanOrEqual(all.get(row) ?? 0n);
  expect([...partsOf(ours).keys()].filter(isOfIsland)).toEqual([]);
  const named = [...lost].filter(([row]) => isOfIsland(row));
  for (const [row] of named) expect(row.startsWith(`undetermined ${island} `), row).toBe(true);
  const supply = BigInt(ours.token.totalSupply);
  expect(sum(partsOf(ours).values()) + sum(lost.values())).toBe(supply);
  expect(sum(partsOf(theirs).values()) + sum(all.values())).toBe(supply);
  return sum(named.map(([, amount]) => amount));
}
