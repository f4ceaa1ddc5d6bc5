// `npm run fuzz:router`: compares the router with made-up markets of real Uniswap contracts. `--seeds K` markets (5), or one by
// `--seed name`; `--quotes N` (200) of paths and as many of routes for each, `--rounds N` (5) states, `--port P`. Before every
// second state tokens are sent to pairs, pools and the router. Exits 1 on any difference.
import { trialOptions } from "../../machine/command-line.ts";
import { playMarket } from "./play-market.ts";

const values = trialOptions({
  usage: "npm run fuzz:router -- [--seeds 5 | --seed <text>] [--quotes 200] [--rounds 5] [--port 18546]",
  options: {
    seeds: { type: "string", default: "5" },
    seed: { type: "string" },
    quotes: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    port: { type: "string", default: "18546" },
  },
  numbers: ["seeds", "quotes", "rounds", "port"],
});
const seeds =
  values.seed === undefined
    ? Array.from({ length: Number(values.seeds) }, (_, index) => `${index + 1}`)
    : [values.seed];
let [compared, differing] = [0, 0];
for (const seed of seeds) {
  const started = Date.now();
  const plan = { quotes: Number(values.quotes), rounds: Number(values.rounds), port: Number(values.port) };
  const report = await playMarket({ seed, ...plan });
  for (const line of report.lines()) console.log(`  ${line}`);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `seed ${seed}: ${report.compared} comparisons, ${report.countOf("carried out:")} swaps carried out ` +
      `(${report.countMarked("unsynced pairs")} through unsynced pairs, ${report.countMarked("lay in the router")} better by what lay in the router), ` +
      `${report.countOf("after moves:")} more after moves, ${report.differing} differences, ${seconds} s`,
  );
  compared += report.compared;
  differing += report.differing;
}
console.log(`${seeds.length} markets: ${compared} comparisons, ${differing} differences`);
if (compared === 0 || differing > 0) process.exitCode = 1;
