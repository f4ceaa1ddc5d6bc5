// `npm run devnet`: the devnet alone. Also what the launcher starts, with `--json` for one line per event.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DEVNET_CHAIN_ID, isAlive } from "./anvil.ts";
import { abandonHalf, type RunningDevnet, startDevnet } from "./instance.ts";
import { type Live, startLive } from "./live.ts";
import { openSavedWorld, saveWorld } from "./scenario/saved-world.ts";
import { DEFAULT_SEED, runScenario } from "./scenario/scenario.ts";
import { startStandIns } from "./standins/beside-gateway.ts";

const usage = `npm run devnet -- [options]
  --seed S     another chain (default "${DEFAULT_SEED}")
  --port P     JSON-RPC port (default DEVNET_PORT, else 8545)
  --data DIR   where its state is kept (default TIDEMARK_DATA, else .tidemark)
  --no-live    seed and serve, but add no blocks
  --json       one JSON object per line instead of text`;

interface Options {
  seed: string;
  port: number;
  dataDir: string;
  isLive: boolean;
  isJson: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: DEFAULT_SEED },
      port: { type: "string", default: process.env.DEVNET_PORT || "8545" },
      data: { type: "string", default: process.env.TIDEMARK_DATA || ".tidemark" },
      "no-live": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`port must be an integer from 1 to 65535, not "${values.port}": set DEVNET_PORT or --port`);
  return { seed: values.seed, port, dataDir: values.data, isLive: !values["no-live"], isJson: values.json };
}

/** With a gateway beside it (the launcher says where) the devnet has stand-ins for outside swap services. */
async function offerStandIns(devnet: RunningDevnet, dir: string): Promise<void> {
  const { STAND_INS_PORT: port, GATEWAY_URL: gatewayUrl, API_KEYS: keys } = process.env;
  if (!port || !gatewayUrl) return;
  const executor: string | undefined = openSavedWorld(dir, devnet.chain).at.swapExecutor;
  if (executor === undefined)
    throw new Error("this devnet was seeded by a version without them; remove its data to get them");
  await startStandIns({
    port: Number(port),
    gatewayUrl,
    key: keys?.split(",")[0]?.trim(),
    chainId: DEVNET_CHAIN_ID,
    executor: openSavedWorld(dir, devnet.chain).at.swapExecutor,
  });
}

/** One process at a time keeps the blocks of a data directory coming. */
function takeKeeperFile(dir: string): string {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, "keeper.pid");
  const other = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  if (other > 0 && other !== process.pid && isAlive(other))
    throw new Error(`a devnet of this data directory is already running (pid ${other}): stop it, or remove ${file}`);
  writeFileSync(file, String(process.pid));
  return file;
}

/** A new chain is seeded; one that was stopped is made again from its journal. */
type Doing = "seeding" | "replaying";

type Event =
  | { event: "progress"; percent: number; doing: Doing }
  | { event: "ready"; rpcUrl: string; instanceId: string; chainId: number; head: number; origin: string; pid: number }
  | { event: "trouble"; message: string };

function report({ isJson }: Options, event: Event): void {
  if (isJson) return void process.stdout.write(`${JSON.stringify(event)}\n`);
  if (event.event === "progress") console.log(`${event.doing} ${event.percent} %`);
  else if (event.event === "trouble") console.error(event.message);
  else
    console.log(
      `devnet ready (${event.origin}): ${event.rpcUrl}, chain id ${event.chainId}, block ${event.head}, instance ${event.instanceId}`,
    );
}

function describe(devnet: RunningDevnet, dir: string): void {
  const world = openSavedWorld(dir, devnet.chain);
  console.log(`\nAccounts (unlocked; of the mnemonic "test test … junk"), funded with 10,000,000 each:`);
  for (const account of devnet.chain.accounts.slice(0, 3)) console.log(`  ${account}`);
  console.log("\nTokens:");
  for (const [name, address] of Object.entries(world.at.tokens))
    if (typeof address === "string") console.log(`  ${name.padEnd(18)} ${address}`);
  console.log("\nCtrl-C stops it and keeps the chain.");
}

async function main(): Promise<void> {
  const options = readOptions();
  const dir = join(options.dataDir, "devnet");
  const keeperFile = takeKeeperFile(dir);
  const state: { live?: Live; devnet?: RunningDevnet; isStopping: boolean } = { isStopping: false };

  const stop = async (): Promise<void> => {
    if (state.isStopping) return;
    state.isStopping = true;
    await state.live?.stop();
    if (state.devnet !== undefined) await state.devnet.stop();
    else abandonHalf(dir);
    rmSync(keeperFile, { force: true });
    process.exit(0);
  };
  process.on("SIGINT", () => void stop());
  process.on("SIGTERM", () => void stop());
  // The launcher is gone: leave anvil to the next start, which adopts it.
  const leave = (): void => {
    rmSync(keeperFile, { force: true });
    process.exit(1);
  };
  process.on("disconnect", leave);
  process.stdout.on("error", leave);

  const { seed, port, dataDir } = options;
  let reported = "";
  const progressOf = (doing: Doing) => (fraction: number) => {
    const percent = Math.floor(fraction * 100);
    if (`${doing} ${percent}` !== reported) report(options, { event: "progress", percent, doing });
    reported = `${doing} ${percent}`;
  };
  const devnet = await startDevnet({
    dataDir,
    port,
    seed,
    onProgress: progressOf("replaying"),
    onTrouble: (message) => report(options, { event: "trouble", message }),
    seedChain: async (chain) =>
      saveWorld(dir, (await runScenario({ chain, seed, onProgress: progressOf("seeding") })).world),
  });
  state.devnet = devnet;
  const { rpcUrl, instanceId, chain, origin, pid } = devnet;
  if (options.isLive) {
    const onTrouble = (message: string): void => {
      report(options, { event: "trouble", message });
      if (!isAlive(pid)) leave();
    };
    state.live = startLive({ chain, world: openSavedWorld(dir, chain), seed, onTrouble });
  }
  await offerStandIns(devnet, dir).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    report(options, { event: "trouble", message: `no stand-ins of swap services: ${reason}` });
  });
  const head = chain.head().number;
  report(options, { event: "ready", rpcUrl, instanceId, chainId: DEVNET_CHAIN_ID, head, origin, pid });
  if (!options.isJson) describe(devnet, dir);
  if (!options.isLive) setInterval(() => (isAlive(pid) ? undefined : leave()), 2_000);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
