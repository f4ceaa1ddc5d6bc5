// The product as a larger deployment runs it, in small: a primary, two streaming replicas, one indexer, one fold, two gateways.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { loadChain } from "../../chains/load.ts";
import { prepareSchema } from "../../launcher/ponder/schema.ts";
import { ponderProgram } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { startAnvil } from "../faults/anvil.ts";
import { writeTrialChainFile } from "../faults/chain-file.ts";
import { Part } from "../faults/part.ts";
import { createTrialChain, type TrialChain } from "../faults/trial-chain.ts";
import { openGround, type TrialGround } from "../faults/trial-ground.ts";
import { type Node, prepareForReplicas, startNode, startReplica } from "./replica.ts";

/** What is indexed, and from where. */
export interface Build {
  chainFile: string;
  rpcUrl: string;
}

/** An indexer and a fold of one build. */
export interface Writers {
  ponderSchema: string;
  ponder: Part;
  fold: Part;
  stop(): Promise<void>;
}

export interface Deployment extends Pick<TrialGround, "folder" | "atEnd" | "waitFor" | "stop"> {
  chain: TrialChain;
  nodes: { primary: Node; replicas: [Node, Node] };
  gatewayUrls: string[];
  writers: Writers;
  builds: { first: Build; next: Build };
  /** Starts the writers of a build on the server at `databaseUrl`. */
  startWriters(databaseUrl: string, build: Build): Promise<Writers>;
  /** Starts one more gateway over all servers; resolves to its URL. */
  startGateway(name: string, chainList: string): Promise<{ part: Part; url: string }>;
  /** Resolves when every gateway answers at a block that is mined now. @throws Error after `timeoutMs` */
  waitAnswered(timeoutMs?: number): Promise<void>;
}

/** The same chain with one more wrapped native, which was never used: another build of the same facts. */
function writeNextChainFile(first: string): string {
  const path = first.replace(/\.json$/, "-next.json");
  const chain = JSON.parse(readFileSync(first, "utf8")) as Record<string, unknown>;
  const unused = { address: `0x${"e".repeat(40)}`, symbol: "UNUSED", flavour: "weth9" };
  writeFileSync(path, JSON.stringify({ ...chain, otherWrapped: [unused] }));
  return path;
}

export async function startDeployment({ isPreserved }: { isPreserved: boolean }): Promise<Deployment> {
  const { folder, logFolder, atEnd, waitFor, stop } = openGround("replicas", isPreserved);
  try {
    const primary = await startNode("primary", join(folder, "primary"));
    const nodes: Node[] = [primary];
    atEnd(() => Promise.allSettled(nodes.map(({ server }) => server.stop())));
    await prepareForReplicas(primary.server.url);
    for (const name of ["replica-1", "replica-2"])
      nodes.push(await startReplica(name, { dataDir: join(folder, name), primary }));
    const anvil = await startAnvil(await freePort());
    atEnd(() => anvil.stop());
    const chain = await createTrialChain(anvil);
    const first: Build = { chainFile: writeTrialChainFile(folder), rpcUrl: anvil.url };
    const next: Build = { ...first, chainFile: writeNextChainFile(first.chainFile) };
    let starts = 0;

    const startWriters: Deployment["startWriters"] = async (databaseUrl, { chainFile, rpcUrl }) => {
      const ponderSchema = ponderSchemaName(loadChain(chainFile));
      const port = String(await freePort());
      const env = {
        DATABASE_URL: databaseUrl,
        RPC_URL: rpcUrl,
        CHAIN: chainFile,
        PONDER_SCHEMA: ponderSchema,
        PONDER_TELEMETRY_DISABLED: "1",
        KEEP_OLD_INDEX_MINUTES: "0.1",
        LOG_LEVEL: "info",
      };
      starts += 1;
      const ponder = new Part({
        name: `ponder-${starts}`,
        command: [...ponderProgram, "start", "--schema", ponderSchema, "-p", port, "--log-format", "json"],
        env,
        logFolder,
        isSupervised: false,
      });
      const fold = new Part({
        name: `fold-${starts}`,
        command: ["fold/main.ts"],
        env,
        logFolder,
        isSupervised: true,
      });
      const end = async () => {
        await Promise.all([ponder.kill(), fold.kill()]);
      };
      atEnd(end);
      const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
      await prepareSchema(sql, ponderSchema).finally(() => sql.end({ timeout: 1 }));
      fold.start();
      ponder.start();
      return { ponderSchema, ponder, fold, stop: end };
    };

    const readUrls = nodes.slice(1).map(({ server }) => server.url);
    const startGateway: Deployment["startGateway"] = async (name, chainList) => {
      const port = String(await freePort());
      const env = {
        DATABASE_URL: primary.server.url,
        DATABASE_READ_URL: readUrls.join(","),
        CHAIN: chainList,
        PORT: port,
        HOST: "127.0.0.1",
        LOG_LEVEL: "info",
      };
      const part = new Part({ name, command: ["gateway/main.ts"], env, logFolder, isSupervised: false });
      atEnd(() => part.kill());
      part.start();
      return { part, url: `http://127.0.0.1:${port}` };
    };
    const gatewayUrls: string[] = [];
    for (const name of ["gateway-1", "gateway-2"]) gatewayUrls.push((await startGateway(name, first.chainFile)).url);

    const waitAnswered = (timeoutMs = 300_000) =>
      waitFor("every gateway at the head", () => allAnswer({ chain, gatewayUrls }), timeoutMs);
    await chain.spread(300);
    for (let block = 0; block < 70; block++) await chain.mine(30);
    const writers = await startWriters(primary.server.url, first);
    await waitAnswered();
    return {
      chain,
      folder,
      gatewayUrls,
      writers,
      startWriters,
      startGateway,
      waitAnswered,
      waitFor,
      atEnd,
      stop,
      builds: { first, next },
      nodes: { primary, replicas: nodes.slice(1) as [Node, Node] },
    };
  } catch (error) {
    await stop({ hasFailed: true });
    throw error;
  }
}

async function allAnswer({ chain, gatewayUrls }: Pick<Deployment, "chain" | "gatewayUrls">): Promise<boolean> {
  const head = chain.head();
  try {
    for (const url of gatewayUrls) {
      const answer = await fetch(`${url}/balances/${chain.tokens.churning}?blockNumber=${head}`);
      await answer.arrayBuffer();
      if (answer.status !== 200 || Number(answer.headers.get("x-block-number")) !== head) return false;
    }
    return true;
  } catch {
    return false;
  }
}
