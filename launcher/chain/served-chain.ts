// One chain while the launcher runs: its node (ours or given), the instance guard, Ponder and the fold.
import { join } from "node:path";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { identityOf } from "../../chains/json-rpc.ts";
import { withConnection } from "../../database/with-connection.ts";
import { foldSchemaName } from "../../fold/fold-schema.ts";
import { projectRoot } from "../../machine/project-root.ts";
import type { ServedChain } from "../environment.ts";
import { type DatabasePlace, devnetEnvironment } from "../programs.ts";
import type { Surroundings } from "../surroundings.ts";
import type { ProgressView } from "../terminal/progress-view.ts";
import { awaitNode, isNodeAway, withWayOut } from "./awaited-node.ts";
import { requireRightChainFile, requireRightDevnet } from "./chain-check.ts";
import { type Devnet, startDevnet } from "./devnet.ts";
import { giveUpDevnet } from "./given-up-devnet.ts";
import { startIndexing } from "./indexing-processes.ts";
import { guardInstance } from "./instance-guard.ts";

export interface RunningChain {
  served: ServedChain;
  rpcUrl: string;
  ponderSchema: string;
  /** Of the fold that this code makes. */
  foldSchema: string;
}

const DEVNET_SILENCE_MS = 120_000;

/**
 * Brings up the node, then (once `database` is there) what indexes it. If the node is away and there are other chains, this resolves,
 * and the chain is set aside until its node answers.
 */
export async function startChain(
  served: ServedChain,
  database: Promise<DatabasePlace>,
  around: Surroundings,
): Promise<RunningChain> {
  const ponderSchema = ponderSchemaName(served.chain);
  const foldSchema = foldSchemaName(ponderSchema);
  const { view, shutdown, fail } = around;
  if (served.rpcUrl !== undefined) {
    const running = { served, rpcUrl: served.rpcUrl, ponderSchema, foldSchema };
    await startOnNode(running, database, around);
    return running;
  }
  const running = { served, rpcUrl: `http://127.0.0.1:${around.environment.devnetPort}`, ponderSchema, foldSchema };
  const place = { chainId: served.chain.chainId, ponderSchema, foldSchema };
  const first = await bringUpDevnet(served, around).catch((error: unknown) =>
    giveUpDevnet(error, { place, database, isOnly: around.environment.chains.length < 2, fail }),
  );
  if (first === undefined) return running;
  let devnet = first;
  const index = async () => {
    const seeded = { rpcUrl: devnet.rpcUrl, folder: join(around.environment.dataDir, "devnet") };
    await requireRightDevnet(served, seeded, (line) => view.say(line));
    const instance = { chainId: devnet.chainId, instance: devnet.instanceId, isReplaceable: true };
    await guard(await database, instance, view);
    return startIndexing({ ...(await database), served, rpcUrl: devnet.rpcUrl, ponderSchema }, around);
  };
  let stopIndexing = await index();
  const keepAlive = async () => {
    for (;;) {
      const reason = await devnet.ended;
      if (shutdown.isStopping) return;
      view.say(`the devnet ${reason}; starting it again`);
      const before = devnet.instanceId;
      devnet = await bringUpDevnet(served, around);
      if (devnet.instanceId === before) continue;
      view.say("the devnet had to be seeded again: its index starts over");
      await stopIndexing();
      stopIndexing = await index();
    }
  };
  keepAlive().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
  return { served, rpcUrl: devnet.rpcUrl, ponderSchema, foldSchema };
}

/** @throws Error: the node is away; WrongChainError, ChainCheckError, OtherGenesisError */
async function startOnNode(
  running: RunningChain,
  database: Promise<DatabasePlace>,
  around: Surroundings,
): Promise<void> {
  const { served, rpcUrl, ponderSchema, foldSchema } = running;
  const { environment, view, shutdown, aside, fail } = around;
  const start = async () => {
    const { chainId, genesisHash } = await identityOf(rpcUrl);
    refuseOtherChain(served, chainId);
    await requireRightChainFile(served, rpcUrl, (line) => view.say(line));
    const instance = { chainId, instance: genesisHash, isReplaceable: false };
    await guard(await database, instance, view);
  };
  const index = async () => startIndexing({ ...(await database), served, rpcUrl, ponderSchema }, around);
  const wait = async (first: Error) => {
    const { chainId } = served.chain;
    const { databaseUrl } = await database;
    const onReason = (reason: string) => {
      aside.set(chainId, reason);
      view.say(`${served.chain.name}: waiting for its node, the other chains are served: ${reason}`);
    };
    const place = { databaseUrl, chainId, ponderSchema, foldSchema };
    const inPublic = (reason: string) => reason.replaceAll(served.name, served.chain.name);
    await awaitNode(start, { first, place, shutdown, inPublic, onReason });
    if (shutdown.isStopping) return;
    aside.delete(chainId);
    view.say(`${served.chain.name}: its node answers, and the chain is indexed now`);
    await index();
  };
  try {
    await start();
  } catch (error) {
    if (environment.chains.length < 2 || !isNodeAway(error)) throw withWayOut(error);
    aside.set(served.chain.chainId, error.message);
    wait(error).catch((later: unknown) => fail(later instanceof Error ? later.message : String(later)));
    return;
  }
  await index();
}

async function bringUpDevnet(
  served: ServedChain,
  { environment, programs, shutdown, view, note }: Surroundings,
): Promise<Devnet> {
  view.show("devnet", "starting");
  const child = startDevnet({
    entry: programs.devnet,
    env: devnetEnvironment(environment),
    cwd: projectRoot,
    logFile: join(environment.dataDir, "logs", "devnet.log"),
    onStart: (identity) => note("devnet", identity),
    onProgress: (percent, doing) => view.show("devnet", doing, percent),
    onTrouble: (message) => view.say(`devnet: ${message}`),
    silenceMs: DEVNET_SILENCE_MS,
  });
  const remove = shutdown.add("devnet", child);
  try {
    const devnet = await child.ready;
    refuseOtherChain(served, devnet.chainId);
    view.show("devnet", `${devnet.rpcUrl}, block ${devnet.head}`, 100);
    void devnet.ended.then(remove);
    return devnet;
  } catch (error) {
    child.kill();
    remove();
    throw error;
  }
}

function refuseOtherChain({ chain, name }: ServedChain, chainId: number): void {
  if (chain.chainId !== chainId) throw new WrongChainError(name, { says: chain.chainId, serves: chainId });
}

async function guard(
  { databaseUrl }: DatabasePlace,
  instance: Parameters<typeof guardInstance>[1],
  view: ProgressView,
): Promise<void> {
  const dropped = await withConnection(databaseUrl, (sql) => guardInstance(sql, instance));
  if (dropped) view.say(`the database held another chain ${instance.chainId}: dropped ${dropped.join(", ")}`);
}

/** The node serves another chain than the chain file describes. */
export class WrongChainError extends Error {
  override name = "WrongChainError";
  constructor(chainName: string, { says, serves }: { says: number; serves: number }) {
    super(`the node serves chain ${serves}, but chain file ${chainName} says ${says}; correct RPC_URL or CHAIN`);
  }
}
