// `npm run chaos -- --minutes 10 --seed <text>`: a storm of faults over a product of its own, on loopback only.
import { trialOptions } from "../../machine/command-line.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";
import { compareLakes } from "./lake-comparison.ts";
import { printOutcome } from "./outcome.ts";
import { runProgram } from "./run-program.ts";
import { bringUp, startStack } from "./stack.ts";
import { rideOut } from "./storm.ts";
import { faults } from "./storm-faults.ts";

const BLOCKS_AFTER = 70;

const values = trialOptions({
  usage: "npm run chaos -- [--minutes 10] [--seed <text>] [--only <faults>] [--port <port>] [--keep]",
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: new Date().toISOString() },
    port: { type: "string" },
    only: { type: "string" },
    keep: { type: "boolean", default: false },
  },
  numbers: ["minutes", "port"],
});

const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 240)) throw new Error("--minutes: must be a number above 0, at most 240");
const names = values.only?.split(",");
const unknown = names?.filter((name) => !faults.has(name)) ?? [];
if (unknown.length > 0)
  throw new Error(`--only: there is no ${unknown.join(", ")}; there are: ${[...faults.keys()].join(", ")}`);
console.log(`seed ${values.seed}`);
const random = seededRandom(values.seed);
const stack = await startStack({
  port: values.port === undefined ? undefined : Number(values.port),
  isPreserved: values.keep,
  hasDisk: true,
  random: seededRandom(`${values.seed} lies`),
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stack.stop().finally(() => process.exit(130)));
if (stack.disk === undefined) console.log("no file system can be mounted here: the disk is never full");
try {
  await bringUp(stack, { blocks: 100, holders: 500 });
  stack.lake.start();
  const until = Date.now() + minutes * 60_000;
  const goesOn = () => Date.now() < until;
  const outcome = await rideOut(stack, { random, goesOn, perRound: 6, say: console.log, ...(names ? { names } : {}) });
  const verified = await runProgram(["verify/main.ts", "--all", "--samples", "50", "--seed", values.seed], stack.env);
  outcome.figures.verify = verified.output.trimEnd().split("\n").at(-1) ?? "";
  if (verified.status !== 0) outcome.faults.push(`verify ended with ${verified.status}: ${verified.output}`);
  // so that what the storm did becomes final, and its segments full
  for (let block = 0; block < BLOCKS_AFTER; block++) await stack.chain.mine(40);
  const lakes = await compareLakes({ product: stack, rpcUrl: stack.anvil.url, head: stack.chain.head() });
  outcome.figures.lake = lakes.figures;
  outcome.faults.push(...lakes.differences);
  printOutcome(outcome);
  process.exitCode = outcome.faults.length > 0 ? 1 : 0;
} finally {
  // no exit code is set yet if something was thrown
  await stack.stop({ hasFailed: process.exitCode !== 0 });
}
