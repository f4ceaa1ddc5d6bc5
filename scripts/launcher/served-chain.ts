// One chain while the launcher runs: its node (ours or given), the instance guard, Ponder and the fold.
import { join } from "node:path";
import postgres from "postgres";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { CHAIN_REPLACED_EXIT } from "../../fold/chain-standing.ts";
import { foldSchemaName } from "../../fold/fold-schema.ts";
import { awaitNode, isNodeAway } from "./awaited-node.ts";
import { requireRightChainFile, requireRightDevnet } from "./chain-check.ts";
import { type Devnet, startDevnet } from "./devnet.ts";
import type { LauncherEnvironment, ServedChain } from "./environment.ts";
import { giveUpDevnet } from "./given-up-devnet.ts";
import { guardInstance } from "./instance-guard.ts";
import { identityOf } from "./json-rpc.ts";
import { supervisePonder } from "./ponder.ts";
import type { ProcessIdentity } from "./processes.ts";
import {
  type DatabasePlace,
  devnetEnvironment,
  type Indexing,
  indexingEnvironment,
  type Programs,
  projectRoot,
} from "./programs.ts";
import type { ProgressView } from "./progress-view.ts";
import type { Part, Shutdown } from "./shutdown.ts";
import { type ChildEvents, type SupervisedChild, supervise } from "./supervised-child.ts";

export interface Surroundings {
  environment: LauncherEnvironment;
  programs: Programs;
  shutdown: Shutdown;
  view: ProgressView;
  note: (name: string, identity: ProcessIdentity | undefined) => void;
  /** The chain cannot be served in this run: with this message it ends, or goes on with the others. */
  fail: (message: string) => void;
  /** By chain id, why nobody is to wait for a chain: its node is away, or it was given up. */
  aside: Map<number, string>;
}

export interface RunningChain {
  served: ServedChain;
  rpcUrl: string;
  ponderSchema: string;
  /** Of the fold that this code makes. */
  foldSchema: string;
}

const DEVNET_SILENCE_MS = 120_000;

/**
 * Brings up the node, then (once `database` is there) what indexes it. A node that is away is waited for where there are other
 * chains: this resolves then, and the chain is set aside until its node answers.
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
    const place = { rpcUrl: devnet.rpcUrl, folder: join(around.environment.dataDir, "devnet") };
    await requireRightDevnet(served, place, (line) => view.say(line));
    const instance = { chainId: devnet.chainId, instance: devnet.instanceId, adoptsUnknown: false };
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
      view.say("the devnet had to be seeded anew: its index starts over");
      await stopIndexing();
      stopIndexing = await index();
    }
  };
  keepAlive().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
  return { served, rpcUrl: devnet.rpcUrl, ponderSchema, foldSchema };
}

/** @throws RpcError, NodeUnreachableError: the node is away; WrongChainError, ChainCheckError */
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
    const instance = { chainId, instance: genesisHash, adoptsUnknown: true };
    await guard(await database, instance, view);
  };
  const index = async () => startIndexing({ ...(await database), served, rpcUrl, ponderSchema }, around);
  const wait = async (first: Error) => {
    const { chainId } = served.chain;
    const { databaseUrl } = await database;
    const onReason = (reason: string) => {
      aside.set(chainId, reason);
      view.say(`${served.chain.name} is waited for, the other chains are served: ${reason}`);
    };
    const place = { databaseUrl, chainId, ponderSchema, foldSchema };
    const inPublic = (reason: string) => reason.replaceAll(served.name, served.chain.name);
    await awaitNode(start, { first, place, shutdown, inPublic, onReason });
    if (shutdown.isStopping) return;
    aside.delete(chainId);
    view.say(`${served.chain.name}: its node answers, and it is indexed now`);
    await index();
  };
  try {
    await start();
  } catch (error) {
    if (environment.chains.length < 2 || !isNodeAway(error)) throw error;
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
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    const dropped = await guardInstance(sql, instance);
    if (dropped) view.say(`the database held another chain ${instance.chainId}: dropped ${dropped.join(", ")}`);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** What tells the logs of several chains apart. */
const suffixOf = ({ served }: Indexing, { chains }: LauncherEnvironment): string =>
  chains.length > 1 ? `-${served.chain.chainId}` : "";

/** Starts fold and Ponder, and what writes the lake; returns how to stop them. */
function startIndexing(indexing: Indexing, around: Surroundings): () => Promise<void> {
  const { environment, programs, shutdown, view, note, fail } = around;
  const suffix = suffixOf(indexing, environment);
  const logDir = join(environment.dataDir, "logs");
  const events = (name: string, label: string): ChildEvents => ({
    onStart: (identity) => note(name, identity),
    onDeath: ({ reason, retryInMs, lastLine }) => view.say(deathLine(label, { reason, retryInMs, lastLine })),
  });
  const fold = supervise(
    {
      name: "the fold",
      command: process.execPath,
      args: programs.fold,
      env: indexingEnvironment(indexing),
      cwd: projectRoot,
      logFile: join(logDir, `fold${suffix}.log`),
      graceMs: 5_000,
      hopelessAfter: 8,
      hopelessCodes: [1],
      finalCode: CHAIN_REPLACED_EXIT,
    },
    events(`fold${suffix}`, "the fold"),
  );
  const ponder = supervisePonder(
    { ...indexing, programs, logFile: join(logDir, `ponder${suffix}.log`), say: (line) => view.say(line) },
    events(`ponder${suffix}`, "Ponder"),
  );
  const parts: [Part, SupervisedChild][] = [
    ["fold", fold],
    ["indexer", ponder],
  ];
  const removals = parts.map(([part, child]) => {
    void child.finished.then((reason) => {
      if (reason === undefined) return;
      fail(reason);
      // On a chain that has replaced final blocks Ponder would join the two branches.
      if (part === "fold") void ponder.stop();
    });
    return shutdown.add(part, child);
  });
  const stopLake = startLake(indexing, around);
  return async () => {
    await stopLake();
    for (const [, child] of parts) await child.stop();
    for (const remove of removals) remove();
  };
}

/**
 * Where one is wanted. Nothing waits for it, and the run goes on without it; what ends it is mostly in its folder, and mended there,
 * so that it is tried for as long as the run lives.
 */
function startLake(
  indexing: Indexing,
  { environment, programs, shutdown, view, note }: Surroundings,
): () => Promise<void> {
  const { lake, dataDir, lakePorts } = environment;
  if (lake === undefined) return async () => {};
  const port = lakePorts?.get(indexing.served.chain.chainId);
  const name = `lake${suffixOf(indexing, environment)}`;
  let said = "";
  const child = supervise(
    {
      name: "the lake's writer",
      command: process.execPath,
      args: programs.lake,
      env: { ...indexingEnvironment(indexing), LAKE: lake, ...(port === undefined ? {} : { LAKE_PORT: String(port) }) },
      cwd: projectRoot,
      logFile: join(dataDir, "logs", `${name}.log`),
      ...{ graceMs: 5_000, hopelessAfter: Number.POSITIVE_INFINITY, hopelessCodes: [] },
    },
    {
      onStart: (identity) => note(name, identity),
      onDeath: (death) => {
        const line = deathLine("the lake's writer", death);
        if (line !== said) view.say(line);
        said = line;
      },
    },
  );
  const remove = shutdown.add("lake", child);
  return async () => {
    await child.stop();
    remove();
  };
}

/** One line about a death: why, what next, and what the log said last. */
export function deathLine(
  label: string,
  death: { reason: string; retryInMs: number | undefined; lastLine: string },
): string {
  const next =
    death.retryInMs === undefined
      ? "giving up"
      : death.retryInMs === 0
        ? "starting it again"
        : `starting it again in ${death.retryInMs / 1000} s`;
  const said = death.lastLine === "" ? "" : `\n  its log ends: ${death.lastLine}`;
  return `${label} ${death.reason}; ${next}${said}`;
}

/** The node is not one of the chain that the chain file describes. */
export class WrongChainError extends Error {
  override name = "WrongChainError";
  constructor(chainName: string, { says, serves }: { says: number; serves: number }) {
    super(`the node serves chain ${serves}, but chain file ${chainName} says ${says}; correct RPC_URL or CHAIN`);
  }
}
