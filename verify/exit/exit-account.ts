// One account, one block: everything it holds is taken out on a copy of the chain and compared with what was answered.
import { type Address, createPublicClient, http, type PublicClient } from "viem";
import type { ChainFile } from "../../chains/chain-file.ts";
import type { Service } from "../../gateway/context.ts";
import { readAnswers } from "./account-answers.ts";
import { readHoldings } from "./account-holdings.ts";
import { type Announced, readAnnounced, tokensBehind } from "./announced-contracts.ts";
import { type ChainCopy, copyChain } from "./chain-copy.ts";
import { compareExit, type ExitComparison, isRight, type Taken } from "./compare-exit.ts";
import { readUnanswered } from "./overdrawn.ts";
import { unwind } from "./unwind.ts";

/** The product and the node, with the contracts that factories have announced up to some block. */
export interface ExitCheck {
  service: Service;
  rpcUrl: string;
  node: PublicClient;
  announced: Announced;
}

export async function openExitCheck(
  service: Service,
  { chain, rpcUrl, head }: { chain: ChainFile; rpcUrl: string; head: number },
): Promise<ExitCheck> {
  const node = createPublicClient({ transport: http(rpcUrl, { timeout: 60_000, retryCount: 2 }) });
  return { service, rpcUrl, node, announced: await readAnnounced(node, chain, head) };
}

/** @throws Error when the block is another one at the node, or cannot be copied */
export async function compareExits(
  check: ExitCheck,
  { accounts, block }: { accounts: readonly Address[]; block: number },
): Promise<ExitComparison[]> {
  const copy = await copyChain({ rpcUrl: check.rpcUrl, block });
  try {
    const comparisons: ExitComparison[] = [];
    for (const account of accounts) comparisons.push(await exitOn(copy, check, account));
    return comparisons;
  } finally {
    await copy.stop();
  }
}

/** Each holding on a copy of its own: taking out one must not affect another. */
async function exitOn(copy: ChainCopy, check: ExitCheck, account: Address): Promise<ExitComparison> {
  const { service, node, announced } = check;
  const { block } = copy;
  const answered = await readAnswers(service, { account, block });
  const there = await node.getBlock({ blockNumber: BigInt(block) });
  if (answered.blockHash !== undefined && answered.blockHash !== there.hash)
    throw new Error(
      `block ${block} is ${answered.blockHash} here and ${there.hash} at the node: a reorg, or another chain`,
    );
  const taken: Taken[] = [];
  for (const holding of await readHoldings({ node, announced, account, block }))
    taken.push({ holding, unwound: await unwind(copy, { account, announced, holding }) });
  const question = { account, block, announced };
  const comparison = compareExit(question, taken, answered);
  if (isRight(comparison)) return comparison;
  const tokens = new Set([
    ...answered.answers.map(({ token }) => token),
    ...taken.flatMap(({ unwound: { arrivals, refused } }) => [
      ...arrivals.map(({ token }) => token),
      ...refused.flatMap(({ trail }) => tokensBehind(announced, trail.at(-1) ?? "")),
    ]),
  ]);
  const unanswered = await readUnanswered(service, node, { tokens, block });
  return compareExit({ ...question, ...unanswered }, taken, answered);
}
