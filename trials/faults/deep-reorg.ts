// A reorg deeper than finality: everything stops by name, what both branches share goes on being answered, and after a
// reset the index is that of the new branch.
import { CHAIN_REPLACED_EXIT, readFinalBlock } from "../../fold/chain-standing.ts";
import { resetChain } from "../../scripts/launcher/instance-guard.ts";
import { changedAnswers, readAnswers } from "./answers.ts";
import { takeCensus } from "./census.ts";
import { PROOF_CHAIN_ID } from "./chain-file.ts";
import type { Outcome } from "./outcome.ts";
import type { Stack } from "./stack.ts";

/** Blocks below the newest final one that are replaced, too. */
const BELOW_FINAL = 7;

interface ServedStatus {
  state: string;
  reason: string | null;
  lastSyncedBlock: number;
}

/** Needs a running stack with final blocks; leaves it indexed anew. */
export async function replaceFinal(stack: Stack): Promise<Outcome> {
  const { chain, sql, ponderSchema, ponder, fold, gatewayUrl } = stack;
  await stack.waitSynced();
  const final = await readFinalBlock(sql, ponderSchema);
  if (final === undefined || final.number <= BELOW_FINAL) throw new Error("there is no final block to replace");
  const fork = final.number - BELOW_FINAL;
  const shared = [0, 2, Math.floor(fork / 2), fork];
  const before = await readAnswers(stack, shared);
  const faults: string[] = [];
  fold.isSupervised = false;
  await chain.reorg(chain.head() - fork, 5);
  await stack.waitFor("the fold's end", () => !fold.isRunning);
  if (fold.lastCode !== CHAIN_REPLACED_EXIT) faults.push(`the fold ended with code ${fold.lastCode}`);
  const status = (await (await fetch(`${gatewayUrl}/status`)).json()) as ServedStatus;
  if (status.state !== "stopped" || status.lastSyncedBlock !== fork)
    faults.push(`/status says ${status.state}, synced up to ${status.lastSyncedBlock}; both branches share ${fork}`);
  faults.push(...changedAnswers(before, await readAnswers(stack, shared)).map((key) => `the answer changed: ${key}`));
  const above = await fetch(`${gatewayUrl}/balances/${chain.tokens.churning}?blockNumber=${fork + 1}`);
  if (above.status !== 409) faults.push(`block ${fork + 1} is answered with ${above.status}`);
  await ponder.kill();
  const refusal = await stack.restartPonder().then(
    () => "none",
    (error: Error) => error.message,
  );
  if (!refusal.includes("which was final")) faults.push(`Ponder was started again: ${refusal}`);
  await resetChain(sql, PROOF_CHAIN_ID);
  fold.isSupervised = true;
  fold.start();
  await stack.restartPonder();
  await stack.waitSynced(180_000);
  const census = await takeCensus(sql, ponderSchema, chain.history);
  return {
    name: "a reorg deeper than finality",
    figures: {
      "newest final block, last common block": `${final.number}, ${fork}`,
      "/status": status.reason ?? "-",
      "rows and logs after the reset": `${census.rows} and ${census.logs}`,
    },
    faults: [...faults, ...census.differences],
  };
}
