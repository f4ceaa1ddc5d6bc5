// The product broken on purpose, in small: `npm run verify:faults` and `npm run chaos` do the same with larger numbers; the
// first judges delays, too.
// One chain and one stack for all; each step leaves it running for the next.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killAtBackfillEnd } from "../../trials/faults/backfill-end.ts";
import { dropFold } from "../../trials/faults/fold-faults.ts";
import { meetHostileTokens } from "../../trials/faults/hostile-tokens.ts";
import { type Outcome, printOutcome } from "../../trials/faults/outcome.ts";
import { compareAcrossReorg, reorgUnderReaders } from "../../trials/faults/reorgs.ts";
import { type Stack, startStack } from "../../trials/faults/stack.ts";
import { rideOut } from "../../trials/faults/storm.ts";
import { seededRandom } from "../../verify/sample-blocks.ts";

const times = (variable: string, otherwise: number): number => Number(process.env[variable] ?? otherwise);

/**
 ** Those of the storm's faults that leave no long retries behind; `npm run chaos` has them all, and those of the
 * database.
 */
const GUSTS = [
  "evm_revert",
  "Ponder killed in a reorg",
  "fold killed",
  "gateway killed",
  "clock jumps",
  "node: partial logs",
  "node: null",
];

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

describe("the running product", { timeout: 480_000 }, () => {
  it("loses no block when Ponder is killed at the end of its backfill", async () => {
    expectSurvived(await killAtBackfillEnd(stack));
  });

  it("changes exactly the answers of replaced blocks", async () => {
    expectSurvived(await compareAcrossReorg(stack, 5));
  });

  it("answers right and without deadlocks through reorgs", async () => {
    // Something long to read slowly.
    await stack.chain.spread(8_000);
    expectSurvived(await reorgUnderReaders(stack, { count: times("TRIAL_REORGS", 1), deepest: 12 }));
  });

  it("rebuilds a dropped fold to the same answers", async () => {
    expectSurvived(await dropFold(stack));
  });

  it("is right through a storm of faults, and afterwards the same as if nothing had happened", async () => {
    const seed = process.env.TRIAL_SEED ?? "storm";
    console.log(`seed ${seed}`);
    const rounds = times("TRIAL_STORM_ROUNDS", 1);
    const storm = { random: seededRandom(seed), goesOn: (round: number) => round < rounds, perRound: GUSTS.length };
    expectSurvived(await rideOut(stack, { ...storm, names: GUSTS, longestLie: 3, pauseMs: 150 }));
  });

  it("names hostile tokens and keeps every other one exact", async () => {
    expectSurvived(await meetHostileTokens(stack));
  });
});
