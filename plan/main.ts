// `npm run plan`: how many requests, how much space and how much time an index of a chain will take, before it is started.

import { RpcError } from "../chains/json-rpc.ts";
import { ChainFileError } from "../chains/load.ts";
import { RateTooLowError } from "../core/sizing/plan.ts";
import { UsageError } from "../machine/command-line.ts";
import { makePlan } from "./make-plan.ts";
import { readOptions, usage } from "./options.ts";
import { planText } from "./show.ts";

try {
  const options = readOptions(process.argv.slice(2));
  console.log(options === undefined ? usage : planText(await makePlan(options)));
} catch (error) {
  const isWrongUse = error instanceof UsageError || error instanceof ChainFileError || error instanceof RateTooLowError;
  if (!isWrongUse && !(error instanceof RpcError)) throw error;
  console.error((error as Error).message);
  process.exitCode = isWrongUse ? 1 : 2;
}
