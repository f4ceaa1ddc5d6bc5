// The lines of the table, from what was measured.
import { count, type Line, median, megabytes, percentile } from "../printed-lines.ts";
import type { ListRun } from "./account-lists.ts";
import type { WriteRun } from "./batch-writes.ts";
import type { LengthRun } from "./history-length.ts";
import type { PageRun, PageWhat } from "./holder-pages.ts";
import type { HttpFigures } from "./http-answers.ts";
import type { ReadersRun } from "./live-readers.ts";
import type { MulticallRun } from "./multicall.ts";
import { momentNames } from "./sizes.ts";
import type { Storage } from "./storage.ts";
import type { Design, Way, WholeRun } from "./whole-answers.ts";

const least = (values: readonly number[]): number => Math.min(...values);
const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : count(value)} ms`;

type Statistic = (values: readonly number[]) => number;
interface Compared {
  what: string;
  ours: number;
  peer: number;
  bound: string;
  show?: (value: number) => string;
}

/** Ours divided by the peer's: 1 is as long as the peer, less is shorter. */
const times = ({ what, ours, peer, bound, show = milliseconds }: Compared): Line => ({
  what,
  ours: show(ours),
  peer: show(peer),
  ratio: ours / peer,
  bound,
});
/** How many times faster than the peer. */
const faster = (compared: Compared): Line => ({ ...times(compared), ratio: compared.peer / compared.ours });

export function wholeLines(runs: readonly WholeRun[]): Line[] {
  return momentNames.flatMap((moment) => {
    const of = (design: Design, way: Way, statistic: Statistic = median) =>
      statistic(
        runs.filter((run) => run.moment === moment && run.design === design && run.way === way).map(({ ms }) => ms),
      );
    const holders = runs.find((run) => run.moment === moment)?.holders ?? 0;
    const name = `${count(holders)} holders, ${moment} block`;
    const ours = of("tidemark", "rows");
    const inside = of("tidemark", "inside");
    return [
      times({
        what: `${name}: rows to Node, minimum, against the row floor`,
        ours: of("tidemark", "rows", least),
        peer: of("row floor", "rows", least),
        bound: "<= 1.25",
      }),
      times({ what: `${name}: the same, median`, ours, peer: of("row floor", "rows"), bound: "<= 1.4" }),
      faster({
        what: `${name}: rows to Node, times faster than graph-node's layout unpaged`,
        ours,
        peer: of("graph-node", "rows"),
        bound: ">= 1.7",
      }),
      faster({
        what: `${name}: … paged by 1,000`,
        ours,
        peer: of("graph-node paged", "rows"),
        bound: moment === "late" ? ">= 50" : "",
      }),
      faster({
        what: `${name}: inside the database, times faster than graph-node's layout`,
        ours: inside,
        peer: of("graph-node", "inside"),
        bound: ">= 5",
      }),
      times({ what: `${name}: … against the row floor`, ours: inside, peer: of("row floor", "inside"), bound: "" }),
      faster({ what: `${name}: … than DISTINCT ON`, ours: inside, peer: of("distinct on", "inside"), bound: ">= 50" }),
      faster({ what: `${name}: … than holders + LATERAL`, ours: inside, peer: of("lateral", "inside"), bound: "" }),
    ];
  });
}

export function listLines(runs: readonly ListRun[]): Line[] {
  const sizes = [...new Set(runs.map(({ accounts }) => accounts))];
  return sizes.flatMap((accounts) =>
    momentNames.flatMap((moment) => {
      const of = (design: ListRun["design"]) =>
        median(
          runs
            .filter((run) => run.accounts === accounts && run.moment === moment && run.design === design)
            .map(({ ms }) => ms),
        );
      const [ours, peer] = [of("tidemark"), of("plain seek")];
      const name = `${count(accounts)} account${accounts === 1 ? "" : "s"}, ${moment} block`;
      if (accounts === 1) return [times({ what: `${name}: against 2 ms`, ours, peer: 2, bound: "<= 1" })];
      return [times({ what: `${name}: against a plain key seek`, ours, peer, bound: "<= 2" })];
    }),
  );
}

export function httpLines({ runs, single, memory }: HttpFigures): Line[] {
  const whole = momentNames.flatMap((moment) => {
    const of = (what: "answer" | "row floor", statistic: Statistic) =>
      statistic(runs.filter((run) => run.moment === moment && run.what === what).map(({ ms }) => ms));
    const bytes = runs.find((run) => run.moment === moment && run.what === "answer")?.bytes ?? 0;
    const holders = runs.find((run) => run.moment === moment && run.what === "row floor")?.holders ?? 0;
    const name = `GET /balances whole, ${count(holders)} holders, ${megabytes(bytes)}`;
    const compare = (statistic: Statistic) => ({ ours: of("answer", statistic), peer: of("row floor", statistic) });
    return [
      times({
        what: `${name}: against the row floor, median`,
        ...compare(median),
        bound: moment === "late" ? "<= 2" : "",
      }),
      times({ what: `${name}: the same, minimum`, ...compare(least), bound: "" }),
    ];
  });
  const growth = memory.residentPeak - memory.residentBefore;
  return [
    ...whole,
    times({ what: "GET /balances of one account, median: against 2 ms", ours: median(single), peer: 2, bound: "" }),
    times({
      what: `gateway's resident growth, ${memory.atOnce} whole answers at once: against 150 MB`,
      ours: growth,
      peer: 150e6,
      bound: "<= 1",
      show: megabytes,
    }),
  ];
}

export function pageLines(runs: readonly PageRun[]): Line[] {
  return momentNames.flatMap((moment) => {
    const here = runs.filter((run) => run.moment === moment);
    const of = (what: PageWhat) => median(here.filter((run) => run.what === what).map(({ ms }) => ms));
    const name = `page of a token of ${count(here[0]?.holders ?? 0)} holders`;
    const [token, account] = [of("token page"), of("account page")];
    return [
      times({ what: `${name}: against 1,000 ms`, ours: token, peer: 1_000, bound: "<= 1" }),
      times({ what: `${name}: against counting them by DISTINCT ON`, ours: token, peer: of("distinct on"), bound: "" }),
      times({ what: `${name}: against counting them by LATERAL`, ours: token, peer: of("lateral"), bound: "" }),
      times({ what: "page of one of them: against 1,000 ms", ours: account, peer: 1_000, bound: "<= 1" }),
      times({
        what: "page of one of them: against seeking its balance alone",
        ours: account,
        peer: of("one account's seek"),
        bound: "",
      }),
    ];
  });
}

export function lengthLines(runs: readonly LengthRun[], holders: number): Line[] {
  return (["rows", "inside"] as const).map((way) => {
    const of = (history: LengthRun["history"]) =>
      median(runs.filter((run) => run.history === history && run.way === way).map(({ ms }) => ms));
    const where = way === "rows" ? "rows to Node" : "inside the database";
    const what = `history × 20, ${count(holders)} holders: ${where}, against the short history`;
    return times({ what, ours: of("long"), peer: of("short"), bound: "<= 1.5" });
  });
}

export function storageLines(storage: Storage, changes: number): Line[] {
  const { tidemark, tidemarkWithHolders, plainHistory, graphNode } = storage;
  const show = (bytes: number) => `${(bytes / changes).toFixed(1)} B`;
  return [
    times({
      what: "bytes per change: against the plain history",
      ours: tidemark,
      peer: plainHistory,
      bound: "<= 1.6",
      show,
    }),
    times({
      what: "bytes per change, with the index of who ever held what: against the plain history",
      ours: tidemarkWithHolders,
      peer: plainHistory,
      bound: "",
      show,
    }),
    times({ what: "bytes per change: against graph-node's layout", ours: tidemark, peer: graphNode, bound: "", show }),
  ];
}

export function writeLines(runs: readonly WriteRun[]): Line[] {
  const of = (design: WriteRun["design"]) =>
    median(runs.filter((run) => run.design === design).map(({ ms, changes }) => (1000 * changes) / ms));
  const show = (value: number) => `${count(value)}/s`;
  const what = `changes in batches of ${count(runs[0]?.changes ?? 0)}: times graph-node's layout`;
  return [times({ what, ours: of("tidemark"), peer: of("graph-node"), bound: ">= 5", show })];
}

export function readersLines(runs: readonly ReadersRun[]): Line[] {
  const [quiet, live] = [runs.find(({ when }) => when === "quiet"), runs.find(({ when }) => when === "live")];
  if (!quiet || !live) return [];
  const name = `${live.readers} readers, ${live.blocksWritten} blocks written meanwhile`;
  const wrong = quiet.wrong.length + live.wrong.length;
  const answers = live.listMs.length + live.wholeMs.length;
  const compare = (what: string, of: (run: ReadersRun) => number) =>
    times({ what: `${name}: ${what}, against the quiet one`, ours: of(live), peer: of(quiet), bound: "" });
  return [
    {
      what: `${name}: wrong answers`,
      ours: count(wrong),
      peer: `of ${count(answers)}`,
      ratio: wrong / answers,
      bound: "<= 0",
    },
    {
      what: `${name}: told to ask again, the fold being too far behind`,
      ours: count(live.refused),
      peer: `of ${count(answers + live.refused)}`,
      ratio: live.refused / (answers + live.refused),
      bound: "",
    },
    compare("lists, 99th percentile", ({ listMs }) => percentile(listMs, 0.99)),
    compare("lists, median", ({ listMs }) => median(listMs)),
    compare("whole answers, 99th percentile", ({ wholeMs }) => percentile(wholeMs, 0.99)),
    compare("whole answers, median", ({ wholeMs }) => median(wholeMs)),
  ];
}

/** Per account: the complete late answer over HTTP against a multicall of the same accounts. */
export function multicallLines(runs: readonly MulticallRun[], http: HttpFigures): Line[] {
  const answers = http.runs.filter(({ moment, what }) => moment === "late" && what === "answer");
  const holders = http.runs.find(({ moment, what }) => moment === "late" && what === "row floor")?.holders ?? 0;
  const ours = (1000 * median(answers.map(({ ms }) => ms))) / holders;
  return [...new Set(runs.map(({ batchBytes }) => batchBytes))].map((batchBytes) => {
    const peer = median(
      runs.filter((run) => run.batchBytes === batchBytes).map(({ ms, accounts }) => (1000 * ms) / accounts),
    );
    const show = (value: number) => `${value.toFixed(1)} µs`;
    const what = `per account over HTTP: times faster than multicall in ${count(batchBytes)} B batches`;
    return faster({ what, ours, peer, bound: ">= 30", show });
  });
}
