// Whether an indexer's balances are those of the made-up chain's own bookkeeping.

import type { SyntheticChain } from "../ground/synthetic-chain.ts";
import type { Indexer } from "./indexer.ts";

/**
 * Compares every balance of every token after `block`, in raw units; returns how many there are.
 * @throws Error naming the first differences: a wrong answer does not count, however fast it is
 */
export async function checkBalances(indexer: Indexer, chain: SyntheticChain, block: number): Promise<number> {
  const found = await indexer.balancesAt(block);
  const wrong: string[] = [];
  let expected = 0;
  for (const [token, held] of chain.balancesAt(block).entries())
    for (const [account, amount] of held) {
      expected++;
      const holder = `${chain.tokenAddresses[token]} ${chain.accountAddresses[account]}`;
      const shown = found.get(holder);
      if (shown !== amount) wrong.push(`${holder}: ${shown ?? "nothing"}, should be ${amount}`);
    }
  if (found.size !== expected) wrong.push(`${found.size} balances, should be ${expected}`);
  if (wrong.length === 0) return expected;
  throw new Error(
    `${indexer.name} is wrong at block ${block} in ${wrong.length} places:\n${wrong.slice(0, 5).join("\n")}`,
  );
}
