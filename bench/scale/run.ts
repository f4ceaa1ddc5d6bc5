// `npm run bench -- scale`: what an event, a block and an interval cost, for `npm run plan` and docs/scale.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { figuresOf, readMeasured } from "../../scripts/plan/measured.ts";
import { scaleTables, withTables } from "../../scripts/plan/scale-tables.ts";
import { projectFolder } from "../index/project-folder.ts";
import type { Server } from "../index/workbench.ts";
import { numberAboveZero } from "../number-options.ts";
import { machineOf, withServer } from "../with-server.ts";
import { measureBackfill, shapeOf } from "./backfill.ts";
import { deriveFigures } from "./figures.ts";
import { measureLake, measureRows } from "./lake.ts";
import { MEASURED_FILE, readRuns, writeFigures, writeRun } from "./measured-file.ts";
import { measurePace } from "./pace.ts";
import { measureRequests } from "./requests.ts";
import { requestsTable } from "./requests-table.ts";
import { sizesTable } from "./sizes-table.ts";

export const summary =
  "bytes, processor time, memory and requests of a backfill, by event and block: what plans are made from";

const DOCUMENT = "docs/scale.md";
/** Of the lake that is written from the largest backfill. */
const SEGMENTS = 4;

/** The tables are written after every run; that alone writes them once more. */
const PHASES = ["requests", "backfill", "pace", "rows", "lake", "tables"] as const;

const options = {
  phases: { type: "string", default: PHASES.join(",") },
  transfers: { type: "string", default: "1000000" },
  "few-transfers": { type: "string", default: "100000" },
  "empty-blocks": { type: "string", default: "20000" },
  rate: { type: "string", default: "100" },
  "warm-up": { type: "string", default: "240" },
  seconds: { type: "string", default: "120" },
  intervals: { type: "string", default: "2000000,10000000,100000000" },
} as const;

export const usage = `npm run bench -- scale [options]
  --phases ${PHASES.join(",")}
  --transfers 1000000 --few-transfers 100000 --empty-blocks 20000   the chains of phase backfill
  --rate 100 --warm-up 240 --seconds 120      the node of phase pace
  --intervals 2000000,10000000,100000000      rows that phase lake writes, 2,000,000 a file

Writes ${MEASURED_FILE} and the tables of ${DOCUMENT}; a phase that is left out keeps its figures there.`;

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

/** Runs the phases asked for; what each one counted is written when it ends. */
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
  if (phases.has("rows")) writeRun("rows", command, await measureRows());
  if (phases.has("lake")) {
    writeRun("lake", command, await measureLake(settings.intervals));
  }
  writeFigures(deriveFigures);
  writeTables();
  console.log(`all figures: ${MEASURED_FILE}, in ${DOCUMENT}`);
}

/** The document says what the file says. */
function writeTables(): void {
  const measured = readMeasured();
  const path = join(projectFolder, DOCUMENT);
  writeFileSync(
    path,
    withTables(readFileSync(path, "utf8"), {
      ...scaleTables(figuresOf(measured), measured),
      sizes: sizesTable(readRuns()),
      requests: requestsTable(readRuns().requests),
    }),
  );
}

async function addRequests(server: Server, command: string): Promise<void> {
  const raw = await measureRequests(server);
  console.log(requestsTable(raw));
  writeRun("requests", command, raw);
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
    const measured = await measureBackfill(server, {
      shape: shapes[name],
      ...(name === "many" ? { segmentTransfers: Math.ceil(transfers / SEGMENTS) } : {}),
    });
    console.log(
      `${name}: ${measured.transfers} transfers in ${measured.blocks} blocks, ${measured.seconds.toFixed(0)} s`,
      measured.cpu,
      measured.lake ?? "",
    );
    return measured;
  };
  const raw = { few: await measure("few"), empty: await measure("empty"), many: await measure("many") };
  writeRun("backfill", command, raw);
}

async function addPace(server: Server, { settings, command }: { settings: Settings; command: string }) {
  const raw = await measurePace(server, {
    perSecond: settings.rate,
    warmUpSeconds: settings.warmUp,
    seconds: settings.seconds,
  });
  console.log("pace:", raw);
  writeRun("pace", command, raw);
}
