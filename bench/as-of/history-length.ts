// The same holders with a short history and with one many times longer, each in tables of its own.

import { recentSchema } from "../../fold/tables.ts";
import { BENCH_CHAIN_ID } from "../ground/workbench.ts";
import { readRows, sumInside } from "./answers.ts";
import { writeFacts } from "./facts.ts";
import { type Ground, productText } from "./ground.ts";
import { writeFold } from "./product-tables.ts";
import { pairs, turns } from "./turns.ts";

export interface LengthRun {
  history: "short" | "long";
  way: "rows" | "inside";
  ms: number;
}

const histories = ["short", "long"] as const;
/** A name of its own: no fold may take these tables for superseded ones of its facts. */
const FACTS = "facts_steady";
const ways = ["rows", "inside"] as const;

export async function measureHistoryLength(ground: Ground, rounds: number): Promise<LengthRun[]> {
  const { db, head, size } = ground;
  const schemaOf = (history: string) => `steady_${history}`;
  const factOid = await writeFacts(db, FACTS, head);
  for (const history of histories) {
    const place = { chainId: BENCH_CHAIN_ID, ponderSchema: FACTS, foldSchema: schemaOf(history), factOid };
    await writeFold(db, place, { changes: `made.steady_${history}`, head });
  }
  const runs: LengthRun[] = [];
  for (const { round, contender } of turns(pairs(ways, histories), rounds)) {
    const [way, history] = contender;
    const text = productText(Math.round(head / 2), { foldSchema: schemaOf(history) });
    const { ms, holders } = await (way === "rows" ? readRows : sumInside)(db, text);
    if (holders !== size.steadyHolders)
      throw new Error(`the ${history} history has ${holders} holders, not ${size.steadyHolders}`);
    if (round > 0) runs.push({ history, way, ms });
  }
  for (const schema of [FACTS, ...histories.map(schemaOf), ...histories.map(schemaOf).map(recentSchema)])
    await db.unsafe(`drop schema ${schema} cascade`);
  return runs;
}
