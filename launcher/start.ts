// `npm start` and `npm run dev` (`--dev`): starts everything, says when it is ready, ends everything.
import { refuseArguments } from "../core/set-variables.ts";
import { withoutKeys } from "../core/without-keys.ts";
import { leftAnvil } from "../devnet/instance.ts";
import { type LauncherEnvironment, readEnvironment } from "./environment.ts";
import { launch, PARTS } from "./launch.ts";
import { requirePartSettings } from "./part-settings.ts";
import { claimRun, type Run } from "./process/run-record.ts";
import { createShutdown } from "./process/shutdown.ts";
import { realPrograms } from "./programs.ts";
import { findExamples } from "./terminal/examples.ts";
import { createProgressView } from "./terminal/progress-view.ts";
import { watchReadiness } from "./terminal/readiness.ts";

/** One key press arrives several times: from the terminal, from npm, from the wrapper. */
const ONE_PRESS_MS = 700;
/** Exit code after a second one. */
const HURRIED = 130;

const startedAt = performance.now();
const shutdown = createShutdown();
const view = createProgressView(PARTS);
let run: Run | undefined;
let dataDir: string | undefined;
let isHurried = false;

/** A devnet that could not save its chain, because of a full disk or lack of time, leaves its anvil running with it. */
function sayWhatIsLeft(): void {
  const pid = dataDir === undefined ? undefined : leftAnvil(dataDir);
  if (pid !== undefined)
    view.say(
      `the devnet's chain is not saved, so its anvil (pid ${pid}) goes on: the next start on ${dataDir} takes it over; kill it to give the chain up`,
    );
}

async function end(code: number, message: string): Promise<void> {
  try {
    view.finish();
    view.say(message);
    await shutdown.stopAll((part) => view.say(`  stopping ${part}`));
    sayWhatIsLeft();
    run?.release();
  } finally {
    process.exit(isHurried ? HURRIED : code);
  }
}

/** A fault in our own code: the parts must not be left running. Where the run is being stopped already, that goes on. */
function endOfFault(fault: unknown): void {
  const text = withoutKeys(`tidemark: ${fault instanceof Error ? fault.stack : fault}`);
  if (shutdown.isStopping) view.say(text);
  else void end(1, text);
}
for (const name of ["uncaughtException", "unhandledRejection"] as const) process.on(name, endOfFault);

// A log on a full disk, or a pipe that nobody reads any more: the product must not end only because a line cannot be shown.
process.stdout.on("error", () => {});
let firstSignalAt: number | undefined;
function onSignal(name: string): void {
  if (firstSignalAt === undefined) {
    firstSignalAt = performance.now();
    void end(0, `\n${name}: stopping (once more: at once)`);
  } else if (performance.now() - firstSignalAt > ONE_PRESS_MS) {
    isHurried = true;
    shutdown.killAll();
    sayWhatIsLeft();
    run?.release();
    setTimeout(() => process.exit(HURRIED), 200);
  }
}
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => onSignal(name));
/** scripts/node22.mjs started us: when it is killed, nobody could stop us from a terminal any more. */
function watchWrapper(): void {
  const wrapper = Number(process.env.TIDEMARK_WRAPPER_PID);
  delete process.env.TIDEMARK_WRAPPER_PID;
  if (wrapper !== process.ppid) return;
  const timer = setInterval(() => {
    if (process.ppid === wrapper) return;
    clearInterval(timer);
    onSignal("the starting process is gone");
  }, 500);
  timer.unref();
}

async function main(): Promise<void> {
  watchWrapper();
  const isDev = process.argv.includes("--dev");
  refuseArguments(process.argv.slice(2).filter((argument) => argument !== "--dev"));
  const environment = readEnvironment();
  requirePartSettings(environment);
  const claimed = await claimRun(environment.dataDir);
  run = claimed.run;
  dataDir = environment.dataDir;
  if (claimed.ended.length > 0) view.say(`ended what a killed run had left: ${claimed.ended.join(", ")}`);
  view.say(`Tidemark: chain ${environment.chainList}, data and logs in ${environment.dataDir}`);
  const { ready, failed } = launch({ environment, programs: realPrograms(isDev), shutdown, view, run });
  void failed.then((reason) => end(1, reason));
  const { gatewayUrl, chains, aside } = await ready;
  if (shutdown.isStopping) return;
  view.finish();
  await tell(gatewayUrl, { chains, aside }, environment);
  await watchReadiness({
    gatewayUrl,
    chains: chains.map(({ served: { chain }, ponderSchema }) => ({ ...chain, ponderSchema })),
    isStopping: () => shutdown.isStopping,
    say: (line) => view.say(line),
  });
}

type Up = Awaited<ReturnType<typeof launch>["ready"]>;

async function tell(
  url: string,
  { chains, aside }: Pick<Up, "chains" | "aside">,
  environment: LauncherEnvironment,
): Promise<void> {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const examples = await findExamples(url, chains[0]?.served.chain ?? environment.chains[0].chain);
  const lines = [
    "",
    `Ready after ${seconds} s.`,
    `  explorer  ${url}/`,
    `  REST      ${url}/balances/<token>?blockNumber=<block>`,
    `  GraphiQL  ${url}/graphql`,
    `  status    ${url}/status`,
    ...chains.map(
      ({ rpcUrl, served }) =>
        `  RPC       ${withoutKeys(rpcUrl)} (${served.chain.name}, chain id ${served.chain.chainId})`,
    ),
    ...chains.flatMap(({ served: { chain } }) => {
      const reason = aside.get(chain.chainId);
      return reason === undefined ? [] : [`  not there  ${chain.name}: ${reason}`];
    }),
    "Try:",
    ...examples.map((example) => `  ${example}`),
    "Ctrl-C stops everything; the data are kept.",
  ];
  for (const line of lines) view.say(line);
}

main().catch((error: unknown) => {
  if (shutdown.isStopping) return;
  void end(1, `tidemark: ${error instanceof Error ? error.message : error}`);
});
