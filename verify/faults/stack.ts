// The whole product on a chain of its own, small: PostgreSQL, anvil, Ponder, fold, gateway; each part can be killed.
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { loadChain } from "../../chains/load.ts";
import { preparePonder } from "../../scripts/launcher/ponder.ts";
import { freePort } from "../../scripts/launcher/ports.ts";
import { startPostgres } from "../../scripts/launcher/postgres.ts";
import { ponderProgram } from "../../scripts/launcher/programs.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { PROOF_CHAIN_ID, writeProofChainFile } from "./chain-file.ts";
import { dropSchema } from "./drop-schema.ts";
import { type LyingNode, startLyingNode } from "./lying-node.ts";
import { Part } from "./part.ts";
import { createProofChain, type ProofChain } from "./proof-chain.ts";
import { openGround, type ProofGround } from "./proof-ground.ts";

export interface StackOptions {
  /** Takes this one (anvil) and the three above; without it any free ones. */
  port?: number | undefined;
  /** Keep the folder with logs and data, and say where it is. */
  isKept?: boolean;
  /** Decides how the node lies. */
  random?: () => number;
}

export interface Stack extends Pick<ProofGround, "folder" | "waitFor" | "stop"> {
  anvil: Anvil;
  /** What the parts take for the node. */
  node: LyingNode;
  chain: ProofChain;
  sql: Sql;
  databaseUrl: string;
  gatewayUrl: string;
  /** What the parts are started with: DATABASE_URL, RPC_URL, CHAIN and the ports. */
  env: Record<string, string>;
  ponderSchema: string;
  /** The fold that gateways read. */
  foldSchema(): Promise<string>;
  ponder: Part;
  fold: Part;
  gateway: Part;
  /** What the launcher does before it starts Ponder again, then the start. */
  restartPonder(): Promise<void>;
  /** Immediate shutdown, as in a crash, and a new start. */
  restartDatabase(): Promise<void>;
  /** Forgets everything indexed, as a new deployment would; Ponder must be down. The RPC cache stays. */
  dropFacts(): Promise<void>;
  /** Resolves when the gateway's head is the chain's and its block hash is too. @throws Error after `timeoutMs` */
  waitSynced(timeoutMs?: number): Promise<void>;
}

export async function startStack({ port, isKept = false, random = Math.random }: StackOptions = {}): Promise<Stack> {
  const { folder, logFolder, atEnd, waitFor, stop } = openGround("proof", isKept);
  try {
    const database = { dataDir: join(folder, "postgres"), isTemporary: true };
    let server = await startPostgres(database);
    atEnd(() => server.stop());
    const sql = postgres(server.url, { max: 4, onnotice: () => {} });
    atEnd(() => sql.end({ timeout: 1 }));
    const portOf = async (offset: number) => (port === undefined ? await freePort() : port + offset);
    const anvil = await startAnvil(await portOf(0));
    atEnd(() => anvil.stop());
    const chain = await createProofChain(anvil);
    const chainFile = writeProofChainFile(folder);
    const ponderSchema = ponderSchemaName(loadChain(chainFile));
    const ports = { ponder: await portOf(1), gateway: await portOf(2) };
    const node = await startLyingNode(anvil.url, { port: await portOf(3), random });
    atEnd(() => node.stop());
    const env = {
      DATABASE_URL: server.url,
      RPC_URL: node.url,
      CHAIN: chainFile,
      PONDER_SCHEMA: ponderSchema,
      PORT: String(ports.gateway),
      HOST: "127.0.0.1",
      PONDER_PORT: String(ports.ponder),
      PONDER_TELEMETRY_DISABLED: "1",
      LOG_LEVEL: "info",
    };
    const prepare = () =>
      preparePonder({
        databaseUrl: server.url,
        rpcUrl: node.url,
        ponderSchema,
        chainId: PROOF_CHAIN_ID,
        say: () => {},
      });
    const ponderCli = [...ponderProgram, "start", "--schema", ponderSchema, "-p", String(ports.ponder)];
    const ponder = new Part({
      name: "ponder",
      command: [...ponderCli, "--log-format", "json"],
      env,
      logFolder,
      isSupervised: false,
      prepare,
    });
    const fold = new Part({ name: "fold", command: ["fold/main.ts"], env, logFolder, isSupervised: true });
    const gateway = new Part({ name: "gateway", command: ["gateway/main.ts"], env, logFolder, isSupervised: true });
    for (const part of [ponder, fold, gateway]) atEnd(() => part.kill());
    const gatewayUrl = `http://127.0.0.1:${ports.gateway}`;

    return {
      anvil,
      node,
      chain,
      env,
      sql,
      gatewayUrl,
      folder,
      ponder,
      fold,
      gateway,
      waitFor,
      stop,
      databaseUrl: server.url,
      ponderSchema,
      async foldSchema() {
        const [live] = await sql`select fold_schema from tidemark.live where chain_id = ${PROOF_CHAIN_ID}`;
        if (!live) throw new Error("no fold has been made yet");
        return String(live.fold_schema);
      },
      async restartPonder() {
        await prepare();
        ponder.start();
      },
      async restartDatabase() {
        process.kill(server.pid, "SIGQUIT");
        await server.ended;
        server = await startPostgres({ ...database, port: Number(new URL(server.url).port) });
      },
      async dropFacts() {
        await dropSchema(sql, ponderSchema);
      },
      waitSynced: (timeoutMs) =>
        waitFor("synced with the chain", () => isSynced({ sql, chain, gatewayUrl, ponderSchema }), timeoutMs),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface SyncCheck {
  sql: Sql;
  chain: ProofChain;
  gatewayUrl: string;
  ponderSchema: string;
}

/** The present head's hash is among the facts, and the gateway answers at it. */
async function isSynced({ sql, chain, gatewayUrl, ponderSchema }: SyncCheck): Promise<boolean> {
  const head = chain.head();
  try {
    const [block] = await sql.unsafe(`select number, hash from "${ponderSchema}".block order by number desc limit 1`);
    if (block?.number !== head || block.hash !== chain.history.at(head).hash) return false;
    const answer = await fetch(`${gatewayUrl}/balances/${chain.tokens.churning}?blockNumber=${head}`);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Makes a chain and starts every part; resolves when all of it is answered. */
export async function bringUp(stack: Stack, { blocks, holders }: { blocks: number; holders: number }): Promise<void> {
  const { chain, fold, gateway } = stack;
  await chain.spread(holders);
  for (let block = 0; block < blocks; block++) await chain.mine(60);
  fold.start();
  gateway.start();
  await stack.restartPonder();
  await stack.waitSynced(180_000);
}
