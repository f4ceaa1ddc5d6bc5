// The table that a run prints: what was measured, both figures, their ratio and its bound.
import type { BackfillRun } from "./backfill.ts";
import type { LiveRun } from "./live.ts";

export interface Line {
  what: string;
  ours: string;
  peer: string;
  /** The peer's name, where it is not the peer of the other lines. */
  peerName?: string;
  ratio: number;
  /** e.g. `>= 2`; empty for figures without a bound. */
  bound: string;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
export const count = (value: number): string => Math.round(value).toLocaleString("en-US");
export const seconds = (value: number): string => `${value.toFixed(1)} s`;

type Pick<T, V = number> = (run: T) => V;

/** Medians of both apps' runs, printed by `show`; the ratio is of the medians. */
export function line<T extends { app: string }>(
  runs: readonly T[],
  options: { what: string; of: Pick<T>; show: (value: number) => string; bound: string },
): Line {
  const of = (app: string) => median(runs.filter((run) => run.app === app).map(options.of));
  const [ours, peer] = [of("tidemark"), of("bare ponder")];
  const { what, show, bound } = options;
  return { what, ours: show(ours), peer: show(peer), ratio: ours / peer, bound };
}

/** No lines without a measured round. */
export function backfillLines(events: number, runs: readonly BackfillRun[]): Line[] {
  if (runs.length === 0) return [];
  const name = `${count(events)} transfers`;
  const perSecond = (of: Pick<BackfillRun>) => (run: BackfillRun) => events / of(run);
  return [
    line(runs, {
      what: `${name}: events/s to answers, after Ponder's start-up`,
      of: (run) => run.eventsPerS,
      show: count,
      bound: ">= 2",
    }),
    line(runs, {
      what: `${name}: events/s until every table is vacuumed`,
      of: perSecond((run) => run.settledS),
      show: count,
      bound: "",
    }),
    line(runs, {
      what: `${name}: events/s to answers, start-up included`,
      of: perSecond((run) => run.wholeS),
      show: count,
      bound: "",
    }),
    line(runs, {
      what: `${name}: time to answers, start-up included`,
      of: (run) => run.wholeS,
      show: seconds,
      bound: "",
    }),
    line(runs, { what: `${name}: Ponder's own backfill`, of: (run) => run.indexingS, show: seconds, bound: "" }),
    line(runs, {
      what: `${name}: processor time, database and start-up included`,
      of: (run) => run.cpuS,
      show: seconds,
      bound: "",
    }),
    line(runs, {
      what: `${name}: bytes after backfill`,
      of: (run) => run.totalBytes,
      show: megabytes,
      bound: "<= 1.1",
    }),
  ];
}

export function liveLines(transfersPerBlock: number, runs: readonly LiveRun[]): Line[] {
  const name = `live, ${transfersPerBlock} transfers a block`;
  const delay = (share: number) => (run: LiveRun) => percentile(run.delaysMs, share);
  const show = (ms: number) => `${Math.round(ms)} ms`;
  return [
    line(runs, {
      what: `${name}: events/s working off a burst`,
      of: (run) => run.burstEventsPerS,
      show: count,
      bound: ">= 4",
    }),
    line(runs, {
      what: `${name}: block to committed rows, median`,
      of: (run) => median(run.indexedMs),
      show,
      bound: "",
    }),
    line(runs, { what: `${name}: block to answer, median`, of: delay(0.5), show, bound: "" }),
    line(runs, { what: `${name}: block to answer, 95th percentile`, of: delay(0.95), show, bound: "" }),
    line(runs, {
      what: `${name}: growth of the system catalogs`,
      of: (run) => run.catalogGrowth,
      show: (bytes) => `${Math.round(bytes / 1000)} kB`,
      bound: "",
    }),
  ];
}

const MOST_LAG_MS = 80;

/** How much later than the peer's commit our answer comes, at the median of all blocks. */
export function answerLag(runs: readonly LiveRun[]): Line {
  const of = (app: LiveRun["app"], times: Pick<LiveRun, number[]>) =>
    median(runs.filter((run) => run.app === app).flatMap(times));
  const lag = of("tidemark", (run) => run.delaysMs) - of("bare ponder", (run) => run.indexedMs);
  return {
    what: `live: block to answer less the peer's commit, against ${MOST_LAG_MS} ms`,
    ours: `${Math.round(lag)} ms`,
    peer: `${MOST_LAG_MS} ms`,
    peerName: "bar",
    ratio: lag / MOST_LAG_MS,
    bound: "<= 1",
  };
}

/** Whether a line keeps its bound; undefined when it has none. */
export function keepsBound({ ratio, bound }: Line): boolean | undefined {
  const [, sign, value] = /^(>=|<=) ([\d.]+)$/.exec(bound) ?? [];
  if (sign === undefined) return undefined;
  return sign === ">=" ? ratio >= Number(value) : ratio <= Number(value);
}

/** A Markdown table; `peer` heads the other figure. */
export function table(lines: readonly Line[], peer = "bare ponder"): string {
  const rows = lines.map((entry) => {
    const verdict = { true: "kept", false: "MISSED", undefined: "" }[
      String(keepsBound(entry)) as "true" | "false" | "undefined"
    ];
    return [entry.what, entry.ours, entry.peer, entry.ratio.toFixed(2), entry.bound, verdict];
  });
  const head = ["measured", "tidemark", peer, "ratio", "bound", ""];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const format = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  return [format(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(format)].join("\n");
}
