// Compares randomised v3 worlds on a real chain with the reducer: `--seeds K` worlds, or one by `--seed name`;
// `--actions N` (300) acts each, `--port P`. Exits 1 on any difference.
import { trialOptions } from "../../machine/command-line.ts";
import { withAnvil } from "./anvil-world.ts";
import { fuzzV3, type Verdict } from "./v3-run.ts";

export interface FuzzWorld {
  seed: string;
  actions: number;
  port: number;
}

/** Plays one world on an anvil of its own, which leaves nothing behind. */
export function playWorld({ seed, actions, port }: FuzzWorld): Promise<Verdict> {
  return withAnvil(port, (chain) => fuzzV3({ chain, seed, actions }));
}

async function main(): Promise<void> {
  const values = trialOptions({
    usage: "npm run fuzz:v3 -- [--seeds 5 | --seed <text>] [--actions 300] [--port 18545]",
    options: {
      seeds: { type: "string", default: "5" },
      seed: { type: "string" },
      actions: { type: "string", default: "300" },
      port: { type: "string", default: "18545" },
    },
    numbers: ["seeds", "actions", "port"],
  });
  const seeds =
    values.seed === undefined
      ? Array.from({ length: Number(values.seeds) }, (_, index) => `${index + 1}`)
      : [values.seed];
  for (const seed of seeds) {
    const started = Date.now();
    const verdict = await playWorld({ seed, actions: Number(values.actions), port: Number(values.port) });
    const { blocks, facts, compared, averages, differences, stopped } = verdict;
    const kinds = Object.entries(facts).map(([kind, count]) => `${kind} ${count}`);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(
      `seed ${seed}: ${blocks} blocks, ${compared} numbers and ${averages} averages compared, ${differences.length} differences, ${stopped.length} pools stopped, ${seconds} s`,
    );
    console.log(`  ${kinds.join(", ")}`);
    for (const line of stopped) console.log(`  ${line}`);
    for (const { block, what, chain, replayed } of differences.slice(0, 20)) {
      console.log(`  block ${block}, ${what}: chain ${chain}, replayed ${replayed}`);
    }
    if (differences.length + stopped.length > 0) process.exitCode = 1;
  }
}

if (import.meta.main) await main();
