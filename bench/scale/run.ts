// `npm run bench -- scale`: what an event, a block and an interval cost, for `npm run plan` and docs/scale.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "../../machine/project-root.ts";
import { figuresOf, readMeasured } from "../../plan/measured.ts";
import { scaleTables, withTables } from "../../plan/scale-tables.ts";
import type { Claim } from "../claim.ts";
import type { Server } from "../ground/workbench.ts";
import { numberAboveZero } from "../number-options.ts";
import type { Session } from "../session.ts";
import { measureBackfill, shapeOf } from "./backfill.ts";
import { deriveFigures } from "./figures.ts";
import { type LakeRun, measureLake, measureRows } from "./lake.ts";
import { MEASURED_FILE, type Runs, readRuns, writeFigures, writeRun } from "./measured-file.ts";
import { measurePace } from "./pace.ts";
import { measureRequests } from "./requests.ts";
import { requestsTable } from "./requests-table.ts";
import { sizesTable } from "./sizes-table.ts";

export const summary =
  "bytes, processor time, memory and requests of a backfill, by event and block: what plans are made from";

const DOCUMENT = "docs/scale.md";
/** Number of segments of the lake that is written from the largest backfill. */
const SEGMENTS = 4;

/** The most bytes of the lake that a closed interval may take. */
const MOST_BYTES = 100;

/** The tables are written after every run; phase `tables` only writes them again. */
const PHASES = ["requests", "backfill", "pace", "rows", "lake", "tables"] as const;

const options = {
  phases: { type: "string", default: PHASES.join(",") },
  transfers: { type: "string", default: "1000000" },
  "few-transfers": { type: "string", default: "100000" },
  "empty-blocks": { type: "string", default: "20000" },
  shapes: { type: "string", default: "few,empty,many" },
  rate: { type: "string", default: "100" },
  "warm-up": { type: "string", default: "240" },
  seconds: { type: "string", default: "120" },
  "devnet-steps": { type: "string" },
  idle: { type: "string", default: "20" },
  live: { type: "string", default: "60" },
  rest: { type: "string", default: "5" },
  "segment-blocks": { type: "string", default: "1000" },
  intervals: { type: "string", default: "2000000,10000000,100000000" },
  "file-rows": { type: "string", default: "2000000" },
} as const;

export const usage = `npm run bench -- scale [options]
  --phases ${PHASES.join(",")}
  --devnet-steps N --idle 20 --live 60 --rest 5   phase requests: the part of the devnet's scenario, and seconds
  --segment-blocks 1000                       of the lake that phase backfill writes
  --transfers 1000000 --few-transfers 100000 --empty-blocks 20000   the chains of phase backfill
  --shapes few,empty,many                     those of them that run; the others keep what they counted
  --rate 100 --warm-up 240 --seconds 120      the node of phase pace
  --intervals 2000000,10000000,100000000      rows that phase lake writes
  --file-rows 2000000                         of one file, phases rows and lake

Writes ${MEASURED_FILE} and the tables of ${DOCUMENT}; a phase that is left out keeps its figures there.`;

export const smallest = [
  ...["--shapes", "many"],
  ...["--transfers", "2000", "--few-transfers", "1000", "--empty-blocks", "60", "--segment-blocks", "10"],
  ...["--warm-up", "1", "--seconds", "2", "--devnet-steps", "40", "--idle", "1", "--live", "4", "--rest", "1"],
  ...["--intervals", "20000,40000", "--file-rows", "20000"],
];

type Settings = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options });
  const phases = new Set(values.phases.split(","));
  for (const phase of phases)
    if (!PHASES.some((existing) => existing === phase))
      throw new Error(`--phases: "${phase}" is not one of ${PHASES.join(", ")}`);
  const whole = (name: Exclude<keyof typeof values, "phases" | "intervals" | "shapes" | "devnet-steps">) =>
    numberAboveZero(name, values[name]);
  const steps = values["devnet-steps"];
  return {
    phases,
    transfers: whole("transfers"),
    fewTransfers: whole("few-transfers"),
    emptyBlocks: whole("empty-blocks"),
    shapes: values.shapes.split(","),
    rate: whole("rate"),
    warmUp: whole("warm-up"),
    seconds: whole("seconds"),
    requests: {
      steps: steps === undefined ? undefined : numberAboveZero("devnet-steps", steps),
      idleMs: 1_000 * whole("idle"),
      liveMs: 1_000 * whole("live"),
      restMs: 1_000 * whole("rest"),
    },
    segmentBlocks: whole("segment-blocks"),
    fileRows: whole("file-rows"),
    intervals: values.intervals.split(",").map((text) => numberAboveZero("intervals", text)),
  };
}

type Keep = <Name extends keyof Runs>(name: Name, raw: Runs[Name]) => void;

interface Work {
  server: Server;
  settings: Settings;
  keep: Keep;
}

/** Runs the chosen phases; what each one counted is written when it ends, except at the smallest size. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const settings = parse(args);
  const command = ["npm run bench -- scale", ...args].join(" ");
  const { phases, fileRows } = settings;
  const runs: Runs = {};
  const keep: Keep = (name, raw) => {
    runs[name] = raw;
    if (!session.isSmallest) writeRun(name, command, raw);
  };
  if (["requests", "backfill", "pace"].some((phase) => phases.has(phase)))
    await session.withServer(undefined, async (server) => {
      if (phases.has("requests")) await addRequests({ server, settings, keep });
      if (phases.has("backfill")) await addBackfill({ server, settings, keep });
      if (phases.has("pace")) await addPace({ server, settings, keep });
    });
  if (phases.has("rows")) keep("rows", await measureRows(fileRows));
  if (phases.has("lake")) {
    const written = await measureLake(settings.intervals, fileRows);
    keep("lake", written);
    session.record("lake", claimsOf(written));
  }
  if (session.isSmallest) {
    deriveFigures({ ...readRuns(), ...runs });
    return;
  }
  writeFigures(deriveFigures);
  writeTables();
  console.log(`all figures: ${MEASURED_FILE}, in ${DOCUMENT}`);
}

/** The claim about the largest lake. */
function claimsOf({ closed }: LakeRun): Claim[] {
  const { rows, bytes } = closed.at(-1) ?? { rows: 0, bytes: 0 };
  const [each, count] = [bytes / rows, rows.toLocaleString("en-US")];
  const verdict = { bar: `<= ${MOST_BYTES} B`, isMet: each <= MOST_BYTES };
  return [{ what: `${count} closed intervals in the lake: one`, figure: `${each.toFixed(1)} B`, ...verdict }];
}

/** Brings the document's tables up to date with the file. */
function writeTables(): void {
  const measured = readMeasured();
  const path = join(projectRoot, DOCUMENT);
  writeFileSync(
    path,
    withTables(readFileSync(path, "utf8"), {
      ...scaleTables(figuresOf(measured), measured),
      sizes: sizesTable(readRuns()),
      requests: requestsTable(readRuns().requests),
    }),
  );
}

async function addRequests({ server, settings, keep }: Work): Promise<void> {
  const raw = await measureRequests(server, settings.requests);
  console.log(requestsTable(raw));
  keep("requests", raw);
}

/** Few events in few blocks; many blocks, most of them empty; many events. */
async function addBackfill({ server, settings, keep }: Work): Promise<void> {
  const { transfers, fewTransfers, emptyBlocks, segmentBlocks } = settings;
  const before = readRuns().backfill;
  const shapes = {
    few: shapeOf(fewTransfers, 30),
    empty: shapeOf(fewTransfers, emptyBlocks),
    many: shapeOf(transfers, 30),
  };
  const segments = { segmentBlocks, segmentTransfers: Math.ceil(transfers / SEGMENTS) };
  const measure = async (name: keyof typeof shapes) => {
    const last = before?.[name];
    if (!settings.shapes.includes(name) && last !== undefined) return last;
    const measured = await measureBackfill(server, {
      shape: shapes[name],
      ...(name === "many" ? { segments } : {}),
    });
    console.log(
      `${name}: ${measured.transfers} transfers in ${measured.blocks} blocks, ${measured.seconds.toFixed(0)} s`,
      measured.cpu,
      measured.lake ?? "",
    );
    return measured;
  };
  keep("backfill", { few: await measure("few"), empty: await measure("empty"), many: await measure("many") });
}

async function addPace({ server, settings, keep }: Work): Promise<void> {
  const raw = await measurePace(server, {
    perSecond: settings.rate,
    warmUpSeconds: settings.warmUp,
    seconds: settings.seconds,
  });
  console.log("pace:", raw);
  keep("pace", raw);
}
