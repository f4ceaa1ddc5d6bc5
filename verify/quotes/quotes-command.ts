// `--quotes`: opens the product and the node, quotes at random blocks, carries out, prints, and decides the exit code.

import { openDatabase } from "../../gateway/database/database.ts";
import { openLastingService } from "../../gateway/service.ts";
import type { Plan } from "../arguments.ts";
import type { VerifyEnvironment } from "../environment.ts";
import { copyChain } from "../exit/chain-copy.ts";
import { firstBlockOf } from "../first-block.ts";
import { inRequest } from "../in-request.ts";
import { seededRandom } from "../sample-blocks.ts";
import { compareAt, routerPlaceAt } from "./block-quotes.ts";
import { QuotesReport } from "./quotes-report.ts";

/** In addition to a block's quotes, this share of them is made shortly before it and carried out at it. */
const LATE_SHARE = 0.25;

/** Resolves to the exit code: 1 with any difference. @throws Error when nothing could be compared */
export async function runQuotes({ databaseUrl, rpcUrl, chain }: VerifyEnvironment, plan: Plan): Promise<number> {
  const database = openDatabase(databaseUrl);
  try {
    const service = openLastingService({ chains: [chain], database });
    const { point, state } = await inRequest(service, (scope) => scope.run(routerPlaceAt, "latest"));
    if (state.pools.size === 0) throw new Error("this chain has no pool yet: nothing can be quoted");
    const random = seededRandom(plan.seed);
    const first = await firstBlockOf(service, chain);
    const blocks = blocksOf(plan, { first, head: point.block, random });
    const report = new QuotesReport();
    const check = { service, chain, first, rpcUrl, taxed: state.taxed, random, report };
    const each = Math.ceil((plan.quotes ?? 0) / blocks.length);
    for (const block of blocks) {
      const copy = await copyChain({ rpcUrl, block });
      try {
        await compareAt(check, copy, { paths: each, quotes: each, late: Math.ceil(each * LATE_SHARE) });
      } finally {
        await copy.stop();
      }
    }
    for (const line of report.lines()) console.log(line);
    console.log(
      `${report.countOf("path") + report.countOf("route")} quotes compared with eth_call at their block, ` +
        `${blocks.filter((block) => block < point.block).length} of ${blocks.length} blocks below the head`,
    );
    console.log(
      `${report.compared} comparisons at ${blocks.length} blocks in ${blocks[0]}..${blocks.at(-1)}: ` +
        `${report.countOf("carried out:")} swaps carried out, ${report.differing} differences (seed ${plan.seed})`,
    );
    if (report.compared === 0) throw new Error("no pool had anything to quote at the chosen blocks");
    return report.differing === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
}

/** Random blocks, later ones more often: they have more pools. */
function blocksOf(
  plan: Plan,
  { first, head, random }: { first: number; head: number; random: () => number },
): number[] {
  if (plan.block !== undefined) return [plan.block];
  const picked = Array.from(
    { length: plan.samples },
    () => first + Math.floor(Math.sqrt(random()) * (head - first + 1)),
  );
  return [...new Set([...picked, head])].sort((a, b) => a - b);
}
