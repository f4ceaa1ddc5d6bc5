// `npm run verify`: compares served answers with the contracts themselves. Exit code and verdicts: see arguments.ts.
import { indexingOf } from "../chains/indexing.ts";
import { UsageError } from "../scripts/command-line.ts";
import { type Plan, parsePlan, USAGE } from "./arguments.ts";
import { type Comparison, compareToken, type TokenReport } from "./compare.ts";
import { comparePools } from "./compare-pools.ts";
import { openContracts } from "./contract-answers.ts";
import { readEnvironment, type VerifyEnvironment } from "./environment.ts";
import { runExits } from "./exit/exit-command.ts";
import { runFreshQuotes } from "./quotes/fresh-quotes.ts";
import { runQuotes } from "./quotes/quotes-command.ts";
import { formatDetails, formatTable } from "./report-table.ts";
import { seededRandom } from "./sample-blocks.ts";
import { openServed, type Served } from "./served-answers.ts";
import { verifyVaults } from "./verify-vaults.ts";

/** Name of the flag that gateways show for a token whose contract disagrees with its own events. */
const DRIFT_FLAG = "balance-drift";

async function compareAll(served: Served, environment: VerifyEnvironment, plan: Plan): Promise<TokenReport[]> {
  const { chain, rpcUrl } = environment;
  const contracts = openContracts(rpcUrl);
  const head = await served.head();
  const weth9 = new Set<string>(indexingOf(chain).weth9);
  const comparison: Comparison = {
    served,
    contracts,
    start: chain.startBlock,
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
    if (report.verdict === "drift")
      await served.recordFlag({
        token: token.address,
        flag: DRIFT_FLAG,
        block: report.readable?.block ?? 0,
        detail: report.detail,
      });
  }
  return reports;
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
  const isOff = plan.isStrict ? reports.some(({ differences }) => differences > 0) : count("WRONG") > 0;
  return isOff ? 1 : 0;
}

async function main(): Promise<number> {
  const plan = parsePlan(process.argv.slice(2));
  if (plan === "help") {
    console.log(USAGE);
    return 0;
  }
  const environment = readEnvironment();
  if (plan.subject === "exits") return await runExits(environment, plan);
  if (plan.subject === "quotes") return await runQuotes(environment, plan);
  if (plan.subject === "fresh-quotes") return await runFreshQuotes(environment, plan);
  const served = openServed(environment.databaseUrl, environment.chain);
  try {
    if (plan.subject === "vaults") return await verifyVaults(served, environment, plan);
    if (plan.subject === "pools") return await comparePools(served, environment, plan);
    return summarise(await compareAll(served, environment, plan), plan);
  } finally {
    await served.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`verify: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = 2;
}
