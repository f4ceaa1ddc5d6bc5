// The law of every answer, for every token of the seeded devnet at random blocks: what all accounts have and what is
// unattributed add up to the supply, to the wei, and the supply is the contract's. CONSERVATION_BLOCKS=100 asks about more.
import { type Address, type PublicClient, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unattributedReasons } from "../../core/lookthrough/backing.ts";
import { seedRandom } from "../../devnet/scenario/random.ts";
import { RequestScope } from "../../gateway/context.ts";
import { blockNumbered } from "../../gateway/history/block-choice.ts";
import { type BalancesPage, balancesPage } from "../../gateway/questions/balances.ts";
import { tokensPage } from "../../gateway/questions/tokens.ts";
import { readAll } from "../../verify/pool-contracts.ts";
import type { TestGateway } from "../support/gateway-fixture.ts";
import { shownBalances } from "../support/shown-balances.ts";
import { openSeededDevnet, openSeededGateway, seeded, seededClient } from "./seeded-index.ts";

/** Enough to see it broken; the whole law is held to more of them by the environment. */
const BLOCKS_IN_EVERY_RUN = 10;
const RANDOM_BLOCKS = Number(process.env.CONSERVATION_BLOCKS ?? BLOCKS_IN_EVERY_RUN);

const abi = parseAbi(["function totalSupply() view returns (uint256)"]);
const { head, finalized } = seeded;
let gateway: TestGateway;
let client: PublicClient;
let tokens: { address: Address; hasDecimals: boolean; isQuarantined: boolean }[];
/** Their contracts disagree with their own events. */
let drifting: Set<Address>;

beforeAll(async () => {
  gateway = openSeededGateway();
  client = seededClient();
  const { at } = await openSeededDevnet();
  drifting = new Set([at.tokens.silentSkim, at.tokens.rebasing]);
  const { entries } = await within((scope) => scope.run(tokensPage, { block: { kind: "latest" }, first: 1_000 }));
  tokens = entries.map(({ token }) => ({
    address: token.address,
    hasDecimals: token.metadata?.decimals !== undefined,
    isQuarantined: token.quarantine !== undefined,
  }));
});
afterAll(() => gateway.close());

async function within<T>(use: (scope: RequestScope) => Promise<T>): Promise<T> {
  const scope = new RequestScope(gateway.service);
  try {
    return await use(scope);
  } finally {
    await scope.close();
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);
const ZERO = `0x${"0".repeat(40)}`;

/** What is wrong with one answer; empty when nothing is. */
function breachesOf({ entries, hasNextPage, rest, supply }: BalancesPage): string[] {
  if (!rest) return ["the rest is missing"];
  const { unattributed } = rest;
  const found: string[] = [];
  if (hasNextPage) found.push("not all accounts were asked for");
  const given = sum(entries.map(({ amount }) => amount));
  const left = sum(unattributed.map(({ amount }) => amount));
  if (given + left !== supply) found.push(`accounts ${given} + unattributed ${left}, supply ${supply}`);
  for (const { account, amount, sources } of entries)
    if (amount <= 0n || account === ZERO || sum(sources.map((one) => one.amount)) !== amount)
      found.push(`account ${account}: ${amount}`);
  for (const { contract, reason, amount } of unattributed)
    if (amount <= 0n || !/^0x[0-9a-f]{40}$/.test(contract) || !unattributedReasons.includes(reason))
      found.push(`unattributed ${contract} ${reason} ${amount}`);
  return found;
}

async function contractSupplies(wanted: readonly Address[], block: number): Promise<bigint[]> {
  const reads = wanted.map((address) => ({ address, abi, functionName: "totalSupply", args: [] }));
  const answers = await readAll(client, reads, block);
  // before its code exists there is nothing of a token
  return answers.map((answer) => (answer?.[0] as bigint | undefined) ?? 0n);
}

interface Findings {
  answers: number;
  /** Milliseconds. */
  spent: number;
  longest: number;
  broken: string[];
  /** Answers in which each occurs. */
  reasons: Map<string, number>;
  drifted: Set<Address>;
}

/** One request for each token, as anybody asks. */
async function askAll(found: Findings, wanted: readonly Address[], block: number): Promise<void> {
  const supplies = await contractSupplies(wanted, block);
  const choice = blockNumbered(block);
  for (const [i, token] of wanted.entries()) {
    const before = performance.now();
    const page = await within((scope) =>
      scope.run(balancesPage, { token, block: choice, first: 100_000, isWhole: true }),
    );
    const took = performance.now() - before;
    found.answers += 1;
    found.spent += took;
    found.longest = Math.max(found.longest, took);
    const breaches = breachesOf(page);
    for (const { reason } of page.rest?.unattributed ?? [])
      found.reasons.set(reason, (found.reasons.get(reason) ?? 0) + 1);
    if (page.supply !== supplies[i]) found.drifted.add(token);
    if (page.supply !== supplies[i] && !drifting.has(token))
      breaches.push(`supply ${page.supply}, contract ${supplies[i]}`);
    found.broken.push(...breaches.map((breach) => `${token} at block ${block}: ${breach}`));
  }
}

function blocksToAsk(): number[] {
  const random = seedRandom("conservation");
  const blocks = new Set([finalized, finalized + 1, head]);
  while (blocks.size < Math.min(RANDOM_BLOCKS, head)) blocks.add(random.between(1, head));
  return [...blocks].sort((a, b) => a - b);
}

describe("the law of balances", () => {
  test("names the tokens whose balances are unknown", () => {
    expect(tokens.length).toBeGreaterThanOrEqual(40);
    expect(tokens.filter(({ isQuarantined }) => isQuarantined)).toHaveLength(2);
  });

  test(
    "holds for every token at every block asked",
    async () => {
      const found: Findings = { answers: 0, spent: 0, longest: 0, broken: [], reasons: new Map(), drifted: new Set() };
      const sound = tokens.flatMap(({ address, isQuarantined }) => (isQuarantined ? [] : [address]));
      const blocks = blocksToAsk();
      for (const block of blocks) await askAll(found, sound, block);
      const { answers, spent, longest, broken, reasons, drifted } = found;
      const named = [...reasons].map(([reason, count]) => `${reason} ${count}`);
      console.log(
        `${blocks.length} blocks, ${sound.length} tokens, ${answers} answers (${(spent / answers).toFixed(1)} ms each, longest ` +
          `${longest.toFixed(0)}); unattributed: ${named.join(", ")}; drifted ${drifted.size}`,
      );
      expect(broken.slice(0, 20)).toEqual([]);
      for (const reason of unattributedReasons)
        if (!["stopped", "waiting", "undetermined"].includes(reason))
          expect(reasons.get(reason) ?? 0, reason).toBeGreaterThan(0);
      for (const reason of ["stopped", "waiting", "undetermined"]) expect(reasons.get(reason), reason).toBeUndefined();
      expect(drifted.size).toBeGreaterThan(0);
    },
    RANDOM_BLOCKS * 20_000 + 120_000,
  );

  test("holds in what REST and GraphQL show, which are the same", async () => {
    const random = seedRandom("conservation shown");
    let accounts = 0;
    for (const { address, hasDecimals, isQuarantined } of tokens) {
      if (!hasDecimals || isQuarantined) continue;
      const block = random.chance(0.3) ? head : random.between(head / 2, head);
      accounts += Object.keys((await shownBalances(gateway, address, Math.floor(block))).accounts).length;
    }
    expect(accounts).toBeGreaterThan(tokens.length);
  });
});
