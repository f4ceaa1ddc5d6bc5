// `npm run bench -- live`: how long a new block, a reorg and finality take a fold with a long history.

import { parseArgs } from "node:util";
import { claimsOfFigures } from "../claim.ts";
import { numberAboveZero } from "../number-options.ts";
import { type Figure, median, megabytes, percentile, tableOf } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { withGround } from "./ground.ts";
import { type LiveFigures, measureLive } from "./phases.ts";
import type { SizeFigures } from "./sizes.ts";

export const summary = "a fold at the head: new blocks, replaced ones, finality, restarts";

const options = {
  changes: { type: "string", default: "10000000" },
  blocks: { type: "string", default: "200" },
  "long-run": { type: "string", default: "3000" },
  "long-transfers": { type: "string", default: "30" },
  replacements: { type: "string", default: "10" },
  facts: { type: "string", default: "1000000" },
  pools: { type: "string", default: "500" },
  port: { type: "string" },
} as const;

export const usage = `npm run bench -- live [options]
  --changes 10000000   of holdings, final before anything is measured
  --blocks 200         of 300 transfers each
  --replacements 10    of the newest 20 blocks
  --long-run 3000 --long-transfers 30   blocks and their transfers, for what they leave in catalogs and tables
  --facts 1000000 --pools 500   transfers in Ponder's tables, v3 pools with ticks and positions
  --port N             the database's port instead of a free one`;

export const smallest = [
  ...["--changes", "20000", "--blocks", "40", "--replacements", "1", "--long-run", "40", "--facts", "2000"],
  ...["--pools", "5"],
];

/** Prints the tables and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const number = (name: Exclude<keyof typeof options, "port">) => numberAboveZero(name, values[name]);
  const setting = {
    blocks: number("blocks"),
    replacements: number("replacements"),
    longRun: number("long-run"),
    longTransfers: number("long-transfers"),
  };
  const size = { changes: number("changes"), facts: number("facts"), pools: number("pools") };
  const port = values.port === undefined ? undefined : numberAboveZero("port", values.port);
  await session.withServer(port, async (server) => {
    const figures = await withGround({ server, size, say: console.log }, (ground) => measureLive(ground, setting));
    const [times, sizes] = [timesOf(figures, size.changes), sizeRatiosOf(figures)];
    // a long run measures what it leaves behind: its times come from few blocks and a short history
    if (setting.longRun >= LONG) session.record("long run", claimsOfFigures(sizes));
    else session.record("head", claimsOfFigures([...times, ...sizes]));
    console.log(`\n${tableOf([...times, ...sizes])}\n\n${sizesOf(figures)}`);
    console.log(`\nall figures: ${session.keepFigures({ size, setting, ...figures })}`);
  });
}

/** From this many blocks on, a run is one that measures what they leave behind. */
const LONG = 50_000;
const MOST_RATIO = 1.2;

function timesOf({ blockMs, emptyMs, replacedMs, mergeMs, restartMs }: LiveFigures, changes: number): Figure[] {
  const time = (what: string, ms: number, most: number): Figure => ({
    what: `${changes.toLocaleString("en-US")} changes: ${what}`,
    value: `${ms.toFixed(1)} ms`,
    bound: `<= ${most} ms`,
    isMet: ms <= most,
  });
  // with few blocks, none becomes final
  const finality =
    mergeMs.length === 0
      ? []
      : [
          time("a turn that made blocks final, median", median(mergeMs), 300),
          time("a turn that made blocks final, longest", Math.max(...mergeMs), 300),
        ];
  return [
    time("a block of 300 transfers, median", median(blockMs), 60),
    time("a block of 300 transfers, 99th percentile", percentile(blockMs, 0.99), 150),
    time("an empty block, median", median(emptyMs), 10),
    time("20 blocks replaced, median", median(replacedMs), 300),
    time("20 blocks replaced, longest", Math.max(...replacedMs), 300),
    ...finality,
    time("restart to head", restartMs, 10_000),
  ];
}

function sizeRatiosOf(figures: LiveFigures): Figure[] {
  return Object.entries(ratiosOf(figures)).map(([name, ratio]) => ({
    what: `after ${figures.longBlocks.toLocaleString("en-US")} blocks: ${name}`,
    value: ratio.toFixed(2),
    bound: `<= ${MOST_RATIO}`,
    isMet: ratio <= MOST_RATIO,
  }));
}

/** Compared with the catalogs before the first block and the tables of a fold that is built again. */
function ratiosOf({ sizes, fresh }: LiveFigures): Record<string, number> {
  const [first, last] = [sizes[0] ?? fresh, sizes.at(-1) ?? fresh];
  const sumOf = ({ catalogs, large, recent, copies }: SizeFigures) => catalogs + large + recent + copies;
  return {
    "tables, indexes and catalogs together": sumOf(last) / sumOf({ ...fresh, catalogs: first.catalogs }),
    "catalogs, against before": last.catalogs / first.catalogs,
    "final history, against one made anew": last.large / fresh.large,
    "recent versions, against such as are made anew": last.recent / fresh.recent,
    "copies of facts, against such as are made anew": last.copies / fresh.copies,
  };
}

function sizesOf({ sizes, fresh }: LiveFigures): string {
  const row = (name: string, { catalogs, large, recent, copies }: Omit<SizeFigures, "block">) =>
    `| ${[name, ...[catalogs, large, recent, copies].map(megabytes)].join(" | ")} |`;
  return [
    "| at block | catalogs | final history | recent versions | copies of facts |",
    "|---|--:|--:|--:|--:|",
    ...sizes.map((size) => row(String(size.block), size)),
    row("the last rows, made anew", { ...fresh, catalogs: sizes[0]?.catalogs ?? fresh.catalogs }),
  ].join("\n");
}
