// What readers ask for at random, and whether an answer is what the chain says.
import { ZERO_ADDRESS } from "../../core/zero-address.ts";
import type { BranchBlock } from "./branch-history.ts";
import type { TrialChain } from "./trial-chain.ts";

/** How a request says "now". */
export const NOW = 99_999_999_999;

export interface TrialToken {
  address: string;
  decimals: number;
}

/** Mostly the one whose holders change with every block. */
export const randomToken = ({ tokens }: TrialChain): TrialToken =>
  Math.random() < 0.8 ? { address: tokens.churning, decimals: 0 } : { address: tokens.weth, decimals: 18 };

/** Recent blocks more often, sometimes {@link NOW}. */
export function randomBlock(head: number): number {
  const random = Math.random();
  if (random < 0.1) return NOW;
  if (random < 0.6) return Math.max(0, head - Math.floor(Math.random() * 40));
  return Math.floor(Math.random() * (head + 1));
}

/** Between the body of `/balances` and what the block's logs add up to; undefined when it is right. */
export function differenceOf(body: string, { holdings }: BranchBlock, token: TrialToken): string | undefined {
  const { results } = JSON.parse(body) as { results: { account: string; total: number }[] };
  const expected = holdings.get(token.address) ?? new Map<string, bigint>();
  const holders = expected.size - (expected.has(ZERO_ADDRESS) ? 1 : 0);
  if (results.length !== holders) return `${results.length} holders, the chain has ${holders}`;
  const amountOf = (account: string) => expected.get(account) ?? 0n;
  const other = results.find(({ account, total }) => Number(amountOf(account)) / 10 ** token.decimals !== total);
  return other && `${other.account} has ${other.total}, the chain says ${amountOf(other.account)}`;
}
