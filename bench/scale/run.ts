// `npm run bench -- scale`: what an event, a block and an interval cost, for `npm run plan` and docs/scale.md.
import { parseArgs } from "node:util";
import { sizes as worlds } from "../as-of/sizes.ts";
import type { Server } from "../index/workbench.ts";
import { numberAboveZero } from "../number-options.ts";
import { machineOf, withServer } from "../with-server.ts";
import { measureBackfill, shapeOf } from "./backfill.ts";
import { backfillFigures, inputFigure, lakeFigures, paceFigures, requestFigures } from "./figures.ts";
import { measureLake } from "./lake.ts";
import { MEASURED_FILE, rawOf, writeFigures } from "./measured-file.ts";
import { measurePace } from "./pace.ts";
import { measureRequests, type RequestRun } from "./requests.ts";
import { bytesPerRow } from "./table-sizes.ts";

export const summary =
  "bytes, processor time, memory and requests of a backfill, by event and block: what plans are made from";

const PHASES = ["requests", "backfill", "pace", "lake"] as const;

const options = {
  phases: { type: "string", default: PHASES.join(",") },
  transfers: { type: "string", default: "1000000" },
  "few-transfers": { type: "string", default: "100000" },
  "empty-blocks": { type: "string", default: "20000" },
  rate: { type: "string", default: "100" },
  "warm-up": { type: "string", default: "240" },
  seconds: { type: "string", default: "120" },
  intervals: { type: "string", default: "1000000,10000000,100000000" },
} as const;

export const usage = `npm run bench -- scale [options]
  --phases ${PHASES.join(",")}
  --transfers 1000000 --few-transfers 100000 --empty-blocks 20000   the chains of phase backfill
  --rate 100 --warm-up 240 --seconds 120      the node of phase pace
  --intervals 1000000,10000000,100000000      rows that phase lake writes, 2,000,000 a file

Writes ${MEASURED_FILE}; a phase that is left out keeps its figures there.`;

type Settings = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options });
  const phases = new Set(values.phases.split(","));
  for (const phase of phases)
    if (!PHASES.some((existing) => existing === phase))
      throw new Error(`--phases: "${phase}" is not one of ${PHASES.join(", ")}`);
  const whole = (name: Exclude<keyof typeof values, "phases" | "intervals">) => numberAboveZero(name, values[name]);
  return {
    phases,
    transfers: whole("transfers"),
    fewTransfers: whole("few-transfers"),
    emptyBlocks: whole("empty-blocks"),
    rate: whole("rate"),
    warmUp: whole("warm-up"),
    seconds: whole("seconds"),
    intervals: values.intervals.split(",").map((text) => numberAboveZero("intervals", text)),
  };
}

/** Runs the phases asked for; each one's figures are written when it ends. */
export async function run(args: readonly string[]): Promise<void> {
  const settings = parse(args);
  const command = ["npm run bench -- scale", ...args].join(" ");
  const { phases } = settings;
  if (["requests", "backfill", "pace"].some((phase) => phases.has(phase)))
    await withServer(undefined, async (server) => {
      console.log(machineOf(server));
      if (phases.has("requests")) await addRequests(server, command);
      if (phases.has("backfill")) await addBackfill(server, { settings, command });
      if (phases.has("pace")) await addPace(server, { settings, command });
    });
  if (phases.has("lake")) {
    const raw = await measureLake(settings.intervals, console.log);
    writeFigures({ name: "lake", command, raw, figures: lakeFigures(raw) });
  }
  console.log(`all figures: ${MEASURED_FILE}`);
}

async function addRequests(server: Server, command: string): Promise<void> {
  const raw = await measureRequests(server);
  console.log("requests:", raw.backfill, raw.idle, raw.live);
  writeFigures({ name: "requests", command, raw, figures: requestFigures(raw) });
}

/** Few events in few blocks; many blocks, most of them empty; many events. */
async function addBackfill(server: Server, { settings, command }: { settings: Settings; command: string }) {
  const { transfers, fewTransfers, emptyBlocks } = settings;
  const shapes = {
    few: shapeOf(fewTransfers, 30),
    empty: shapeOf(fewTransfers, emptyBlocks),
    many: shapeOf(transfers, 30),
  };
  const measure = async (name: keyof typeof shapes) => {
    const measured = await measureBackfill(server, shapes[name]);
    console.log(
      `${name}: ${measured.transfers} transfers in ${measured.blocks} blocks, ${measured.seconds.toFixed(0)} s`,
      measured.cpu,
    );
    return measured;
  };
  const raw = { few: await measure("few"), empty: await measure("empty"), many: await measure("many") };
  const figures = backfillFigures(raw);
  const { tokens, changes } = worlds.M ?? { tokens: 0, changes: 1 };
  figures.world = {
    ...figures.world,
    tokensPerTransfer: [tokens / changes, `the made-up world of bench as-of: ${tokens} tokens in ${changes} changes`],
  };
  writeFigures({ name: "backfill", command, raw, figures });
  const counted = rawOf("requests") as RequestRun | undefined;
  if (!counted) throw new Error("phase requests has not run yet: run it first, for the bytes of transactions' input");
  const input = inputFigure(counted, bytesPerRow(raw.many.sizes, "raw.transactions"));
  writeFigures({ name: "input", command, raw: "runs requests and backfill", figures: input });
}

async function addPace(server: Server, { settings, command }: { settings: Settings; command: string }) {
  const raw = await measurePace(server, {
    perSecond: settings.rate,
    warmUpSeconds: settings.warmUp,
    seconds: settings.seconds,
  });
  console.log("pace:", raw);
  writeFigures({ name: "pace", command, raw, figures: paceFigures(raw) });
}
