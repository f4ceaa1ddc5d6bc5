// What the product asks its node, by kind: from nothing to the head, for a new block, and while nothing happens.
import type { RequestRun } from "./requests.ts";

const count = (value: number): string => value.toLocaleString("en-US");
const short = (value: number): string => (value < 0.005 ? "–" : value.toFixed(2));
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

interface Row {
  title: string;
  backfill: number;
  /** Per second, without a new block. */
  idle: number;
  /** For one new block, without the requests that are sent anyway as time passes. */
  live: number;
}

/** A Markdown table of calls; a batch counts as the calls in it, and as one HTTP request. @throws Error when the run is missing */
export function requestsTable(run: RequestRun | undefined): string {
  if (!run) throw new Error("the requests need a run of their phase: run phase requests first");
  const { backfill, idle, live, blocks, http } = run;
  const rowOf = (title: string, [whole, still, followed]: readonly [number, number, number]): Row => {
    const perSecond = still / idle.seconds;
    return {
      title,
      backfill: whole,
      idle: perSecond,
      live: Math.max(followed - perSecond * live.seconds, 0) / live.blocks,
    };
  };
  const kinds = [...new Set([backfill, idle.byKind, live.byKind].flatMap((kind) => Object.keys(kind)))].sort();
  const rows = kinds.map((kind) =>
    rowOf(kind.replace(/^(eth_\w+)/, "`$1`"), [backfill[kind] ?? 0, idle.byKind[kind] ?? 0, live.byKind[kind] ?? 0]),
  );
  const all: Row = {
    title: "**calls in all**",
    backfill: sum(rows.map((row) => row.backfill)),
    idle: sum(rows.map((row) => row.idle)),
    live: sum(rows.map((row) => row.live)),
  };
  const requests = rowOf("HTTP requests", [http.backfill, http.idle, http.live]);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line([
      "calls",
      `to the head of ${count(blocks)} blocks`,
      "for 1,000 blocks",
      "for a new block",
      "a second without a block",
    ]),
    "|---|---|---|---|---|",
    ...[...rows, all, requests].map((row) =>
      line([
        row.title,
        count(row.backfill),
        count(Math.round((row.backfill / blocks) * 1_000)),
        short(row.live),
        short(row.idle),
      ]),
    ),
  ].join("\n");
}
