// What indexes one chain: the fold and Ponder, and the lake's writer where one is wanted.
import { join } from "node:path";
import { CHAIN_REPLACED_EXIT } from "../../fold/node/chain-standing.ts";
import { projectRoot } from "../../machine/project-root.ts";
import type { LauncherEnvironment } from "../environment.ts";
import { supervisePonder } from "../ponder/supervised-ponder.ts";
import type { Part } from "../process/shutdown.ts";
import { type ChildEvents, deathLine, type SupervisedChild, supervise } from "../process/supervised-child.ts";
import { type Indexing, indexingEnvironment } from "../programs.ts";
import type { Surroundings } from "../surroundings.ts";

/** Makes the names of several chains' logs different. */
const suffixOf = ({ served }: Indexing, { chains }: LauncherEnvironment): string =>
  chains.length > 1 ? `-${served.chain.chainId}` : "";

/** Starts fold and Ponder, and the lake's writer; returns a function that stops them. */
export function startIndexing(indexing: Indexing, around: Surroundings): () => Promise<void> {
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
 * Starts the lake's writer, where one is wanted. Nothing waits for it, and the run goes on without it. When it ends, the cause is
 * mostly in its folder and is fixed there, so it is started again for as long as the run lives.
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
      graceMs: 5_000,
      hopelessAfter: Number.POSITIVE_INFINITY,
      hopelessCodes: [],
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
