// Reorgs while many readers read and one reads very slowly; and one reorg with every answer compared before and after it.
import { setTimeout as sleep } from "node:timers/promises";
import { blockOf, changedAnswers, readAnswers } from "./answers.ts";
import { takeCensus } from "./census.ts";
import { type Outcome, randomBetween, spreadOf } from "./outcome.ts";
import { figuresOf } from "./ponder-kills.ts";
import { startReaders } from "./readers.ts";
import { startSlowClient } from "./slow-client.ts";
import type { Stack } from "./stack.ts";

const READERS = 10;
/** From a block being mined, or others being replaced, to its answer. */
const LONGEST_DELAY_MS = 2_000;

/** Milliseconds until the gateway answers for the present head with the present branch. */
async function delayOfHead({ chain, gatewayUrl, waitFor }: Stack, since: number): Promise<number> {
  const block = chain.history.at(chain.head());
  const expected = block.holdings.get(chain.tokens.churning)?.size ?? 0;
  await waitFor(`an answer at block ${block.number}`, async () => {
    const response = await fetch(`${gatewayUrl}/balances/${chain.tokens.churning}?blockNumber=${block.number}`);
    const text = await response.text();
    if (response.status !== 200 || Number(response.headers.get("x-block-number")) !== block.number) return false;
    const { results } = JSON.parse(text) as { results: { account: string; total: number }[] };
    const held = block.holdings.get(chain.tokens.churning);
    return results.length === expected && results.every(({ account, total }) => Number(held?.get(account)) === total);
  });
  return Date.now() - since;
}

/** `count` reorgs of depth 1 to `deepest`, blocks in between. */
export async function reorgUnderReaders(
  stack: Stack,
  { count, deepest }: { count: number; deepest: number },
): Promise<Outcome> {
  const { chain, ponder, sql, ponderSchema, gatewayUrl } = stack;
  await stack.waitSynced();
  const linesBefore = ponder.lines.length;
  const endsBefore = ponder.unexpectedEnds;
  const slow = await startSlowClient(gatewayUrl, `/balances/${chain.tokens.wide}?blockNumber=${chain.head()}`);
  const readers = startReaders({ ...stack, count: READERS, pauseMs: 60 });
  const blockDelays: number[] = [];
  const reorgDelays: number[] = [];
  let deepestDone = 0;
  for (let reorg = 0; reorg < count; reorg++) {
    for (let block = randomBetween(2, 5); block > 0; block--) {
      await chain.mine(randomBetween(3, 60));
      blockDelays.push(await delayOfHead(stack, chain.history.at(chain.head()).since));
      await sleep(randomBetween(50, 400));
    }
    const depth = reorg === 0 ? deepest : randomBetween(1, deepest);
    deepestDone = Math.max(deepestDone, depth);
    await chain.reorg(depth, randomBetween(3, 30));
    reorgDelays.push(await delayOfHead(stack, Date.now()));
    readers.settled();
  }
  const slowly = slow.stop();
  const tally = await readers.stop();
  const census = await takeCensus(sql, ponderSchema, chain.history);
  const deadlocks = ponder.lines.slice(linesBefore).filter((line) => /deadlock|40P01/i.test(line));
  const failures = ponder.lines
    .slice(linesBefore)
    .filter((line) => /"level":"(error|fatal)"|"level":(50|60)/.test(line));
  const late = [...blockDelays, ...reorgDelays].filter((delay) => delay > LONGEST_DELAY_MS);
  return {
    name: `${count} reorgs under ${READERS} readers and one at 1 kB/s`,
    figures: {
      "deepest reorg": deepestDone,
      ...figuresOf(tally),
      "slowest answer": `${tally.slowestMs} ms`,
      "block mined to answered": spreadOf(blockDelays),
      "reorg done to answered": spreadOf(reorgDelays),
      "slow client": `${slowly.bytes} bytes, ${slowly.isOpen ? "still reading" : "ended"}`,
      "deadlocks in Ponder's log": deadlocks.length,
      "errors in Ponder's log": failures.length,
      "rows and logs afterwards": `${census.rows} and ${census.logs}`,
    },
    faults: [
      ...tally.wrong,
      ...census.differences,
      ...deadlocks,
      ...failures,
      ...(ponder.unexpectedEnds > endsBefore ? ["Ponder ended by itself"] : []),
      ...(slowly.error === undefined ? [] : [`slow client: ${slowly.error}`]),
    ],
    late: late.map((delay) => `the head was ${delay} ms late`),
  };
}

/** Answers for the replaced blocks change, all others stay the same to the byte, nothing is counted twice. */
export async function compareAcrossReorg(stack: Stack, depth: number): Promise<Outcome> {
  const { chain, sql, ponderSchema } = stack;
  for (let block = 0; block < depth; block++) await chain.mine(30);
  await stack.waitSynced();
  const fork = chain.head() - depth;
  const step = Math.max(1, Math.floor(fork / 60));
  const blocks = [
    ...Array.from({ length: Math.floor(fork / step) }, (_, i) => i * step),
    ...Array.from({ length: depth + 2 }, (_, i) => fork - 1 + i),
  ];
  const before = await readAnswers(stack, blocks);
  await chain.reorg(depth, 30);
  await stack.waitSynced();
  const changed = changedAnswers(before, await readAnswers(stack, blocks));
  const census = await takeCensus(sql, ponderSchema, chain.history);
  const wrongly = changed
    .filter((key) => blockOf(key) <= fork)
    .map((key) => `the answer changed below the fork: ${key}`);
  const replaced = Array.from({ length: depth }, (_, i) => fork + 1 + i);
  const unchanged = replaced.filter((block) => !changed.includes(`${chain.tokens.churning} ${block}`));
  return {
    name: `a reorg of ${depth} blocks, answer by answer`,
    figures: {
      "answers compared": before.size,
      "changed, all above the fork": changed.length,
      "rows and logs afterwards": `${census.rows} and ${census.logs}`,
    },
    faults: [
      ...wrongly,
      ...unchanged.map((block) => `block ${block} was replaced, its answer was not`),
      ...census.differences,
    ],
  };
}
