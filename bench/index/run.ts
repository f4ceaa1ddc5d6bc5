// `npm run bench -- index`: facts to answerable balances, against a plain Ponder project on the same chain and server.
import { parseArgs } from "node:util";
import { keepFigures } from "../keep-figures.ts";
import { wholeNumber } from "../number-options.ts";
import { machineOf, withServer } from "../with-server.ts";
import { type BackfillRun, measureBackfill } from "./backfill.ts";
import { barePonder } from "./bare-ponder.ts";
import type { Indexer } from "./indexer.ts";
import { type LiveRun, runLive } from "./live.ts";
import { type BatchesRun, runBatches } from "./live-batches.ts";
import { answerLag, backfillLines, batchesLines, type Line, liveLines, median, table } from "./report.ts";
import type { ChainShape } from "./synthetic-chain.ts";
import { tidemark } from "./tidemark.ts";
import { runV3, type V3Figures } from "./v3/phase.ts";
import { FINALITY_BLOCKS, type Server, type Workbench, withWorkbench } from "./workbench.ts";

export const summary = "facts to answerable balances, bytes on disk and live blocks, against a bare Ponder app";

const PHASES = ["backfill", "live", "batches", "v3"] as const;

const options = {
  events: { type: "string", default: "100000,1000000" },
  rounds: { type: "string", default: "3,2" },
  phases: { type: "string", default: PHASES.join(",") },
  "live-rounds": { type: "string", default: "3" },
  "live-transfers": { type: "string", default: "300" },
  burst: { type: "string", default: "60" },
  singles: { type: "string", default: "40" },
  batches: { type: "string", default: "500" },
  "batch-transfers": { type: "string", default: "1500" },
  "v3-swaps": { type: "string", default: "100000" },
  "v3-rounds": { type: "string", default: "3" },
  "tuned-peer": { type: "boolean", default: false },
  port: { type: "string" },
} as const;

export const usage = `npm run bench -- index [options]
  --events 100000,1000000  sizes of the backfill, in transfers
  --rounds 3,2             measured rounds per size, both apps in each
  --phases ${PHASES.join(",")}
  --live-rounds 3 --live-transfers 300 --burst 60 --singles 40
  --batches 500 --batch-transfers 1500   (a batch is ${FINALITY_BLOCKS} blocks)
  --v3-swaps 100000 --v3-rounds 3
  --tuned-peer             the peer's Ponder with the Node options of ours, instead of plain \`ponder start\`
  --port N                 use ports N..N+6 instead of free ones`;

/** Few hot tokens and accounts; about one account for 20 transfers. */
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
  batches: number;
  batchTransfers: number;
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
  return {
    sizes: numbers("events"),
    rounds: numbers("rounds"),
    phases,
    liveRounds: one("live-rounds"),
    liveTransfers: one("live-transfers"),
    burst: one("burst"),
    singles: one("singles"),
    batches: one("batches"),
    batchTransfers: one("batch-transfers"),
    v3Swaps: one("v3-swaps"),
    v3Rounds: one("v3-rounds"),
    isPeerTuned: values["tuned-peer"],
    port: values.port === undefined ? undefined : one("port"),
  };
}

/** Runs the phases asked for, prints the table and keeps every figure in `.tidemark/bench/index.json`. */
export async function run(args: readonly string[]): Promise<void> {
  const settings = parse(args);
  const { port } = settings;
  await withServer(port === undefined ? undefined : port + 3, async (server) => {
    console.log(machineOf(server));
    const figures = await runPhases(settings, server);
    const file = keepFigures("index", { settings: { ...settings, phases: [...settings.phases] }, ...figures });
    console.log(`\n${table(figures.lines)}\n\nall figures: ${file}`);
  });
}

interface Figures {
  lines: Line[];
  backfill: BackfillRun[];
  live: LiveRun[];
  batches: BatchesRun[];
  v3: Omit<V3Figures, "lines"> | undefined;
}

async function runPhases(settings: Settings, server: Server): Promise<Figures> {
  const figures: Figures = { lines: [], backfill: [], live: [], batches: [], v3: undefined };
  const { phases, sizes, batchTransfers, liveTransfers, port } = settings;
  const ports = port === undefined ? [] : [port, port + 1, port + 2];
  const [smallest] = sizes;
  for (const [i, events] of sizes.entries()) {
    const isLive = phases.has("live") && events === smallest;
    if (!isLive && !phases.has("backfill")) continue;
    await withWorkbench({ server, shape: shapeOf(events, liveTransfers), ports }, async (bench) => {
      const apps = [tidemark(bench), barePonder(bench, { isTuned: settings.isPeerTuned })];
      const rounds = settings.rounds[i] ?? settings.rounds.at(-1) ?? 1;
      if (phases.has("backfill")) await addBackfill(figures, { bench, apps, rounds });
      if (isLive) await addLive(figures, { bench, apps, settings });
    });
  }
  if (phases.has("batches") && smallest !== undefined) {
    const shape = shapeOf(smallest, Math.max(Math.round(batchTransfers / FINALITY_BLOCKS), 1));
    await withWorkbench({ server, shape, ports }, (bench) => addBatches(figures, { bench, settings }));
  }
  if (phases.has("v3")) {
    const { lines, ...v3 } = await runV3({
      server,
      ports,
      swaps: settings.v3Swaps,
      rounds: settings.v3Rounds,
      isPeerTuned: settings.isPeerTuned,
    });
    figures.lines.push(...lines);
    figures.v3 = v3;
  }
  return figures;
}

async function addBackfill(figures: Figures, on: { bench: Workbench; apps: Indexer[]; rounds: number }): Promise<void> {
  const { bench, apps, rounds } = on;
  const runs = await measureBackfill(bench, apps, { rounds, report: tellBackfill });
  figures.backfill.push(...runs);
  figures.lines.push(...backfillLines(bench.chain.shape.events, runs));
}

async function addLive(figures: Figures, on: { bench: Workbench; apps: Indexer[]; settings: Settings }): Promise<void> {
  const { bench, apps, settings } = on;
  for (let round = 1; round <= settings.liveRounds; round++)
    for (const app of round % 2 === 1 ? apps : [...apps].reverse()) {
      const run = await runLive(bench, app, { round, burstBlocks: settings.burst, singleBlocks: settings.singles });
      const delay = Math.round(median(run.delaysMs));
      console.log(`live round ${round}, ${app.name}: ${Math.round(run.burstEventsPerS)} events/s, delay ${delay} ms`);
      figures.live.push(run);
    }
  figures.lines.push(...liveLines(settings.liveTransfers, figures.live));
  console.log(answerLag(figures.live));
}

async function addBatches(figures: Figures, on: { bench: Workbench; settings: Settings }): Promise<void> {
  const { bench, settings } = on;
  for (const app of [tidemark(bench), barePonder(bench, { isTuned: settings.isPeerTuned })]) {
    const run = await runBatches(bench, app, settings.batches);
    const [before, after] = [run.bytesBefore, run.bytesAfter].map((bytes) => (bytes / 1e6).toFixed(1));
    console.log(`${run.batches} batches, ${app.name}: ${before} -> ${after} MB`);
    figures.batches.push(run);
  }
  figures.lines.push(...batchesLines(figures.batches));
}

function tellBackfill(run: BackfillRun): void {
  const round = run.round === 0 ? "filling the cache" : `round ${run.round}`;
  const { app, wholeS, answerableS, settledS, indexingS, cpuS, totalBytes, balancesChecked, logRequests } = run;
  console.log(
    `${round}, ${app}: ${wholeS.toFixed(1)} s in all, ${answerableS.toFixed(1)} s after start-up (Ponder ${indexingS.toFixed(1)} s, settled ${settledS.toFixed(1)} s), ${cpuS.toFixed(1)} s of processor, ` +
      `${(totalBytes / 1e6).toFixed(1)} MB, ${balancesChecked} balances right, ${logRequests} eth_getLogs`,
  );
}
