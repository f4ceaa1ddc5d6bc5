// `npm run bench -- index`: facts to answerable balances, against a plain Ponder project on the same chain and server.

import { parseArgs } from "node:util";
import { claimsOfLines } from "../claim.ts";
import type { ChainShape } from "../ground/synthetic-chain.ts";
import { FINALITY_BLOCKS, type Server, type Workbench, withWorkbench } from "../ground/workbench.ts";
import { wholeNumber } from "../number-options.ts";
import { type Line, median, table } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { type BackfillRun, measureBackfill, type Sequel } from "./backfill.ts";
import { barePonder } from "./bare-ponder.ts";
import type { Indexer } from "./indexer.ts";
import { followHead, type LiveOptions, type LiveRun, runLive } from "./live.ts";
import { answerLag, backfillLines, liveLines } from "./report.ts";
import { tidemark } from "./tidemark.ts";
import { runV3, type V3Figures } from "./v3/phase.ts";

export const summary = "facts to answerable balances, bytes on disk and live blocks, against a bare Ponder app";

const PHASES = ["backfill", "live", "v3"] as const;
const PEER = "bare ponder";

const options = {
  events: { type: "string", default: "100000,1000000" },
  rounds: { type: "string", default: "3,2" },
  phases: { type: "string", default: PHASES.join(",") },
  "live-rounds": { type: "string", default: "3" },
  "live-transfers": { type: "string", default: "300" },
  burst: { type: "string", default: "60" },
  singles: { type: "string", default: "40" },
  "v3-swaps": { type: "string", default: "100000" },
  "v3-rounds": { type: "string", default: "3" },
  "tuned-peer": { type: "boolean", default: false },
  port: { type: "string" },
} as const;

export const usage = `npm run bench -- index [options]
  --events 100000,1000000  sizes of the backfill, in transfers
  --rounds 3,2             measured rounds per size, both apps in each; 0 leaves the one that fills the cache
  --phases ${PHASES.join(",")}
  --live-rounds 3 --live-transfers 300 --burst 60 --singles 40   with 0 rounds it goes on with the run that fills the cache
  --v3-swaps 100000 --v3-rounds 3
  --tuned-peer             the peer's Ponder with the Node options of ours, instead of plain \`ponder start\`
  --port N                 use ports N..N+6 instead of free ones`;

export const smallest = [
  ...["--events", "1000", "--rounds", "0", "--live-rounds", "0", "--live-transfers", "50", "--burst", "5"],
  ...["--singles", "2", "--v3-swaps", "500", "--v3-rounds", "0"],
];

/** A few hot tokens and accounts; about one account for 20 transfers. */
function shapeOf(events: number, transfersPerLiveBlock: number): ChainShape {
  return {
    events,
    transfersPerBlock: 50,
    emptyBlocks: FINALITY_BLOCKS,
    transfersPerLiveBlock,
    tokens: 50,
    accounts: Math.max(Math.round(events / 20), 1000),
  };
}

interface Settings {
  sizes: number[];
  rounds: number[];
  phases: Set<string>;
  liveRounds: number;
  liveTransfers: number;
  burst: number;
  singles: number;
  v3Swaps: number;
  v3Rounds: number;
  isPeerTuned: boolean;
  port: number | undefined;
}

function parse(args: readonly string[]): Settings {
  const { values } = parseArgs({ args: [...args], options });
  const numbers = (name: keyof typeof options): number[] =>
    String(values[name] ?? "")
      .split(",")
      .map((item) => wholeNumber(name, item));
  const one = (name: keyof typeof options): number => numbers(name)[0] ?? 0;
  const phases = new Set(values.phases.split(","));
  for (const phase of phases)
    if (!PHASES.some((existing) => existing === phase))
      throw new Error(`--phases: "${phase}" is not one of ${PHASES.join(", ")}`);
  if (one("live-rounds") === 0 && phases.has("live") && !phases.has("backfill"))
    throw new Error("--live-rounds: 0 rounds go on with phase backfill, which is not among --phases");
  return {
    sizes: numbers("events"),
    rounds: numbers("rounds"),
    phases,
    liveRounds: one("live-rounds"),
    liveTransfers: one("live-transfers"),
    burst: one("burst"),
    singles: one("singles"),
    v3Swaps: one("v3-swaps"),
    v3Rounds: one("v3-rounds"),
    isPeerTuned: values["tuned-peer"],
    port: values.port === undefined ? undefined : one("port"),
  };
}

/** Runs the chosen phases, prints the table and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const settings = parse(args);
  const { port } = settings;
  await session.withServer(port === undefined ? undefined : port + 3, async (server) => {
    const figures = await runPhases(settings, { server, session });
    const file = session.keepFigures({ settings: { ...settings, phases: [...settings.phases] }, ...figures });
    if (figures.lines.length > 0) console.log(`\n${table(figures.lines)}`);
    console.log(`\nall figures: ${file}`);
  });
}

interface Figures {
  lines: Line[];
  backfill: BackfillRun[];
  live: LiveRun[];
  v3: Omit<V3Figures, "lines"> | undefined;
}

async function runPhases(
  settings: Settings,
  { server, session }: { server: Server; session: Session },
): Promise<Figures> {
  const figures: Figures = { lines: [], backfill: [], live: [], v3: undefined };
  const { phases, sizes, liveTransfers, port } = settings;
  const ports = port === undefined ? [] : [port, port + 1, port + 2];
  const add = (phase: string, lines: readonly Line[]) => {
    figures.lines.push(...lines);
    session.record(phase, claimsOfLines(lines, PEER));
  };
  const [smallestSize] = sizes;
  for (const [i, events] of sizes.entries()) {
    const isLive = phases.has("live") && events === smallestSize;
    if (!isLive && !phases.has("backfill")) continue;
    await withWorkbench({ server, shape: shapeOf(events, liveTransfers), ports }, async (bench) => {
      const apps = [tidemark(bench), barePonder(bench, { isTuned: settings.isPeerTuned })];
      const rounds = settings.rounds[i] ?? settings.rounds.at(-1) ?? 1;
      if (phases.has("backfill")) {
        const sequel: Sequel = async (app, running) => {
          figures.live.push(tellLive(await followHead(bench, { app, running }, liveOptions(settings, 0))));
        };
        const goesOn = isLive && settings.liveRounds === 0;
        const options = { rounds, report: tellBackfill, sequel: goesOn ? sequel : undefined };
        const runs = await measureBackfill(bench, apps, options);
        figures.backfill.push(...runs);
        add(`backfill of ${events}`, backfillLines(events, runs));
      }
      if (isLive) {
        figures.live.push(...(await measureLive(bench, apps, settings)));
        add("live", [...liveLines(liveTransfers, figures.live), answerLag(figures.live)]);
      }
    });
  }
  if (phases.has("v3")) {
    const { v3Swaps: swaps, v3Rounds: rounds, isPeerTuned } = settings;
    const { lines, ...v3 } = await runV3({ server, ports, swaps, rounds, isPeerTuned });
    figures.v3 = v3;
    add(`v3 of ${swaps}`, lines);
  }
  return figures;
}

const liveOptions = ({ burst, singles }: Settings, round: number): LiveOptions => {
  return { round, burstBlocks: burst, singleBlocks: singles };
};

async function measureLive(bench: Workbench, apps: readonly Indexer[], settings: Settings): Promise<LiveRun[]> {
  const runs: LiveRun[] = [];
  for (let round = 1; round <= settings.liveRounds; round++)
    for (const app of round % 2 === 1 ? apps : [...apps].reverse())
      runs.push(tellLive(await runLive(bench, app, liveOptions(settings, round))));
  return runs;
}

function tellLive(run: LiveRun): LiveRun {
  const { app, round, burstEventsPerS, delaysMs } = run;
  const delay = Math.round(median(delaysMs));
  console.log(`live round ${round}, ${app}: ${Math.round(burstEventsPerS)} events/s, delay ${delay} ms`);
  return run;
}

function tellBackfill(run: BackfillRun): void {
  const round = run.round === 0 ? "filling the cache" : `round ${run.round}`;
  const { app, wholeS, answerableS, settledS, indexingS, cpuS, totalBytes, balancesChecked, logRequests } = run;
  console.log(
    `${round}, ${app}: ${wholeS.toFixed(1)} s in all, ${answerableS.toFixed(1)} s after start-up (Ponder ${indexingS.toFixed(1)} s, settled ${settledS.toFixed(1)} s), ${cpuS.toFixed(1)} s of processor, ` +
      `${(totalBytes / 1e6).toFixed(1)} MB, ${balancesChecked} balances right, ${logRequests} eth_getLogs`,
  );
}
