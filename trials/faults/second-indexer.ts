// A second Ponder and a second fold on the schemas of the running ones: neither may write a row.
import { setTimeout as sleep } from "node:timers/promises";
import { mineBlocks, type Weather } from "./storm-weather.ts";

const SYNCED_MS = 10_000;
/** Enough time to connect and find the lock, on a slow machine. */
const STARTING_MS = 30_000;
/** Pause between blocks meanwhile. */
const BLOCK_MS = 400;
/** Ponder gives up once the lock has not gone stale within 25 seconds. */
const GIVING_UP_MS = 60_000;

export async function startSecondIndexer(weather: Weather): Promise<void> {
  const { stack, between, wrong } = weather;
  const { ponder, sql, ponderSchema } = stack;
  const isFollowing = await stack.waitSynced(SYNCED_MS).then(
    () => true,
    () => false,
  );
  const ends = ponder.unexpectedEnds;
  const second = await stack.secondIndexer();
  try {
    // A launcher that starts a second indexer prepares the schema first.
    if (between(0, 1) === 0) await second.prepare().catch(() => {});
    second.ponder.start();
    second.fold.start();
    const isRefused = () => !second.ponder.isRunning || second.ponder.saying("Schema is locked").length > 0;
    for (const until = Date.now() + STARTING_MS; Date.now() < until && !isRefused(); await sleep(BLOCK_MS))
      await stack.chain.mine(7);
    await mineBlocks(weather, between(1, 5));
    if (between(0, 3) === 0)
      await stack.waitFor("the second Ponder gives up", () => !second.ponder.isRunning, GIVING_UP_MS).catch(() => {});
    else if (between(0, 1) === 0) await second.ponder.end();
  } finally {
    await Promise.all([second.ponder.kill(), second.fold.kill()]);
  }
  // If the first was down meanwhile, the second was allowed to take over.
  if (!isFollowing || !ponder.isRunning || ponder.unexpectedEnds !== ends) return;
  if (second.ponder.saying("Detected crash recovery").length > 0) wrong("a second Ponder took the first one's schema");
  const [lock] = await sql`select value->>'is_locked' as held from ${sql(ponderSchema)}._ponder_meta where key = 'app'`;
  if (lock?.held !== "1") wrong("a second Ponder took the first one's lock away");
}
