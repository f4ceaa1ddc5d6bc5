// `--token` and `--all`: which tokens, the table of what was compared, and the flags of those that drift.
import { indexingOf } from "../chains/indexing.ts";
import type { Plan } from "./arguments.ts";
import { type Comparison, compareToken, type TokenReport } from "./compare.ts";
import { openContracts } from "./contract-answers.ts";
import type { VerifyEnvironment } from "./environment.ts";
import { formatDetails, formatTable } from "./report-table.ts";
import { seededRandom } from "./sample-blocks.ts";
import type { Served } from "./served-answers.ts";

/**
 * Resolves to the exit code: 1 with an answer that is WRONG; where the plan is strict, with any difference.
 * @throws Error when there is no such token, nothing could be compared, or the node cannot answer
 */
export async function compareTokens(
  served: Served,
  { chain, rpcUrl }: Pick<VerifyEnvironment, "chain" | "rpcUrl">,
  plan: Plan,
): Promise<number> {
  const head = await served.head();
  const weth9 = new Set<string>(indexingOf(chain).weth9);
  const comparison: Comparison = {
    served,
    contracts: openContracts(rpcUrl),
    start: chain.startBlock,
    first: await served.firstBlock(),
    head,
    isWeth9: (token) => weth9.has(token),
    random: seededRandom(plan.seed),
    samples: plan.samples,
    block: plan.only === undefined ? plan.block : (plan.block ?? head),
    accounts: plan.accounts,
  };
  const tokens = await served.tokens();
  const wanted = plan.only === undefined ? tokens : tokens.filter(({ address }) => address === plan.only);
  if (wanted.length === 0)
    throw new Error(`${plan.only ?? "no token"}: no recorded transfer; check the address and the chain`);
  const reports: TokenReport[] = [];
  for (const token of wanted) {
    const report = await compareToken(comparison, token);
    reports.push(report);
    await updateDriftFlag(comparison, report);
  }
  return summarise(reports, plan);
}

/** Exact at some blocks, or for some accounts, does not mean that the token did not drift at the block for which it is flagged. */
async function updateDriftFlag({ served, block, accounts }: Comparison, report: TokenReport): Promise<void> {
  const { token, verdict, readable, detail, flagged, blocks } = report;
  if (verdict === "drift" && readable)
    await served.recordDrift({ token: token.address, block: readable.block, detail });
  const isWhole = block === undefined && accounts === undefined;
  if (verdict === "exact" && isWhole && flagged !== undefined && blocks.includes(flagged))
    await served.removeDrift({ token: token.address, block: flagged });
}

function summarise(reports: readonly TokenReport[], plan: Plan): number {
  console.log(formatTable(reports));
  for (const line of formatDetails(reports, plan.only !== undefined)) console.log(line);
  const count = (verdict: TokenReport["verdict"]) => reports.filter((report) => report.verdict === verdict).length;
  const comparisons = reports.reduce((sum, report) => sum + report.comparisons, 0);
  console.log(
    `${reports.length} tokens, ${comparisons} numbers compared: ${count("exact")} exact, ${count("drift")} drift, ` +
      `${count("unreadable")} unreadable, ${count("quarantined")} quarantined, ${count("WRONG")} WRONG (seed ${plan.seed})`,
  );
  if (comparisons === 0) throw new Error("nothing was verified: what was asked for is quarantined");
  const isOff = plan.isStrict ? reports.some(({ differences }) => differences > 0) : count("WRONG") > 0;
  return isOff ? 1 : 0;
}
