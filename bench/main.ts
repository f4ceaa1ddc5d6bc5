// `npm run bench`: lists the benchmarks; `npm run bench -- <name> [options]` runs one.
import * as aggregator from "./aggregator/run.ts";
import * as asOf from "./as-of/run.ts";
import * as averages from "./averages/run.ts";
import * as gateway from "./gateway/run.ts";
import * as index from "./index/run.ts";
import * as lake from "./lake/run.ts";
import * as live from "./live/run.ts";
import * as lookthrough from "./lookthrough/run.ts";
import * as router from "./router/run.ts";
import * as scale from "./scale/run.ts";

interface Bench {
  summary: string;
  usage: string;
  run(args: readonly string[]): Promise<void>;
}

const benches: Record<string, Bench> = {
  index,
  live,
  "as-of": asOf,
  lookthrough,
  lake,
  averages,
  gateway,
  router,
  aggregator,
  scale,
};

const [name, ...args] = process.argv.slice(2);
const bench = name === undefined ? undefined : benches[name];
if (name === undefined) {
  for (const [listed, { summary }] of Object.entries(benches)) console.log(`${listed}  ${summary}`);
  console.log("\nnpm run bench -- <name> [options]; --help shows the options");
} else if (!bench) {
  console.error(`there is no benchmark "${name}"; there are: ${Object.keys(benches).join(", ")}`);
  process.exitCode = 1;
} else if (args.includes("--help")) {
  console.log(`${bench.summary}\n\n${bench.usage}`);
} else {
  try {
    await bench.run(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
