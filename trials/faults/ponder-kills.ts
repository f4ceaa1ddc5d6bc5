// kill -9 of Ponder during its backfill and while it follows the head, with readers asking all the time.
import { setTimeout as sleep } from "node:timers/promises";
import { takeCensus } from "./census.ts";
import { type Outcome, randomBetween } from "./outcome.ts";
import { startReaders } from "./readers.ts";
import type { Stack } from "./stack.ts";

const READERS = 4;

/** `count` kills before `is_ready`; a backfill that got through is thrown away and begun again. */
export async function killInBackfill(stack: Stack, { count, head }: { count: number; head: number }): Promise<Outcome> {
  const { chain, ponder, sql, ponderSchema } = stack;
  while (chain.head() < head) await chain.mine(60);
  await ponder.kill();
  await stack.dropFacts();
  const readers = startReaders({ ...stack, count: READERS, pauseMs: 100 });
  let kills = 0;
  let finished = 0;
  let resumed = 0;
  while (kills < count) {
    await stack.restartPonder();
    // Every other time only after its first rows are there.
    const hasBegun = (state: Backfill | undefined) => state !== undefined && (kills % 2 === 1 || state.rows > 0);
    await stack.waitFor("the backfill", async () => hasBegun(await backfillOf(stack)), 90_000);
    await sleep(randomBetween(0, kills % 2 === 1 ? 3_000 : 200));
    await ponder.kill();
    const at = await backfillOf(stack);
    if (at?.isReady === false) {
      kills += 1;
      if (at.rows > 0) resumed += 1;
    } else {
      finished += 1;
      await stack.dropFacts();
    }
  }
  await stack.restartPonder();
  await stack.waitSynced(120_000);
  const tally = await readers.stop();
  const census = await takeCensus(sql, ponderSchema, chain.history);
  return {
    name: "kill -9 of Ponder in its backfill",
    figures: {
      kills,
      "of these with rows already there": resumed,
      "backfills that were faster": finished,
      ...figuresOf(tally),
      "rows and logs afterwards": `${census.rows} and ${census.logs}`,
    },
    faults: [...tally.wrong, ...census.differences],
  };
}

/** `count` kills while blocks come; some more come, and some are replaced, before it is back. */
export async function killLive(stack: Stack, { count }: { count: number }): Promise<Outcome> {
  const { chain, ponder, sql, ponderSchema } = stack;
  const readers = startReaders({ ...stack, count: READERS, pauseMs: 100 });
  const faults: string[] = [];
  for (let kill = 0; kill < count; kill++) {
    for (let block = randomBetween(1, 6); block > 0; block--) {
      await chain.mine(randomBetween(3, 60));
      await sleep(randomBetween(0, 250));
    }
    await ponder.kill();
    // At least one, so that only a Ponder that is really back can be found synced.
    for (let block = randomBetween(1, 3); block > 0; block--) await chain.mine(20);
    if (kill % 3 === 2) await chain.reorg(randomBetween(1, 4), 15);
    await stack.restartPonder();
    await stack.waitSynced(120_000);
    readers.settled();
    const census = await takeCensus(sql, ponderSchema, chain.history);
    faults.push(...census.differences.map((difference) => `after kill ${kill + 1}: ${difference}`));
  }
  const tally = await readers.stop();
  const census = await takeCensus(sql, ponderSchema, chain.history);
  return {
    name: "kill -9 of Ponder at the head",
    figures: { kills: count, ...figuresOf(tally), "rows and logs afterwards": `${census.rows} and ${census.logs}` },
    faults: [...faults, ...tally.wrong],
  };
}

export const figuresOf = (tally: Awaited<ReturnType<ReturnType<typeof startReaders>["stop"]>>) => ({
  answers: tally.answers,
  "compared with the chain": tally.compared,
  "503 answered": [...tally.unavailable].map(([code, n]) => `${code} ${n}`).join(", ") || "none",
});

interface Backfill {
  isReady: boolean;
  rows: number;
}

async function backfillOf({ sql, ponderSchema }: Stack): Promise<Backfill | undefined> {
  try {
    const [row] = await sql.unsafe(`
      select (select value->>'is_ready' from "${ponderSchema}"._ponder_meta where key = 'app') as is_ready,
             (select count(*)::int from "${ponderSchema}".block) as rows`);
    return row?.is_ready == null ? undefined : { isReady: row.is_ready === "1", rows: row.rows };
  } catch {
    return undefined;
  }
}
