// Ponder of one chain as a supervised child: its tables are put right before every start.
import type { ChainFile } from "../../chains/chain-file.ts";
import { indexingOf } from "../../chains/indexing.ts";
import { chainIdOf } from "../../chains/json-rpc.ts";
import { withConnection } from "../../database/with-connection.ts";
import { WrongNodeError } from "../../fold/node/head-follower.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { type ChildEvents, type SupervisedChild, supervise } from "../process/supervised-child.ts";
import { type Indexing, indexingEnvironment, type Programs } from "../programs.ts";
import { shareAnnounced } from "./announced-contracts.ts";
import { createPonderLife } from "./life.ts";
import { awaitStanding } from "./node-standing.ts";
import { prepareSchema, rewoundText } from "./schema.ts";

export interface PonderOptions extends Indexing {
  programs: Programs;
  logFile: string;
  /** Gets lines for people: repairs, and schemas of other builds that are still there. */
  say: (line: string) => void;
}

/** Ponder's own five seconds, and some. */
const GRACE_MS = 8_000;
/** Ponder's code for errors of the user's making; everything else it leaves with 75. */
const USER_ERROR = 1;

export function supervisePonder(options: PonderOptions, events: ChildEvents): SupervisedChild {
  const { programs, ponderSchema, served, logFile, databaseUrl, rpcUrl, say } = options;
  const life = createPonderLife(options);
  const child = supervise(
    {
      name: "Ponder",
      command: process.execPath,
      // Its HTTP server only reports about Ponder itself: loopback is enough.
      args: [
        ...programs.ponder,
        "start",
        "--schema",
        ponderSchema,
        "-p",
        String(served.ponderPort),
        "-H",
        "127.0.0.1",
        "--log-format",
        "json",
      ],
      env: indexingEnvironment(options),
      cwd: projectRoot,
      logFile,
      beforeStart: () => preparePonder({ databaseUrl, rpcUrl, ponderSchema, chain: served.chain, say }),
      graceMs: GRACE_MS,
      hopelessAfter: 3,
      hopelessCodes: [USER_ERROR],
    },
    {
      onStart(identity) {
        life.onStart();
        events.onStart?.(identity);
      },
      onDeath(death) {
        life.onDeath([death.reason, death.lastLine].filter((part) => part !== "").join(": "));
        events.onDeath?.(death);
      },
    },
  );
  return {
    ...child,
    async stop() {
      await child.stop();
      await life.stop();
    },
  };
}

export interface Preparation {
  databaseUrl: string;
  rpcUrl: string;
  ponderSchema: string;
  chain: ChainFile;
  say: (line: string) => void;
}

/** The blocks of a node of another chain are not compared with ours: it would look as if the chain had been replaced. */
async function refuseOtherChain(rpcUrl: string, chainId: number): Promise<void> {
  const serves = await chainIdOf(rpcUrl);
  if (serves !== chainId) throw new WrongNodeError({ chainId, serves });
}

/** Before every start. @throws HopelessError when the node's chain has replaced what is final here; Error otherwise */
export async function preparePonder({ databaseUrl, rpcUrl, ponderSchema, chain, say }: Preparation): Promise<void> {
  const { chainId } = chain;
  await refuseOtherChain(rpcUrl, chainId);
  await withConnection(databaseUrl, async (sql) => {
    // the only source that has several factories
    await shareAnnounced(sql, chainId, indexingOf(chain).v3Factories);
    const { isNew, rewoundTo } = await prepareSchema(sql, ponderSchema);
    if (rewoundTo !== undefined) say(rewoundText(rewoundTo));
    if (!isNew) return await awaitStanding(sql, { chainId, ponderSchema, rpcUrl });
    const older = await sql`
      select nspname as name from pg_namespace where nspname like ${`facts\\_${chainId}\\_%`} and nspname <> ${ponderSchema}`;
    if (older.length > 0)
      say(
        `this build makes a new index; ${older.map(({ name }) => name).join(", ")} of earlier builds can be dropped once it is ready`,
      );
  });
}
