// `npm run bench -- lookthrough`: all holders of a token that sits in pools, against all holders of one that sits in
// wallets: as many of them, in the same index, in turns.

import { parseArgs } from "node:util";
import { claimsOfLines } from "../claim.ts";
import { numberAboveZero } from "../number-options.ts";
import { table } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { withGround } from "./ground.ts";
import { measure } from "./measure.ts";
import { lines } from "./report.ts";

export const summary = "balances through pools and positions, against plain balances of as many holders";

const options = {
  holders: { type: "string", default: "50000" },
  rounds: { type: "string", default: "7" },
} as const;

export const usage = `npm run bench -- lookthrough [options]
  --holders 50000   of each token
  --rounds 7        measured rounds, every answer in each, each at a block that nobody has asked about`;

function parse(args: readonly string[]): { holders: number; rounds: number } {
  const { values } = parseArgs({ args: [...args], options });
  return { holders: numberAboveZero("holders", values.holders), rounds: numberAboveZero("rounds", values.rounds) };
}

export const smallest = ["--holders", "300", "--rounds", "1"];

const PEER = "plain balances";

/** Prints the table and keeps every figure. */
export async function run(args: readonly string[], session: Session): Promise<void> {
  const settings = parse(args);
  await session.withServer(undefined, async (server) => {
    const runs = await withGround({ server, holders: settings.holders }, (ground) => measure(ground, settings.rounds));
    session.record("all", claimsOfLines(lines(runs), PEER));
    const file = session.keepFigures({ settings, runs });
    console.log(`\n${table(lines(runs), PEER)}\n\nall figures: ${file}`);
  });
}
