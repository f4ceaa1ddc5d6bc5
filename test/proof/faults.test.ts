// The product broken on purpose, in small: `npm run verify:faults` does the same with larger numbers and judges delays.
// One chain and one stack for all; each step leaves it running for the next.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killAtBackfillEnd } from "../../verify/faults/backfill-end.ts";
import { dropFold, killFold } from "../../verify/faults/fold-faults.ts";
import { meetHostileTokens } from "../../verify/faults/hostile-tokens.ts";
import { type Outcome, printOutcome } from "../../verify/faults/outcome.ts";
import { killLive } from "../../verify/faults/ponder-kills.ts";
import { compareAcrossReorg, reorgUnderReaders } from "../../verify/faults/reorgs.ts";
import { type Stack, startStack } from "../../verify/faults/stack.ts";

const times = (variable: string, otherwise: number): number => Number(process.env[variable] ?? otherwise);

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack?.stop();
});

/** Delays depend on the machine: they are printed here and judged only by `npm run verify:faults`. */
function expectSurvived(outcome: Outcome): void {
  printOutcome(outcome);
  expect(outcome.faults).toEqual([]);
}

describe("the running product", { timeout: 300_000 }, () => {
  it("loses no block when Ponder is killed at the end of its backfill", async () => {
    expectSurvived(await killAtBackfillEnd(stack));
  });

  it("has one row per log after Ponder was killed at the head", async () => {
    expectSurvived(await killLive(stack, { count: times("PROOF_KILLS", 1) }));
  });

  it("changes exactly the answers of replaced blocks", async () => {
    expectSurvived(await compareAcrossReorg(stack, 5));
  });

  it("answers right and without deadlocks through reorgs", async () => {
    // Something long to read slowly.
    await stack.chain.spread(8_000);
    expectSurvived(await reorgUnderReaders(stack, { count: times("PROOF_REORGS", 3), deepest: 12 }));
  });

  it("rebuilds a dropped fold to the same answers", async () => {
    expectSurvived(await dropFold(stack));
  });

  it("folds to the same rows however often it is killed", async () => {
    expectSurvived(await killFold(stack, { count: times("PROOF_FOLD_KILLS", 2) }));
  });

  it("names hostile tokens and keeps every other one exact", async () => {
    expectSurvived(await meetHostileTokens(stack));
  });
});
