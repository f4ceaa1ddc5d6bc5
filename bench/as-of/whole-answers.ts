// All holders of the hot token at an early, a middle and a late block: the product against the row floor and its peers,
// in turns.
import { readRows, requireEqual, sumInside, type Tally, type Timed, tally } from "./answers.ts";
import { type Ground, productText } from "./ground.ts";
import { readPaged, wholeOf } from "./peers/graph-node.ts";
import { distinctOn, lateralSeek } from "./peers/plain-history.ts";
import { HOT, type Moment, momentNames } from "./sizes.ts";
import { pairs, turns } from "./turns.ts";

export type Design = "tidemark" | "row floor" | "graph-node" | "graph-node paged" | "distinct on" | "lateral";
/** `rows`: to Node, amounts made integers; `inside`: counted and summed in the database. */
export type Way = "rows" | "inside";

export interface WholeRun {
  moment: Moment;
  design: Design;
  way: Way;
  round: number;
  holders: number;
  ms: number;
}

interface Contender {
  design: Design;
  way: Way;
  text: (at: { block: number; moment: Moment }) => string;
}

const contenders: readonly Contender[] = [
  { design: "row floor", way: "rows", text: ({ moment }) => `select account, amount from made.floor_${moment}` },
  { design: "tidemark", way: "rows", text: ({ block }) => productText(block) },
  { design: "graph-node", way: "rows", text: ({ block }) => wholeOf(HOT, block) },
  { design: "row floor", way: "inside", text: ({ moment }) => `select account, amount from made.floor_${moment}` },
  { design: "tidemark", way: "inside", text: ({ block }) => productText(block) },
  { design: "graph-node", way: "inside", text: ({ block }) => wholeOf(HOT, block) },
  { design: "distinct on", way: "inside", text: ({ block }) => distinctOn(HOT, block) },
  { design: "lateral", way: "inside", text: ({ block }) => lateralSeek(HOT, block) },
];

export async function measureWhole(ground: Ground, rounds: number): Promise<WholeRun[]> {
  const { db, blocks } = ground;
  const expected = new Map<Moment, Tally>();
  for (const moment of momentNames)
    expected.set(moment, await sumInside(db, `select account, amount from made.floor_${moment}`));
  const runs: WholeRun[] = [];
  const keep = ({ ms, ...got }: Timed, run: Omit<WholeRun, "ms" | "holders">) => {
    requireEqual(`${run.design} at the ${run.moment} block`, got, expected.get(run.moment) ?? got);
    if (run.round > 0) runs.push({ ...run, holders: got.holders, ms });
  };
  for (const { round, contender } of turns(pairs(momentNames, contenders), rounds)) {
    const [moment, { design, way, text }] = contender;
    const read = way === "rows" ? readRows : sumInside;
    keep(await read(db, text({ block: blocks[moment], moment })), { moment, design, way, round });
  }
  for (const moment of momentNames)
    keep(await readAllPages(ground, moment), { moment, design: "graph-node paged", way: "rows", round: 1 });
  return runs;
}

async function readAllPages({ db, blocks }: Ground, moment: Moment): Promise<Timed> {
  const started = performance.now();
  const counted = tally();
  await readPaged(db, { token: HOT, block: blocks[moment] }, (row) => counted.take(row));
  return { holders: counted.holders, sum: counted.sum, ms: performance.now() - started };
}
