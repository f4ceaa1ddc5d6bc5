// `npm run verify:replicas`: replicas that lag and die, a failover and a redeploy, under readers that compare every answer
// with the chain.
import type { Claim } from "../../bench/claim.ts";
import { openSession } from "../../bench/session.ts";
import { trialOptions } from "../../machine/command-line.ts";
import { type Outcome, printOutcome } from "../faults/outcome.ts";
import { type Deployment, startDeployment } from "./deployment.ts";
import { scenes } from "./scenes.ts";
import { watch } from "./watch.ts";

const USAGE = `npm run verify:replicas -- [--only ${Object.keys(scenes).join(",")}] [--seconds 10] [--keep]`;

const values = trialOptions({
  usage: USAGE,
  options: {
    only: { type: "string", default: Object.keys(scenes).join(",") },
    seconds: { type: "string", default: "10" },
    keep: { type: "boolean", default: false },
  },
  numbers: ["seconds"],
});

const command = ["npm run verify:replicas --", ...process.argv.slice(2)].join(" ");
const session = openSession({ bench: "verify-replicas", command, isSmallest: false, databaseUrl: undefined });

/** For docs/benchmarks.md. */
function claimsOf({ name, figures, faults }: Outcome): Claim[] {
  const compared = `of ${figures["compared with the chain"]} answers`;
  return [
    { what: `${name}: faults`, figure: `${faults.length} ${compared}`, bar: "0", isMet: faults.length === 0 },
    { what: `${name}: 503 about what was shown before`, figure: String(figures["503 about what was shown before"]) },
    { what: `${name}: took`, figure: `${figures.seconds} s` },
  ];
}

async function run(deployment: Deployment): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const name of values.only.split(",")) {
    const scene = scenes[name];
    if (!scene) throw new Error(`there is no scene "${name}": ${USAGE}`);
    const outcome = await watch(deployment, scene(Number(values.seconds) * 1_000));
    printOutcome(outcome);
    session.record(name, claimsOf(outcome));
    outcomes.push(outcome);
    await deployment.waitAnswered();
  }
  return outcomes;
}

const deployment = await startDeployment({ isPreserved: values.keep });
try {
  const { primary, replicas } = deployment.nodes;
  for (const { name, server } of [primary, ...replicas]) console.log(`${name} :${new URL(server.url).port}`);
  const outcomes = await run(deployment);
  process.exitCode = outcomes.some(({ faults }) => faults.length > 0) ? 1 : 0;
} finally {
  // no exit code is set yet if something was thrown
  await deployment.stop({ hasFailed: process.exitCode !== 0 });
}
