// `--pool` and `--pools`: which pools at which blocks, and the table of what was compared.
import type { Address } from "viem";
import type { V3PoolState } from "../gateway/concentrated/state-at.ts";
import type { Plan } from "./arguments.ts";
import { comparePool, noteIn, type PoolReport } from "./compare-pool.ts";
import { compareTimeInside } from "./compare-time-inside.ts";
import { type Contracts, openContracts } from "./contract-answers.ts";
import type { VerifyEnvironment } from "./environment.ts";
import { seededRandom } from "./sample-blocks.ts";
import type { Served } from "./served-answers.ts";

/** The first block that may be picked, the last one, and `samples` random ones in between. */
function blocksOf(first: number, head: number, { plan, random }: { plan: Plan; random: () => number }): number[] {
  if (plan.block !== undefined) return [plan.block];
  if (plan.only !== undefined) return [head];
  const picked = Array.from({ length: plan.samples }, () => first + Math.floor(random() * (head - first + 1)));
  return [...new Set([first, ...picked, head])].sort((a, b) => a - b);
}

async function reportOn(
  { served, contracts }: { served: Served; contracts: Contracts },
  pool: Address,
  blocks: number[],
): Promise<PoolReport> {
  const report: PoolReport = { pool, compared: new Map(), differences: 0, noted: [], stopped: undefined };
  let last: { state: V3PoolState; block: number } | undefined;
  for (const [i, block] of blocks.entries()) {
    const answer = await served.poolAt(pool, block);
    if ("stopped" in answer) {
      report.stopped = answer.stopped;
      return report;
    }
    await contracts.requireSameBlock(block, answer.blockHash);
    // With a small tick spacing a bitmap is thousands of words: it is read only at the first and last block, and for a single block.
    const isEveryTick = i === 0 || i === blocks.length - 1;
    const now = { state: answer.state, block };
    await comparePool(contracts, { ...now, isEveryTick }, report);
    if (last) await compareTimeInside({ served, contracts }, { from: last, to: now }, noteIn(report, block));
    await contracts.requireSameBlock(block, answer.blockHash);
    last = now;
  }
  return report;
}

/**
 * Resolves to the exit code: 1 with any difference or stopped pool.
 * @throws Error when there is no such pool, nothing could be compared, or the node cannot answer
 */
export async function comparePools(served: Served, { rpcUrl }: VerifyEnvironment, plan: Plan): Promise<number> {
  const contracts = openContracts(rpcUrl);
  const [first, head] = [await served.firstBlock(), await served.head()];
  const random = seededRandom(plan.seed);
  const pools = await served.pools();
  const wanted = plan.only === undefined ? pools : pools.filter(({ address }) => address === plan.only);
  if (wanted.length === 0) throw new Error(`${plan.only ?? "this chain"}: no v3 pool; check the address and the chain`);
  let [numbers, differences, stopped] = [0, 0, 0];
  for (const { address, createdBlock } of wanted) {
    const blocks = blocksOf(Math.max(first, createdBlock), head, { plan, random });
    const report = await reportOn({ served, contracts }, address, blocks);
    const parts = [...report.compared].map(([what, count]) => `${what} ${count}`).join(", ");
    const verdict = report.stopped ?? (report.differences === 0 ? "exact" : `${report.differences} WRONG`);
    console.log(`${address}  ${blocks.length} blocks in ${blocks[0]}..${blocks.at(-1)}: ${parts}: ${verdict}`);
    for (const line of report.noted) console.log(`  ${line}`);
    for (const count of report.compared.values()) numbers += count;
    differences += report.differences;
    stopped += report.stopped === undefined ? 0 : 1;
  }
  console.log(
    `${wanted.length} pools, ${numbers} numbers compared: ${differences} differences, ${stopped} stopped (seed ${plan.seed})`,
  );
  if (numbers + stopped === 0) throw new Error("nothing was verified: no pool was initialised at the blocks compared");
  return differences + stopped === 0 ? 0 : 1;
}
