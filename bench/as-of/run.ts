// `npm run bench -- as-of`: who held how much at a block, against other layouts of the same history in the same database.

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Hex } from "viem";
import { claimsOfLines, NAMED_BY_CLAIM } from "../claim.ts";
import { wholeNumber } from "../number-options.ts";
import { type Line, table } from "../printed-lines.ts";
import type { Session } from "../session.ts";
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

/** What a phase is compared with; where there are several peers, each line names its own. */
const PEERS: Readonly<Record<Phase, string>> = {
  whole: NAMED_BY_CLAIM,
  lists: NAMED_BY_CLAIM,
  http: NAMED_BY_CLAIM,
  length: "short history",
  storage: NAMED_BY_CLAIM,
  multicall: "viem's multicall",
  pages: NAMED_BY_CLAIM,
  readers: "quiet index",
  writes: "graph-node's layout",
};

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
  --size S                 S: 1,000,000 changes; M: 10,000,000 changes, about 180,000 holders of the hot token; XS and XXS to try
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

export const smallest = [
  ...["--size", "XXS", "--rounds", "1", "--accounts", "100", "--multicall-accounts", "50", "--readers", "4"],
  ...["--requests", "8", "--live-transfers", "50", "--live-every", "100", "--batch-changes", "500"],
];

/** Runs the chosen phases, prints the table and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const settings = parse(args);
  await session.withServer(settings.port, async (server) => {
    const { size } = settings;
    const common = { settings: { ...settings, phases: [...settings.phases] } };
    let file = "";
    const keep = (measured: Measured) => {
      file = session.keepFigures({ ...common, ...measured });
    };
    const { lines } = await withGround({ server, size, say: console.log }, (ground) =>
      runPhases({ ground, settings, session, keep }),
    );
    console.log(`\n${table(lines, "peer")}\n\nall figures: ${file}`);
  });
}

interface Measured {
  lines: Line[];
  figures: Partial<Record<Phase, unknown>>;
  loads: Partial<Record<Phase, number>>;
}

interface Work {
  ground: Ground;
  settings: Settings;
  session: Session;
  keep(measured: Measured): void;
}

const SHOWN_WRONG = 5;

/**
 * In this order: the last two change the tables. The figures of a phase are printed and kept before the next one begins, as all
 * phases together take long.
 */
async function runPhases({ ground, settings, session, keep }: Work): Promise<Measured> {
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
    if (measuredLines.length > 0) console.log(table(measuredLines, NAMED_BY_CLAIM));
    session.record(`${name} at ${settings.sizeName}`, claimsOfLines(measuredLines, PEERS[name]));
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
  const wrong = (readers ?? []).flatMap((run) => run.wrong.map((line) => `${run.when}: ${line}`));
  if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers: ${wrong.slice(0, SHOWN_WRONG).join("; ")}`);
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
