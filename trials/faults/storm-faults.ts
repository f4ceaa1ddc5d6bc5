// What a storm does to the running product, one fault at a time. Blocks keep coming meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import { fillDisk } from "./full-disk.ts";
import { LIES, type Lie } from "./lying-node.ts";
import { startSecondIndexer } from "./second-indexer.ts";
import { mineBlocks, type Weather } from "./storm-weather.ts";

const FOLLOWING_MS = 10_000;
/** Ponder takes blocks as final 30 below the head at the earliest: no reorg goes deeper below the highest head than this. */
const DEEPEST = 26;
const MINUTE_MS = 60_000;

/** How many blocks may be replaced now. */
function room({ stack }: Weather): number {
  const { chain } = stack;
  return Math.max(0, chain.head() - (chain.history.blocks.length - 1 - DEEPEST));
}

async function lieFor(weather: Weather, lie: Lie): Promise<void> {
  const { stack, between } = weather;
  // A lie has no effect unless Ponder asks: mostly wait until it has recovered from the fault before.
  if (between(0, 3) > 0) await stack.waitSynced(FOLLOWING_MS).catch(() => {});
  stack.node.setLie(lie);
  await mineBlocks(weather, between(1, weather.longestLie));
  // A lie is most dangerous during a reorg.
  if (between(0, 1) === 0) await reorg(weather);
  await mineBlocks(weather, between(0, Math.floor(weather.longestLie / 2)));
  stack.node.setLie(undefined);
}

async function reorg(weather: Weather): Promise<void> {
  const { stack, between } = weather;
  const depth = Math.min(between(1, 20), room(weather));
  if (depth > 0) await stack.chain.reorg(depth, between(3, 30));
}

async function revert(weather: Weather): Promise<void> {
  const { stack, between } = weather;
  const count = Math.min(between(1, 8), DEEPEST);
  const height = stack.chain.head();
  await mineBlocks(weather, count);
  await stack.chain.revert(height);
  await sleep(between(0, 1_500));
  await mineBlocks(weather, between(1, 9));
}

/** The clock jumps minutes to hours ahead or back, and then is right again. A part that dies meanwhile starts with the wrong time. */
async function jumpClock(weather: Weather): Promise<void> {
  const { stack, between } = weather;
  const isAhead = between(0, 2) > 0;
  stack.clock.setOff((isAhead ? 1 : -1) * between(2, 600) * MINUTE_MS);
  await mineBlocks(weather, between(1, 4));
  if (between(0, 1) === 0) await reorg(weather);
  if (between(0, 2) === 0) await stack.ponder.crash();
  await mineBlocks(weather, between(1, 4));
  stack.clock.setOff(0);
  await mineBlocks(weather, between(0, 3));
}

const gusts = {
  reorg,
  evm_revert: revert,
  async "Ponder killed"(weather) {
    await weather.stack.ponder.crash();
    await mineBlocks(weather, weather.between(0, 6));
  },
  async "Ponder killed in a reorg"(weather) {
    await reorg(weather);
    await sleep(weather.between(0, 300));
    await weather.stack.ponder.crash();
  },
  async "Ponder frozen"(weather) {
    await Promise.all([
      weather.stack.ponder.freeze(weather.between(500, 4_000)),
      mineBlocks(weather, weather.between(1, 6)),
    ]);
  },
  async "fold killed"(weather) {
    await weather.stack.fold.crash();
    await mineBlocks(weather, weather.between(0, 4));
  },
  async "lake's writer killed"(weather) {
    await weather.stack.lake.crash();
    await mineBlocks(weather, weather.between(0, 4));
  },
  async "gateway killed"(weather) {
    weather.gatewayGoesDown();
    await weather.stack.gateway.crash();
    await mineBlocks(weather, weather.between(0, 4));
  },
  async "database crashed"(weather) {
    const isBack = weather.gatewayLosesDatabase();
    await Promise.all([weather.stack.restartDatabase().finally(isBack), mineBlocks(weather, weather.between(0, 4))]);
  },
  async "connections ended"({ stack, between, gatewayLosesDatabase }) {
    const isBack = gatewayLosesDatabase();
    for (let round = between(1, 3); round > 0; round--) {
      await stack.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid() and random() < 0.5`.catch(() => {});
      await sleep(between(0, 500));
    }
    isBack();
  },
  "clock jumps": jumpClock,
  "second indexer": startSecondIndexer,
  "full disk": fillDisk,
} satisfies Record<string, (weather: Weather) => Promise<void>>;

/** Every fault by its name. */
export const faults: ReadonlyMap<string, (weather: Weather) => Promise<void>> = new Map([
  ...Object.entries(gusts),
  ...LIES.map((lie) => [`node: ${lie}`, (weather: Weather) => lieFor(weather, lie)] as const),
]);
