// `npm run verify:faults`: breaks the running product in every way it must survive, on a chain of its own.
import { trialOptions } from "../../machine/command-line.ts";
import { killAtBackfillEnd } from "./backfill-end.ts";
import { replaceAllAboveFinal, replaceFinal } from "./deep-reorg.ts";
import { dropFold, killFold } from "./fold-faults.ts";
import { meetHostileTokens } from "./hostile-tokens.ts";
import { type Outcome, printOutcome } from "./outcome.ts";
import { killInBackfill, killLive } from "./ponder-kills.ts";
import { compareAcrossReorg, reorgUnderReaders } from "./reorgs.ts";
import { bringUp, type Stack, startStack } from "./stack.ts";

const values = trialOptions({
  usage: "npm run verify:faults -- [--only <names>] [--kills 20] [--reorgs 20] [--folds 20] [--port <port>] [--keep]",
  options: {
    kills: { type: "string", default: "20" },
    reorgs: { type: "string", default: "20" },
    folds: { type: "string", default: "20" },
    port: { type: "string" },
    only: { type: "string" },
    keep: { type: "boolean", default: false },
  },
  numbers: ["kills", "reorgs", "folds", "port"],
});

const outcomes: Outcome[] = [];

async function within(name: string, run: (stack: Stack) => AsyncIterable<Outcome>): Promise<void> {
  if (values.only !== undefined && !values.only.split(",").includes(name)) return;
  const stack = await startStack({
    port: values.port === undefined ? undefined : Number(values.port),
    isPreserved: values.keep,
  });
  let hasFailed = true;
  try {
    const own: Outcome[] = [];
    for await (const outcome of run(stack)) {
      printOutcome(outcome);
      own.push(outcome);
    }
    outcomes.push(...own);
    hasFailed = own.some(({ faults }) => faults.length > 0);
  } finally {
    await stack.stop({ hasFailed });
  }
}

const kills = Number(values.kills);
await within("kills", async function* (stack) {
  const half = Math.ceil(kills / 2);
  yield await killAtBackfillEnd(stack);
  yield await killInBackfill(stack, { count: half - 1, head: 400 });
  yield await killLive(stack, { count: kills - half });
});
await within("reorgs", async function* (stack) {
  await bringUp(stack, { blocks: 100, holders: 60_000 });
  yield await compareAcrossReorg(stack, 5);
  yield await reorgUnderReaders(stack, { count: Number(values.reorgs), deepest: 20 });
});
await within("folds", async function* (stack) {
  await bringUp(stack, { blocks: 450, holders: 2_000 });
  yield await dropFold(stack);
  yield await killFold(stack, { count: Number(values.folds) });
});
await within("deep", async function* (stack) {
  await bringUp(stack, { blocks: 100, holders: 50 });
  yield await replaceAllAboveFinal(stack);
  // a branch that ends below what is final here, and one that goes beyond it
  yield await replaceFinal(stack, 7);
  yield await replaceFinal(stack, 1);
});
await within("hostile", async function* (stack) {
  await bringUp(stack, { blocks: 70, holders: 50 });
  yield await meetHostileTokens(stack);
});
process.exitCode = outcomes.some(({ faults, late = [] }) => faults.length + late.length > 0) ? 1 : 0;
