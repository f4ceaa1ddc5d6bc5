// `npm run bench -- lookthrough`: all holders of a token that sits in pools, against all holders of one that sits in
// wallets: as many of them, in the same index, in turns.
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectFolder } from "../index/project-folder.ts";
import { table } from "../index/report.ts";
import { startServer } from "../index/workbench.ts";
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
  const number = (name: keyof typeof options): number => {
    if (!/^[1-9]\d*$/.test(values[name])) throw new Error(`--${name}: "${values[name]}" is not a number above zero`);
    return Number(values[name]);
  };
  return { holders: number("holders"), rounds: number("rounds") };
}

/** Prints the table and keeps every figure in `.tidemark/bench/lookthrough.json`. */
export async function run(args: readonly string[]): Promise<void> {
  const settings = parse(args);
  const server = await startServer(undefined);
  const stopOnSignal = () => void server.stop().finally(() => process.exit(130));
  process.once("SIGINT", stopOnSignal);
  process.once("SIGTERM", stopOnSignal);
  try {
    console.log(
      `${server.description}; Node ${process.versions.node}; ${cpus().length} cores, ${cpus()[0]?.model ?? ""}`,
    );
    const runs = await withGround({ server, holders: settings.holders }, (ground) => measure(ground, settings.rounds));
    const folder = join(projectFolder, ".tidemark/bench");
    mkdirSync(folder, { recursive: true });
    const kept = { at: new Date().toISOString(), settings, runs };
    writeFileSync(join(folder, "lookthrough.json"), JSON.stringify(kept, null, 2));
    console.log(`\n${table(lines(runs), "plain balances")}\n\nall figures: .tidemark/bench/lookthrough.json`);
  } finally {
    await server.stop();
  }
}
