// `npm run bench -- live`: how long a new block, a reorg and finality take a fold with a long history.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { median, megabytes, percentile } from "../index/report.ts";
import { keepFigures } from "../keep-figures.ts";
import { numberAboveZero } from "../number-options.ts";
import { machineOf, withServer } from "../with-server.ts";
import { withGround } from "./ground.ts";
import { type LiveFigures, measureLive } from "./phases.ts";
import type { SizeFigures } from "./sizes.ts";

export const summary = "a fold at the head: new blocks, replaced ones, finality, restarts";

const options = {
  changes: { type: "string", default: "10000000" },
  blocks: { type: "string", default: "200" },
  "long-run": { type: "string", default: "3000" },
  "long-transfers": { type: "string", default: "30" },
  port: { type: "string" },
} as const;

export const usage = `npm run bench -- live [options]
  --changes 10000000   of holdings, final before anything is measured
  --blocks 200         of 300 transfers each
  --long-run 3000 --long-transfers 30   blocks and their transfers, for what they leave in catalogs and tables
  --port N             the database's port instead of a free one`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  const setting = {
    changes: numberAboveZero("changes", values.changes),
    blocks: numberAboveZero("blocks", values.blocks),
    longRun: numberAboveZero("long-run", values["long-run"]),
    longTransfers: numberAboveZero("long-transfers", values["long-transfers"]),
  };
  const port = values.port === undefined ? undefined : numberAboveZero("port", values.port);
  await withServer(port, async (server) => {
    const machine = machineOf(server);
    console.log(machine);
    const { changes } = setting;
    const figures = await withGround({ server, changes, say: console.log }, (ground) => measureLive(ground, setting));
    const [load = Number.NaN] = loadavg();
    console.log(`\n${tableOf(figures)}\n\n${sizesOf(figures)}\n\nload ${load.toFixed(1)}`);
    console.log(`all figures: ${keepFigures("live", { machine, setting, load, ...figures })}`);
  });
}

function tableOf({ blockMs, emptyMs, replacedMs, mergeMs, restartMs }: LiveFigures): string {
  const row = (what: string, ms: number, most: number) =>
    `| ${what} | ${ms.toFixed(1)} ms | <= ${most} ms | ${ms <= most ? "kept" : "MISSED"} |`;
  return [
    "| measured | | bar | |",
    "|---|--:|--:|---|",
    row("a block of 300 transfers, median", median(blockMs), 60),
    row("a block of 300 transfers, 99th percentile", percentile(blockMs, 0.99), 150),
    row("an empty block, median", median(emptyMs), 10),
    row("20 blocks replaced, median", median(replacedMs), 300),
    row("20 blocks replaced, longest", Math.max(...replacedMs), 300),
    row("a turn that made blocks final, median", median(mergeMs), 300),
    row("a turn that made blocks final, longest", Math.max(...mergeMs), 300),
    row("restart to head", restartMs, 10_000),
  ].join("\n");
}

/** What is measured against: the catalogs before the first block, the tables of a fold made anew. */
function sizesOf({ sizes, fresh }: LiveFigures): string {
  const row = (
    name: string,
    { catalogs, large, recent, copies }: Omit<SizeFigures, "block">,
    show: (n: number) => string,
  ) => `| ${[name, ...[catalogs, large, recent, copies].map(show)].join(" | ")} |`;
  const [first, last] = [sizes[0] ?? fresh, sizes.at(-1) ?? fresh];
  const ratios = {
    catalogs: last.catalogs / first.catalogs,
    large: last.large / fresh.large,
    recent: last.recent / fresh.recent,
    copies: last.copies / fresh.copies,
  };
  return [
    "| at block | catalogs | final history | recent versions | copies of facts |",
    "|---|--:|--:|--:|--:|",
    ...sizes.map((size) => row(String(size.block), size, megabytes)),
    row("the last rows, made anew", { ...fresh, catalogs: first.catalogs }, megabytes),
    row("ratio, bar 1.2", ratios, (ratio) => ratio.toFixed(2)),
  ].join("\n");
}
