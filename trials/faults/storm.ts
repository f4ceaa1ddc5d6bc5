// Faults at random moments, in an order drawn from a seed, while blocks come and readers compare every answer with the
// block it names. When it is over, everything must be as if nothing had happened.
import { setTimeout as sleep } from "node:timers/promises";
import { takeCensus } from "./census.ts";
import { compareFold } from "./fold-comparison.ts";
import { type GatewayWatch, watchGateway } from "./gateway-watch.ts";
import type { Outcome } from "./outcome.ts";
import { figuresOf } from "./ponder-kills.ts";
import { type Readers, startReaders } from "./readers.ts";
import type { Stack } from "./stack.ts";
import { faults } from "./storm-faults.ts";
import { mineBlocks, type Weather } from "./storm-weather.ts";

export interface Storm {
  /** Numbers in [0, 1), from the seed. */
  random: () => number;
  /** Whether another round of faults is due. */
  goesOn(round: number): boolean;
  /** Faults between two rests. */
  perRound: number;
  /** Which ones; absent: all. */
  names?: readonly string[];
  longestLie?: number;
  /** Rest between two questions of a reader; absent: 60 milliseconds. */
  pauseMs?: number;
  say?: (line: string) => void;
}

const READERS = 5;
const SETTLING_MS = 240_000;

/** Needs a stack that runs and is synced; leaves it so. */
export async function rideOut(stack: Stack, storm: Storm): Promise<Outcome> {
  const { chain, sql, ponderSchema, ponder, fold, lake, gateway, node } = stack;
  const watch = watchGateway(stack.gatewayUrl);
  const readers = startReaders({
    ...stack,
    count: READERS,
    pauseMs: storm.pauseMs ?? 60,
    storm: watch,
  });
  const startedAt = chain.head();
  ponder.isSupervised = true;
  try {
    const { done, notes, wrong, differences, settledIn } = await blow(stack, { storm, watch, readers });
    const tally = await readers.stop();
    const seen = await watch.stop();
    const census = await takeCensus(sql, ponderSchema, chain.history);
    const folded = await compareFold(stack);
    const parts = [ponder, fold, lake, gateway];
    return {
      name: "a storm of faults",
      figures: {
        faults: countsOf(done),
        "lies told": countsOf(node.lies),
        "what became of them": countsOf(notes),
        blocks: `${startedAt} to ${chain.head()}`,
        ...figuresOf(tally),
        "slowest answer": `${tally.slowestMs} ms`,
        "/status": countsOf(seen.states),
        "longest until synced afterwards": `${settledIn} ms`,
        "ends that no fault asked for": parts.map((part) => `${part.options.name} ${part.unexpectedEnds}`).join(", "),
        "rows and logs afterwards": `${census.rows} and ${census.logs}`,
        "rows compared with an undisturbed fold": `${folded.rows}, up to block ${folded.finalized}`,
      },
      faults: [
        ...tally.wrong,
        ...seen.wrong,
        ...wrong,
        ...differences,
        ...census.differences,
        ...folded.faults,
        ...parts.flatMap(({ gaveUp }) => gaveUp ?? []),
      ],
    };
  } finally {
    ponder.isSupervised = false;
    await readers.stop();
    await watch.stop();
  }
}

const countsOf = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(", ") || "none";

interface Company {
  storm: Storm;
  watch: GatewayWatch;
  readers: Readers;
}

/** Faults round by round; after each the product must be right again. */
async function blow(stack: Stack, { storm, watch, readers }: Company) {
  const { chain, sql, ponderSchema } = stack;
  const { random, goesOn, perRound, names = possibleFaults(stack), longestLie = 10, say = () => {} } = storm;
  const between = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  const notes = new Map<string, number>();
  const wrong: string[] = [];
  const weather: Weather = {
    stack,
    between,
    longestLie,
    gatewayGoesDown: watch.goesDown,
    gatewayLosesDatabase: watch.losesDatabase,
    note: (line) => notes.set(line, (notes.get(line) ?? 0) + 1),
    wrong: (line) => wrong.push(line),
  };
  const done = new Map<string, number>();
  const differences: string[] = [];
  let waiting: string[] = [];
  let settledIn = 0;
  for (let round = 0; goesOn(round); round++) {
    for (let gust = 0; gust < perRound; gust++) {
      if (waiting.length === 0) waiting = shuffled([...names], random);
      const name = waiting.pop() ?? "";
      say(`block ${chain.head()}: ${name}`);
      await mineBlocks(weather, between(1, 3));
      await faults.get(name)?.(weather);
      done.set(name, (done.get(name) ?? 0) + 1);
    }
    settledIn = Math.max(settledIn, await settle(stack));
    readers.settled();
    const census = await takeCensus(sql, ponderSchema, chain.history);
    differences.push(...census.differences.map((difference) => `round ${round + 1}: ${difference}`));
    say(`settled at block ${chain.head()}, ${census.differences.length} differences`);
  }
  return { done, notes, wrong, differences, settledIn };
}

/** Resolves to how long it took. Ponder fetches a block whose fetch failed with the next one, so some more are mined. */
async function settle(stack: Stack): Promise<number> {
  const since = Date.now();
  stack.node.setLie(undefined);
  for (;;) {
    try {
      await stack.waitSynced(5_000);
      return Date.now() - since;
    } catch (error) {
      if (Date.now() - since > SETTLING_MS) throw error;
    }
    await stack.chain.mine(5);
    await sleep(500);
  }
}

/** A disk is filled only where it holds nothing but the database. */
const possibleFaults = ({ disk }: Stack): string[] =>
  [...faults.keys()].filter((name) => name !== "full disk" || disk !== undefined);

function shuffled(names: string[], random: () => number): string[] {
  for (let last = names.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [names[last], names[other]] = [names[other] ?? "", names[last] ?? ""];
  }
  return names;
}
