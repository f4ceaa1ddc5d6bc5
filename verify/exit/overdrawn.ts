// Contracts that owe more than they hold. Answers cut all claims on them in the same proportion, but the contracts pay the first
// claims in full: what arrives is compared with the claim before the cut, by what the contract itself says it holds.
import { type Address, erc20Abi, type PublicClient } from "viem";
import type { Shortfall } from "../../core/lookthrough/attribute.ts";
import type { Service } from "../../gateway/context.ts";
import { balancesPage } from "../../gateway/questions/balances.ts";
import { inRequest } from "../in-request.ts";
import { readAll } from "../pool-contracts.ts";
import { blockChoice, contractOf, unlessUnanswered } from "./account-answers.ts";

export interface Debt {
  held: bigint;
  owed: bigint;
}

/** By contract and the asset that it lacks. */
export class Overdrawn {
  readonly #debts: ReadonlyMap<string, Debt>;
  readonly #contracts: ReadonlySet<string>;

  constructor(shortfalls: readonly Shortfall[]) {
    this.#debts = new Map(
      shortfalls.map(({ contract, asset, held, amount }) => [`${contract} ${asset}`, { held, owed: held + amount }]),
    );
    this.#contracts = new Set(shortfalls.map(({ contract }) => contract));
  }

  has(contract: string): boolean {
    return this.#contracts.has(contract);
  }

  /** What `amount` at the end of a path was before anything was cut, and by how much the cut's rounding may change it. */
  claimBehind({ path, amount }: { path: readonly string[]; amount: bigint }): { claim: bigint; blur: bigint } {
    let [numerator, denominator] = [1n, 1n];
    for (const [i, asset] of path.slice(0, -1).entries()) {
      const debt = this.#debts.get(`${contractOf(path[i + 1] ?? "")} ${asset}`);
      if (!debt) continue;
      numerator *= debt.owed;
      denominator *= debt.held;
    }
    if (numerator === denominator) return { claim: amount, blur: 0n };
    return { claim: (amount * numerator) / denominator, blur: numerator / denominator + 1n };
  }
}

interface Reading {
  tokens: ReadonlySet<Address>;
  block: number;
}

/** What answers about `tokens` could not give to accounts. */
export interface Unanswered {
  /** Contracts that hold too little of one of `tokens`, or of its shares, where the node confirms what they hold. */
  overdrawn: Overdrawn;
  /** Contracts whose holding cannot be attributed to accounts: answers say so, and give nobody anything of it. */
  incomplete: ReadonlySet<string>;
}

export async function readUnanswered(service: Service, node: PublicClient, reading: Reading): Promise<Unanswered> {
  const { shortfalls, incomplete } = await readRest(service, reading);
  const reads = shortfalls.map(({ contract, asset }) => ({
    address: contractOf(asset) as Address,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [contract],
  }));
  const answers = await readAll(node, reads, reading.block);
  return { overdrawn: new Overdrawn(shortfalls.filter(({ held }, i) => answers[i]?.[0] === held)), incomplete };
}

function readRest(
  service: Service,
  { tokens, block }: Reading,
): Promise<{ shortfalls: Shortfall[]; incomplete: Set<string> }> {
  return inRequest(service, async (scope) => {
    const found = new Map<string, Shortfall>();
    const incomplete = new Set<string>();
    for (const token of tokens) {
      const input = { token, block: blockChoice(block), first: 1, isWhole: true };
      const page = await unlessUnanswered(() => scope.run(balancesPage, input));
      for (const one of page?.rest?.shortfalls ?? []) found.set(`${one.contract} ${one.asset}`, one);
      for (const contract of page?.incomplete ?? []) incomplete.add(contract);
    }
    return { shortfalls: [...found.values()], incomplete };
  });
}
