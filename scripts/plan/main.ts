// `npm run plan`: what an index of a chain will ask, take and last, before it is started.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ChainFileError } from "../../chains/load.ts";
import { RateTooLowError } from "../../core/sizing/plan.ts";
import { UsageError } from "../command-line.ts";
import { RpcError } from "../launcher/json-rpc.ts";
import { projectRoot } from "../launcher/programs.ts";
import { makePlan } from "./make-plan.ts";
import { readOptions, usage } from "./options.ts";
import { planText } from "./show.ts";

try {
  const envFile = join(projectRoot, ".env");
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  const options = readOptions(process.argv.slice(2));
  console.log(options === undefined ? usage : planText(await makePlan(options)));
} catch (error) {
  const isWrongUse =
    error instanceof UsageError ||
    error instanceof ChainFileError ||
    error instanceof RateTooLowError ||
    // no URL, though it begins like one
    (error instanceof TypeError && "code" in error);
  if (!isWrongUse && !(error instanceof RpcError)) throw error;
  console.error((error as Error).message);
  process.exitCode = isWrongUse ? 1 : 2;
}
