// `npm run verify`: compares served answers with the contracts themselves. Exit code and verdicts: see arguments.ts.
import { databaseComplaint } from "../database/server-url.ts";
import { UsageError } from "../machine/command-line.ts";
import { parsePlan, USAGE } from "./arguments.ts";
import { comparePools } from "./compare-pools.ts";
import { compareTokens } from "./compare-tokens.ts";
import { readEnvironment } from "./environment.ts";
import { runExits } from "./exit/exit-command.ts";
import { runFreshQuotes } from "./quotes/fresh-quotes.ts";
import { runQuotes } from "./quotes/quotes-command.ts";
import { openServed } from "./served-answers.ts";
import { verifyVaults } from "./verify-vaults.ts";

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
    return await compareTokens(served, environment, plan);
  } finally {
    await served.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`verify: ${databaseComplaint(error)}`);
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = 2;
}
