// `npm run snapshot`: who has how much of a token at a block, as a file. Options: see arguments.ts.
import { databaseComplaint } from "../database/server-url.ts";
import { openDatabases } from "../gateway/database/database-servers.ts";
import { openLastingService } from "../gateway/service.ts";
import { UsageError } from "../machine/command-line.ts";
import { ownPartials } from "../machine/partial-file.ts";
import { removeWhenStopped } from "../machine/remove-when-stopped.ts";
import { parsePlan, USAGE } from "./arguments.ts";
import { readEnvironment } from "./environment.ts";
import { writeSnapshot } from "./write-snapshot.ts";

async function main(): Promise<void> {
  const plan = parsePlan(process.argv.slice(2));
  if (plan === "help") {
    console.log(USAGE);
    return;
  }
  const { databaseUrls, chain } = readEnvironment();
  removeWhenStopped(() => ownPartials(plan.file));
  const database = openDatabases(databaseUrls);
  const service = openLastingService({ chains: [chain], database });
  try {
    const { block, blockHash, isFinal, accounts, sum, root, incomplete } = await writeSnapshot(service, plan);
    console.log(`block ${block} ${blockHash ?? ""}${isFinal ? "" : " (not final: a reorganisation may replace it)"}`);
    console.log(`${accounts} accounts, ${sum} raw units together: ${plan.file}`);
    if (root !== undefined) console.log(`root ${root}: ${plan.file}.merkle.json`);
    if (incomplete.length > 0)
      console.log(`left out, as their holdings cannot be attributed to accounts: ${incomplete.join(", ")}`);
  } finally {
    await database.close();
  }
}

try {
  await main();
} catch (error) {
  console.error(`snapshot: ${databaseComplaint(error)}`);
  if (error instanceof UsageError) console.error(USAGE);
  process.exitCode = 2;
}
