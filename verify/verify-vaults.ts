// `--vaults`: which blocks, and the table of what was compared.
import { blockNumbered } from "../gateway/history/block-choice.ts";
import type { Plan } from "./arguments.ts";
import { compareVaults, emptyVaultsReport, type VaultsReport } from "./compare-vaults.ts";
import { openContracts } from "./contract-answers.ts";
import type { VerifyEnvironment } from "./environment.ts";
import { seededRandom } from "./sample-blocks.ts";
import type { Served } from "./served-answers.ts";
import { servedVaults } from "./served-vaults.ts";

/** `samples` random blocks, and the last one. */
function blocksOf(start: number, head: number, plan: Plan): number[] {
  if (plan.block !== undefined) return [plan.block];
  const random = seededRandom(plan.seed);
  const picked = Array.from({ length: plan.samples }, () => start + Math.floor(random() * (head - start + 1)));
  return [...new Set([...picked, head])].sort((a, b) => a - b);
}

/** A line for each kind; the sums over all of them. */
function printKinds({
  kinds,
}: VaultsReport): Record<"vaults" | "numbers" | "differences" | "stopped" | "unanswered", number> {
  const sums = { vaults: 0, numbers: 0, differences: 0, stopped: 0, unanswered: 0 };
  for (const [kind, { vaults, compared, differences, stopped, unanswered, noted, quirks }] of kinds) {
    const parts = [...compared].map(([view, count]) => `${view} ${count}`).join(", ");
    const stops =
      (stopped.size > 0 ? `, ${stopped.size} stopped` : "") +
      (unanswered.size > 0 ? `, ${unanswered.size} left out: a ledger that they need broke` : "");
    const verdict = differences === 0 ? "exact" : `${differences} WRONG`;
    const but = [...quirks].map(
      ([why, { numbers, most }]) => `, but for ${numbers} by ${why}, ${most} raw units at most`,
    );
    console.log(`${kind}  ${vaults.size} contracts: ${parts || "nothing"}: ${verdict}${but.join("")}${stops}`);
    for (const line of noted) console.log(`  ${line}`);
    sums.vaults += vaults.size;
    for (const count of compared.values()) sums.numbers += count;
    sums.differences += differences;
    sums.stopped += stopped.size;
    sums.unanswered += unanswered.size;
  }
  return sums;
}

/**
 * Resolves to the exit code: 1 with any difference or anything stopped.
 * @throws Error when nothing could be compared, the node cannot answer, or it stands on another chain
 */
export async function verifyVaults(
  served: Served,
  { rpcUrl }: Pick<VerifyEnvironment, "rpcUrl">,
  plan: Plan,
): Promise<number> {
  const contracts = openContracts(rpcUrl);
  const blocks = blocksOf(await served.firstBlock(), await served.head(), plan);
  const report = emptyVaultsReport();
  for (const block of blocks) {
    const choice = blockNumbered(block, "--block");
    const { vaults, blockHash } = await served.ask(servedVaults, choice);
    await contracts.requireSameBlock(block, blockHash);
    await compareVaults(contracts.client, { vaults, block }, report);
    await contracts.requireSameBlock(block, blockHash);
  }
  const { vaults, numbers, differences, stopped, unanswered } = printKinds(report);
  console.log(
    `${vaults} contracts at ${blocks.length} blocks in ${blocks[0]}..${blocks.at(-1)}, ${numbers} numbers compared: ` +
      `${differences} differences, ${stopped} stopped (seed ${plan.seed})`,
  );
  if (numbers === 0 && stopped === 0)
    throw new Error(
      `nothing was verified: ${
        unanswered > 0
          ? "what there is was left out, as ledgers that it needs broke"
          : "there is no vault, pair or island yet"
      }`,
    );
  return differences + stopped === 0 ? 0 : 1;
}
