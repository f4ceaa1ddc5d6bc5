// Phase `v3`: from logs of swaps to pool state that is answered at any block, against a plain Ponder project that
// keeps price, tick and liquidity; and the reducer alone.

import { FINALITY_BLOCKS, type Ground, type Server, withGround } from "../../ground/workbench.ts";
import { count, type Line, median, megabytes, seconds } from "../../printed-lines.ts";
import { cpuSeconds } from "../cpu-seconds.ts";
import { line } from "../report.ts";
import { barePonderV3, tidemarkV3, type V3App } from "./apps.ts";
import { type ReducerRun, runReducer } from "./reducer-speed.ts";
import { createV3Chain, V3_FACTORY, V3_MANAGER, type V3Chain } from "./v3-chain.ts";

const SWAPS_PER_BLOCK = 25;
const POOLS = 12;
const REDUCER_ROUNDS = 5;
/** What the reducer must do by itself. */
const REDUCER_FLOOR = 20_000;
/** Number of blocks at which all pools are compared with the chain's own state, the first and last block included. */
const CHECKED_BLOCKS = 20;

export interface V3BackfillRun {
  app: V3App["name"];
  round: number;
  /** Seconds from the end of Ponder's start-up to answerable state: the claimed one. */
  answerableS: number;
  /** Seconds of Ponder's own backfill. */
  indexingS: number;
  swapsPerS: number;
  /** Processor seconds of the app's processes and the database's, start-up included. */
  cpuS: number;
  totalBytes: number;
  statesChecked: number;
}

export interface V3Figures {
  reducer: ReducerRun[];
  backfill: V3BackfillRun[];
  lines: Line[];
}

const deploymentOf = () => {
  const source = (address: `0x${string}`) => ({ address, startBlock: 0 });
  const unused = `0x${"dd".repeat(20)}` as const;
  return {
    flavour: "uniswap" as const,
    factory: source(V3_FACTORY),
    positionManager: source(V3_MANAGER),
    swapRouter02: unused,
    quoterV2: unused,
    mixedRouteQuoterV1: null,
    defaultFeeProtocol: 0,
  };
};

/** @throws Error naming the first pool that an app answers wrongly: a wrong answer does not count, however fast it is */
async function checkStates(app: V3App, chain: V3Chain): Promise<number> {
  let checked = 0;
  for (let step = 0; step <= CHECKED_BLOCKS; step += 1) {
    const block = Math.max(1, Math.round((chain.lastFinal * step) / CHECKED_BLOCKS));
    const indexed = await app.poolsAt(block);
    for (const [index, expected] of (chain.stateAt(block) ?? []).entries()) {
      const { price, tick, liquidity } = indexed[index] ?? {};
      if (price !== expected.price || tick !== expected.tick || liquidity !== expected.liquidity)
        throw new Error(`${app.name} is wrong about pool ${chain.poolAddresses[index]} at block ${block}`);
      checked += 1;
    }
  }
  return checked;
}

async function runApp(ground: Ground, { app, chain, round }: { app: V3App; chain: V3Chain; round: number }) {
  await app.drop();
  const databaseCpu = cpuSeconds([ground.databasePid]);
  const running = app.start();
  try {
    const [from, indexedAt, answerableAt] = await Promise.all([
      running.indexingFrom,
      running.indexedAt,
      running.answerableAt,
    ]);
    const cpuS = cpuSeconds([...running.pids, ground.databasePid]) - databaseCpu;
    const answerableS = (answerableAt - from) / 1000;
    const run: V3BackfillRun = {
      app: app.name,
      round,
      answerableS,
      indexingS: (indexedAt - from) / 1000,
      swapsPerS: chain.shape.swaps / answerableS,
      cpuS,
      totalBytes: await app.bytes(),
      statesChecked: await checkStates(app, chain),
    };
    return run;
  } finally {
    await running.stop();
  }
}

function tell(run: V3BackfillRun): void {
  const { app, round, answerableS, indexingS, cpuS, totalBytes, statesChecked } = run;
  const name = round === 0 ? "filling the cache" : `round ${round}`;
  const times = `${seconds(answerableS)} after start-up (Ponder ${seconds(indexingS)}), ${seconds(cpuS)} of processor`;
  console.log(`v3 ${name}, ${app}: ${times}, ${megabytes(totalBytes)}, ${statesChecked} states right`);
}

function linesOf(swaps: number, { reducer, backfill }: Pick<V3Figures, "reducer" | "backfill">): Line[] {
  const alone = median(reducer.map((run) => run.swapsPerS));
  const name = `v3, ${count(swaps)} swaps`;
  const of = (what: string, more: Omit<Parameters<typeof line<V3BackfillRun>>[1], "what">) =>
    line(backfill, { what: `${name}: ${what}`, ...more });
  const reduced: Line[] = [
    {
      what: "v3: the reducer alone, swaps/s in memory (against a floor)",
      ours: count(alone),
      peer: count(REDUCER_FLOOR),
      peerName: "floor",
      ratio: alone / REDUCER_FLOOR,
      bound: ">= 1",
    },
  ];
  if (backfill.length === 0) return reduced;
  return [
    ...reduced,
    of("swaps/s to answers, after Ponder's start-up", { of: (run) => run.swapsPerS, show: count, bound: ">= 0.8" }),
    of("Ponder's own backfill", { of: (run) => run.indexingS, show: seconds, bound: "" }),
    of("processor time, database and start-up included", { of: (run) => run.cpuS, show: seconds, bound: "" }),
    of("bytes after backfill", { of: (run) => run.totalBytes, show: megabytes, bound: "" }),
  ];
}

/** Every app once per round, from round 0; which one goes first alternates. */
function turns<Entry extends object>(apps: readonly Entry[], rounds: number): (Entry & { round: number })[] {
  return Array.from({ length: rounds + 1 }, (_, round) =>
    (round % 2 === 1 ? apps : [...apps].reverse()).map((entry) => ({ ...entry, round })),
  ).flat();
}

/** `rounds` measured runs of each app, the first of each alternating, after one of each that fills Ponder's RPC cache. */
export async function runV3(options: {
  server: Server;
  ports: readonly number[];
  swaps: number;
  rounds: number;
  isPeerTuned: boolean;
}): Promise<V3Figures> {
  const { server, ports, swaps, rounds, isPeerTuned } = options;
  const chain = createV3Chain({ swaps, swapsPerBlock: SWAPS_PER_BLOCK, pools: POOLS, emptyBlocks: FINALITY_BLOCKS });
  const reducer = Array.from({ length: REDUCER_ROUNDS }, () => runReducer(chain));
  console.log(`v3 reducer alone: ${reducer.map((run) => count(run.swapsPerS)).join(", ")} swaps/s`);
  const backfill: V3BackfillRun[] = [];
  const setting = { server, served: chain, v3: { deployments: [deploymentOf()] } };
  // Ponder's cache stores a factory's contracts by the factory's declaration, which differs in the two apps: so each has a
  // database of its own
  await withGround({ ...setting, ports, name: "index_v3_ours" }, (ours) =>
    withGround({ ...setting, ports: ports.map((port) => port + 4), name: "index_v3_peer" }, async (peers) => {
      const apps = [
        { ground: ours, app: tidemarkV3(ours, chain) },
        { ground: peers, app: barePonderV3(peers, chain, { isTuned: isPeerTuned }) },
      ];
      for (const { round, ground, app } of turns(apps, rounds)) {
        const run = await runApp(ground, { app, chain, round });
        await app.drop();
        tell(run);
        if (round > 0) backfill.push(run);
      }
    }),
  );
  const figures = { reducer, backfill };
  return { ...figures, lines: linesOf(swaps, figures) };
}
