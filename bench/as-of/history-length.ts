// The same holders with a short history and with one many times longer, each in tables of its own.

import { BENCH_CHAIN_ID } from "../index/workbench.ts";
import { readRows, sumInside } from "./answers.ts";
import { type Ground, PONDER_SCHEMA, productText } from "./ground.ts";
import { writeFold } from "./product-tables.ts";
import { pairs, turns } from "./turns.ts";

export interface LengthRun {
  history: "short" | "long";
  way: "rows" | "inside";
  ms: number;
}

const histories = ["short", "long"] as const;
const ways = ["rows", "inside"] as const;

export async function measureHistoryLength(ground: Ground, rounds: number): Promise<LengthRun[]> {
  const { db, head, size } = ground;
  const [row] = await db.unsafe(`select '"${PONDER_SCHEMA}".block'::regclass::oid::text as oid`);
  const schemaOf = (history: string) => `steady_${history}`;
  for (const history of histories) {
    // Facts of another name: no fold may take these tables for superseded ones of its own.
    const place = {
      chainId: BENCH_CHAIN_ID,
      ponderSchema: "facts_steady",
      foldSchema: schemaOf(history),
      factOid: String(row?.oid),
    };
    await writeFold(db, place, { changes: `made.steady_${history}`, watermark: head });
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
  for (const history of histories) await db.unsafe(`drop schema ${schemaOf(history)} cascade`);
  return runs;
}
