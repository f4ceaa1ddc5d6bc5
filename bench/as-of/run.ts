// `npm run bench -- as-of`: who held how much at a block, against other layouts of the same history in the same database.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Hex } from "viem";
import { type Line, table } from "../index/report.ts";
import { keepFigures } from "../keep-figures.ts";
import { wholeNumber } from "../number-options.ts";
import { machineOf, withServer } from "../with-server.ts";
import { measureLists, someAccounts } from "./account-lists.ts";
import { measureWrites } from "./batch-writes.ts";
import { type Ground, withGround } from "./ground.ts";
import { measureHistoryLength } from "./history-length.ts";
import { measurePages } from "./holder-pages.ts";
import { type HttpFigures, measureHttp } from "./http-answers.ts";
import { measureReaders } from "./live-readers.ts";
import { measureMulticall } from "./multicall.ts";
import * as report from "./report.ts";
import { sizes } from "./sizes.ts";
import { measureStorage } from "./storage.ts";
import { measureWhole } from "./whole-answers.ts";

export const summary = "who held how much at a block: the product's tables against other layouts of the same history";

const PHASES = ["whole", "lists", "http", "length", "storage", "multicall", "pages", "readers", "writes"] as const;
type Phase = (typeof PHASES)[number];

const options = {
  size: { type: "string", default: "S" },
  rounds: { type: "string", default: "5" },
  phases: { type: "string", default: PHASES.join(",") },
  accounts: { type: "string", default: "1000" },
  "multicall-accounts": { type: "string", default: "2000" },
  readers: { type: "string", default: "16" },
  requests: { type: "string", default: "40" },
  "live-transfers": { type: "string", default: "300" },
  "live-every": { type: "string", default: "250" },
  "batch-changes": { type: "string", default: "5000" },
  port: { type: "string" },
} as const;

export const usage = `npm run bench -- as-of [options]
  --size S                 S: 1,000,000 changes; M: 10,000,000 changes, about 180,000 holders of the hot token; XS to try
  --rounds 5               measured rounds, all contenders in each
  --phases ${PHASES.join(",")}
  --accounts 1000          of a list
  --multicall-accounts 2000
  --readers 16 --requests 40 --live-transfers 300 --live-every 250   (milliseconds between blocks)
  --batch-changes 5000
  --port N                 the database's port instead of a free one`;

function parse(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options });
  const size = sizes[values.size];
  if (!size) throw new Error(`--size: "${values.size}" is not one of ${Object.keys(sizes).join(", ")}`);
  const phases = values.phases.split(",");
  for (const phase of phases)
    if (!PHASES.some((existing) => existing === phase))
      throw new Error(`--phases: "${phase}" is not one of ${PHASES.join(", ")}`);
  const whole = (name: Exclude<keyof typeof values, "size" | "phases" | "port">): number =>
    wholeNumber(name, values[name]);
  return {
    size,
    sizeName: values.size,
    phases: new Set(phases as Phase[]),
    rounds: whole("rounds"),
    accounts: whole("accounts"),
    multicallAccounts: whole("multicall-accounts"),
    readers: whole("readers"),
    requestsEach: whole("requests"),
    transfersPerBlock: whole("live-transfers"),
    everyMs: whole("live-every"),
    batchChanges: whole("batch-changes"),
    port: values.port === undefined ? undefined : Number(values.port),
  };
}

type Settings = ReturnType<typeof parse>;

/** Runs the phases asked for, prints the table and keeps every figure in `.tidemark/bench/as-of.json`. */
export async function run(args: readonly string[]): Promise<void> {
  const settings = parse(args);
  await withServer(settings.port, async (server) => {
    const machine = machineOf(server);
    console.log(machine);
    const { size } = settings;
    const common = { machine, settings: { ...settings, phases: [...settings.phases] } };
    const keep = (measured: Measured) => keepFigures("as-of", { ...common, ...measured });
    const { lines } = await withGround({ server, size, say: console.log }, (ground) =>
      runPhases(ground, settings, keep),
    );
    console.log(`\n${table(lines, "peer")}\n\nall figures: .tidemark/bench/as-of.json`);
  });
}

interface Measured {
  lines: Line[];
  figures: Partial<Record<Phase, unknown>>;
  loads: Partial<Record<Phase, number>>;
}

const SHOWN_WRONG = 5;

/**
 * In this order: the last two change the tables. What a phase measured is printed and kept before the next one begins: all
 * of them together take long.
 */
async function runPhases(ground: Ground, settings: Settings, keep: (measured: Measured) => void): Promise<Measured> {
  const { phases, rounds, size } = settings;
  const lines: Line[] = [];
  const figures: Measured["figures"] = {};
  const loads: Measured["loads"] = {};
  const phase = async <T>(name: Phase, measure: () => Promise<T>, linesOf: (measured: T) => Line[]) => {
    if (!phases.has(name)) return undefined;
    const measured = await measure();
    const [load = Number.NaN] = loadavg();
    console.log(`${name}: measured, load ${load.toFixed(1)}`);
    loads[name] = load;
    figures[name] = measured;
    const measuredLines = linesOf(measured);
    lines.push(...measuredLines);
    if (measuredLines.length > 0) console.log(table(measuredLines, "peer"));
    keep({ lines, figures, loads });
    return measured;
  };
  await phase("whole", () => measureWhole(ground, rounds), report.wholeLines);
  await phase("lists", () => measureAllLists(ground, settings), report.listLines);
  const http: HttpFigures | undefined = await phase("http", () => measureHttp(ground, rounds), report.httpLines);
  await phase(
    "length",
    () => measureHistoryLength(ground, rounds),
    (runs) => report.lengthLines(runs, size.steadyHolders),
  );
  await phase(
    "storage",
    () => measureStorage(ground),
    (storage) => report.storageLines(storage, ground.changes),
  );
  await phase(
    "multicall",
    async () => {
      const accounts = await someAccounts(ground, { accounts: settings.multicallAccounts, seed: 0 });
      return measureMulticall(accounts as Hex[], rounds);
    },
    (runs) => (http ? report.multicallLines(runs, http) : []),
  );
  await phase("pages", () => measurePages(ground, rounds), report.pageLines);
  const readers = await phase("readers", () => measureReaders(ground, settings), report.readersLines);
  for (const { when, wrong } of readers ?? [])
    for (const line of wrong.slice(0, SHOWN_WRONG)) console.error(`wrong, ${when}: ${line}`);
  await phase("writes", () => measureAllWrites(ground, settings), report.writeLines);
  return { lines, figures, loads };
}

/** Ten repetitions in each round: single lists are short. */
const REPETITIONS_PER_ROUND = 10;

async function measureAllLists(ground: Ground, { rounds, accounts }: Settings) {
  const repetitions = rounds * REPETITIONS_PER_ROUND;
  return [
    ...(await measureLists(ground, { accounts: 1, repetitions })),
    ...(await measureLists(ground, { accounts, repetitions })),
  ];
}

async function measureAllWrites(ground: Ground, { rounds, batchChanges }: Settings) {
  const [row] = await ground.db.unsafe("select max(chain_head) as head from tidemark.chain_head");
  return measureWrites(ground, { changes: batchChanges, rounds, from: Number(row?.head) + 1 });
}
