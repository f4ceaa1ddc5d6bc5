// What a run measured, both figures, their ratio and its bound.
import { count, type Line, median, megabytes, percentile, seconds } from "../printed-lines.ts";
import type { BackfillRun } from "./backfill.ts";
import type { LiveRun } from "./live.ts";

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
