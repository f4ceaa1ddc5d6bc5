// `npm run bench -- lookthrough`: all holders of a token that sits in pools, against all holders of one that sits in
// wallets: as many of them, in the same index, in turns.
import { parseArgs } from "node:util";
import { table } from "../index/report.ts";
import { keepFigures } from "../keep-figures.ts";
import { numberAboveZero } from "../number-options.ts";
import { machineOf, withServer } from "../with-server.ts";
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

/** Prints the table and keeps every figure in `.tidemark/bench/lookthrough.json`. */
export async function run(args: readonly string[]): Promise<void> {
  const settings = parse(args);
  await withServer(undefined, async (server) => {
    console.log(machineOf(server));
    const runs = await withGround({ server, holders: settings.holders }, (ground) => measure(ground, settings.rounds));
    const file = keepFigures("lookthrough", { settings, runs });
    console.log(`\n${table(lines(runs), "plain balances")}\n\nall figures: ${file}`);
  });
}
