// The tables of docs/scale.md, from the measured figures: what an index takes for a given number of events.
import type { Figures } from "../core/sizing/figures.ts";
import { loadOf } from "../core/sizing/load.ts";
import { type Plan, planOf } from "../core/sizing/plan.ts";
import { bytesText, hoursText } from "./show.ts";

export const EVENTS = [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000] as const;
const SEGMENT_TRANSFERS = 1_000_000;
/** Of the chain file that the tables are for: Berachain's. */
const QUERIES = { perRange: 30, mostBlocks: Number.POSITIVE_INFINITY };
const ADDRESSES = 50;

/** With the shares of the measured worlds, for a number of cores and for the requests a second that the node grants. */
export function planOfSize(
  figures: Figures,
  { events, cores, rpcRate }: { events: number; cores: number; rpcRate: number },
): Plan {
  const load = loadOf({ events, blocks: Math.round(events / figures.world.eventsPerBlock) }, figures.world);
  return planOf(
    { load, queries: QUERIES, addresses: ADDRESSES, rpcRate, cores, segmentTransfers: SEGMENT_TRANSFERS },
    figures,
  );
}

const count = (value: number): string => {
  const units = ["", " thousand", " million", " billion"];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  const short = value / 1000 ** power;
  return `${short >= 100 ? Math.round(short) : Number(short.toPrecision(3))}${units[power]}`;
};

type Row = readonly [title: string, of: (plans: Plans) => string];

interface Plans {
  /** Two cores, 100 requests a second. */
  small: Plan;
  /** Eight cores, 1,000 requests a second. */
  large: Plan;
}

const DISK: readonly Row[] = [
  ["blocks", ({ small }) => count(small.load.blocks)],
  ["transfers", ({ small }) => count(small.load.transfers)],
  ["PostgreSQL: the node's answers (`ponder_sync`)", ({ small }) => bytesText(small.postgres.raw)],
  ["PostgreSQL: facts", ({ small }) => bytesText(small.postgres.facts)],
  ["PostgreSQL: fold", ({ small }) => bytesText(small.postgres.fold)],
  ["**PostgreSQL in all**", ({ small }) => bytesText(small.postgres.total)],
  ["lake: facts", ({ small }) => bytesText(small.lake?.facts ?? 0)],
  ["lake: closed intervals", ({ small }) => bytesText(small.lake?.closed ?? 0)],
  ["lake: open intervals, at each segment's end", ({ small }) => bytesText(small.lake?.open ?? 0)],
  ["lake: segments", ({ small }) => count(small.lake?.segments ?? 0)],
  ["**lake in all**", ({ small }) => bytesText(small.lake?.total ?? 0)],
];

const TIME: readonly Row[] = [
  ["requests", ({ small }) => count(small.requests.total)],
  ["of which blocks", ({ small }) => count(small.requests.byMethod[0]?.count ?? 0)],
  ["by requests, 100 a second", ({ small }) => hoursText(small.hours.rpc)],
  ["by requests, 1,000 a second", ({ large }) => hoursText(large.hours.rpc)],
  ["by processor, 2 cores", ({ small }) => hoursText(small.hours.cpu)],
  ["by processor, 8 cores", ({ large }) => hoursText(large.hours.cpu)],
  ["**backfill, 2 cores, 100 a second**", ({ small }) => hoursText(small.hours.backfill)],
  ["**backfill, 8 cores, 1,000 a second**", ({ large }) => hoursText(large.hours.backfill)],
  ["processes' memory", ({ small }) => bytesText(small.memory.total)],
];

function table(figures: Figures, rows: readonly Row[]): string {
  const plans = EVENTS.map((events) => ({
    small: planOfSize(figures, { events, cores: 2, rpcRate: 100 }),
    large: planOfSize(figures, { events, cores: 8, rpcRate: 1_000 }),
  }));
  return [
    `| events | ${EVENTS.map(count).join(" | ")} |`,
    `|---|${EVENTS.map(() => "---|").join("")}`,
    ...rows.map(([title, of]) => `| ${title} | ${plans.map(of).join(" | ")} |`),
  ].join("\n");
}

interface Measured {
  runs: Record<string, { at: string; command: string; commit: string; machine: string; load: number }>;
  figures: Record<string, Record<string, { value: number; from: string; run: string }>>;
}

const figureTable = ({ figures }: Measured): string =>
  [
    "| figure | value | measured | run |",
    "|---|---|---|---|",
    ...Object.entries(figures).flatMap(([group, named]) =>
      Object.entries(named).map(
        ([name, { value, from, run }]) => `| \`${group}.${name}\` | ${value} | ${from} | ${run} |`,
      ),
    ),
  ].join("\n");

const runTable = ({ runs }: Measured): string =>
  [
    "| run | date | commit | command | machine, load |",
    "|---|---|---|---|---|",
    ...Object.entries(runs).map(
      ([name, { at, commit, command, machine, load }]) =>
        `| ${name} | ${at} | ${commit} | \`${command}\` | ${machine}, ${load} |`,
    ),
  ].join("\n");

/** Every table of the document by its mark. */
export const scaleTables = (figures: Figures, measured: Measured): Record<string, string> => ({
  disk: table(figures, DISK),
  time: table(figures, TIME),
  figures: figureTable(measured),
  runs: runTable(measured),
});

/** `text` with each table in place of what stands between its marks. @throws Error when a mark is missing */
export function withTables(text: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((document, [name, body]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [document.indexOf(begin), document.indexOf(end)];
    if (from < 0 || to < from)
      throw new Error(`the document has no place for table "${name}": write ${begin} and ${end}`);
    return `${document.slice(0, from + begin.length)}\n${body}\n${document.slice(to)}`;
  }, text);
}
