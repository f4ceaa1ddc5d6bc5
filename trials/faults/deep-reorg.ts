// Reorgs down to the newest final block, which have no effect on answers below, and deeper ones: every part stops with a named error,
// blocks that both branches share are still answered, SQL is refused, subscribers are notified, and after a reset the index is that
// of the new branch.
import { CHAIN_REPLACED_EXIT, readFinalBlock } from "../../fold/node/chain-standing.ts";
import { resetChain } from "../../launcher/chain/instance-guard.ts";
import { changedAnswers, readAnswers } from "./answers.ts";
import { takeCensus } from "./census.ts";
import { TRIAL_CHAIN_ID } from "./chain-file.ts";
import type { Outcome } from "./outcome.ts";
import { runProgram } from "./run-program.ts";
import type { Stack } from "./stack.ts";

/** A subscription that goes on for longer after the reorg is a fault. */
const LONGEST_SUBSCRIPTION_MS = 120_000;

interface ServedStatus {
  state: string;
  reason: string | null;
  lastSyncedBlock: number;
}

async function finalBlockOf({ sql, ponderSchema }: Stack): Promise<number> {
  const final = await readFinalBlock(sql, ponderSchema);
  if (final === undefined) throw new Error("there is no final block");
  return final.number;
}

/** Replaces all blocks that are not final. Needs a running stack with final blocks. */
export async function replaceAllAboveFinal(stack: Stack): Promise<Outcome> {
  const { chain, fold } = stack;
  await stack.waitSynced();
  const final = await finalBlockOf(stack);
  const shared = [0, Math.floor(final / 2), final];
  const before = await readAnswers(stack, shared);
  const ends = fold.unexpectedEnds;
  const depth = chain.head() - final;
  await chain.reorg(depth, depth + 1);
  await stack.waitSynced(60_000);
  const faults = changedAnswers(before, await readAnswers(stack, shared)).map((key) => `the answer changed: ${key}`);
  if (fold.unexpectedEnds !== ends) faults.push("the fold ended");
  const census = await takeCensus(stack.sql, stack.ponderSchema, chain.history);
  return {
    name: "a reorg down to the newest final block",
    figures: {
      "newest final block, depth": `${final}, ${depth}`,
      "rows and logs": `${census.rows} and ${census.logs}`,
    },
    faults: [...faults, ...census.differences],
  };
}

/** All that a subscriber to blocks is sent until the gateway ends the subscription; or why that is not known. */
async function subscribe(gatewayUrl: string): Promise<string> {
  const response = await fetch(`${gatewayUrl}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ query: "subscription { newBlock { block { number } } }" }),
    signal: AbortSignal.timeout(LONGEST_SUBSCRIPTION_MS),
  });
  return response.text().catch(String);
}

/** What `npm run sql` answers, or the message with which it refuses. */
function countHolders({ chain, env, folder, lakeFolder }: Stack): ReturnType<typeof runProgram> {
  const statement = `select count(*) from holders('${chain.tokens.churning}', head())`;
  return runProgram(["sql/main.ts", statement], { ...env, LAKE: lakeFolder, TIDEMARK_DATA: folder });
}

/** Replaces the newest final block and those below it, `below` in all. Needs a running stack; leaves it indexed again. */
export async function replaceFinal(stack: Stack, below: number): Promise<Outcome> {
  const { chain, sql, ponderSchema, ponder, fold, gatewayUrl } = stack;
  await stack.waitSynced();
  const final = await finalBlockOf(stack);
  const fork = final - below;
  const shared = [0, 2, Math.floor(fork / 2), fork];
  const before = await readAnswers(stack, shared);
  const faults: string[] = [];
  fold.isSupervised = false;
  const subscribed = subscribe(gatewayUrl);
  await chain.reorg(chain.head() - fork, 5);
  await stack.waitFor("the fold's end", () => !fold.isRunning);
  if (fold.lastCode !== CHAIN_REPLACED_EXIT) faults.push(`the fold ended with code ${fold.lastCode}`);
  const status = (await (await fetch(`${gatewayUrl}/status`)).json()) as ServedStatus;
  if (status.state !== "stopped" || status.lastSyncedBlock !== fork)
    faults.push(`/status says ${status.state}, synced up to ${status.lastSyncedBlock}; both branches share ${fork}`);
  faults.push(...changedAnswers(before, await readAnswers(stack, shared)).map((key) => `the answer changed: ${key}`));
  const above = await fetch(`${gatewayUrl}/balances/${chain.tokens.churning}?blockNumber=${fork + 1}`);
  if (above.status !== 409) faults.push(`block ${fork + 1} is answered with ${above.status}`);
  for (const [who, sent] of [
    ["was there", subscribed],
    ["came later", subscribe(gatewayUrl)],
  ] as const) {
    const text = await sent;
    if (!text.includes("CHAIN_REPLACED")) faults.push(`a subscriber who ${who} was sent ${text.slice(-300)}`);
  }
  const refused = await countHolders(stack);
  if (refused.status !== 1 || !refused.output.includes("SQL is not answered: the chain has replaced block"))
    faults.push(`SQL ended with ${refused.status}: ${refused.output}`);
  await ponder.kill();
  const refusal = await stack.restartPonder().then(
    () => "none",
    (error: Error) => error.message,
  );
  if (!refusal.includes("which was final")) faults.push(`Ponder was started again: ${refusal}`);
  await resetChain(sql, TRIAL_CHAIN_ID);
  fold.isSupervised = true;
  fold.start();
  await stack.restartPonder();
  await stack.waitSynced(180_000);
  const answered = await countHolders(stack);
  if (answered.status !== 0) faults.push(`SQL ended with ${answered.status} after the reset: ${answered.output}`);
  const census = await takeCensus(sql, ponderSchema, chain.history);
  return {
    name: "a reorg deeper than finality",
    figures: {
      "newest final block, last common block": `${final}, ${fork}`,
      "/status": status.reason ?? "-",
      "rows and logs after the reset": `${census.rows} and ${census.logs}`,
      "SQL after the reset": answered.output.trim().split("\n").join(" "),
    },
    faults: [...faults, ...census.differences],
  };
}
