// The whole product on a small chain of its own: PostgreSQL, anvil, Ponder, fold, gateway; each part can be killed.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { freePort } from "../../machine/ports.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { TRIAL_CHAIN_ID, writeTrialChainFile } from "./chain-file.ts";
import { dropSchema } from "./drop-schema.ts";
import { type LyingNode, startLyingNode } from "./lying-node.ts";
import { Part } from "./part.ts";
import { createProduct, type Product } from "./product.ts";
import { createTrialChain, type TrialChain } from "./trial-chain.ts";
import { createTrialClock, type TrialClock } from "./trial-clock.ts";
import { startTrialDatabase } from "./trial-database.ts";
import { mountDisk, type TrialDisk } from "./trial-disk.ts";
import { openGround, type TrialGround } from "./trial-ground.ts";

export interface StackOptions {
  /** Uses this port (anvil) and the three above it; without it, any free ones. */
  port?: number | undefined;
  /** Keep the folder with logs and data, and say where it is. */
  isPreserved?: boolean;
  /** Gives the database a disk that can be full, where one can be mounted. */
  hasDisk?: boolean;
  /** Decides how the node lies. */
  random?: () => number;
}

/** At first no part of it runs. Only some trials start its lake's writer. */
export interface Stack extends Product, Pick<TrialGround, "folder" | "waitFor" | "stop"> {
  anvil: Anvil;
  /** What the parts use as the node. */
  node: LyingNode;
  chain: TrialChain;
  sql: Sql;
  gatewayUrl: string;
  /** The fold that gateways read. */
  foldSchema(): Promise<string>;
  gateway: Part;
  clock: TrialClock;
  /** The database's own disk. */
  disk: TrialDisk | undefined;
  /** Immediate shutdown, as in a crash, and a new start. */
  restartDatabase(): Promise<void>;
  /** Starts the database again if it has ended; resolves to whether it had. */
  reviveDatabase(): Promise<boolean>;
  /** What a second launcher would start on the same schemas; no part of it runs yet. */
  secondIndexer(): Promise<Pick<Product, "ponder" | "fold" | "prepare">>;
  /** Forgets everything indexed, as a new deployment would; Ponder must be down. The RPC cache stays. */
  dropFacts(): Promise<void>;
  /** Resolves when the gateway's head is the chain's and its block hash is too. @throws Error after `timeoutMs` */
  waitSynced(timeoutMs?: number): Promise<void>;
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { port, isPreserved = false, hasDisk = false, random = Math.random } = options;
  const { folder, logFolder, atEnd, waitFor, stop } = openGround("trial", isPreserved);
  try {
    // The database's account must be able to enter the folder.
    if (hasDisk) chmodSync(folder, 0o711);
    const disk = hasDisk ? mountDisk(join(folder, "disk")) : undefined;
    if (disk) atEnd(() => disk.unmount());
    const database = await startTrialDatabase(join(disk?.folder ?? folder, "postgres"));
    atEnd(() => database.stop());
    const sql = postgres(database.url, { max: 4, onnotice: () => {} });
    atEnd(() => sql.end({ timeout: 1 }));
    const portOf = async (offset: number) => (port === undefined ? await freePort() : port + offset);
    const anvil = await startAnvil(await portOf(0));
    atEnd(() => anvil.stop());
    const chain = await createTrialChain(anvil);
    const chainFile = writeTrialChainFile(folder);
    const ports = { ponder: await portOf(1), gateway: await portOf(2) };
    const node = await startLyingNode(anvil.url, { port: await portOf(3), random });
    atEnd(() => node.stop());
    const clock = createTrialClock(folder);
    const place = {
      databaseUrl: database.url,
      rpcUrl: node.url,
      chainFile,
      ponderPort: ports.ponder,
      lakeFolder: join(folder, "lake"),
      logFolder,
      clock,
    };
    const product = createProduct(place);
    const { ponderSchema } = product;
    const env = { ...product.env, PORT: String(ports.gateway), HOST: "127.0.0.1" };
    const gateway = new Part({
      name: "gateway",
      command: [...clock.arguments, "gateway/main.ts"],
      env,
      logFolder,
      isSupervised: true,
    });
    atEnd(() => product.kill());
    atEnd(() => gateway.kill());
    const gatewayUrl = `http://127.0.0.1:${ports.gateway}`;

    return {
      ...product,
      anvil,
      node,
      chain,
      env,
      sql,
      gatewayUrl,
      folder,
      gateway,
      waitFor,
      stop,
      clock,
      disk,
      async foldSchema() {
        const [live] = await sql`select fold_schema from tidemark.live where chain_id = ${TRIAL_CHAIN_ID}`;
        if (!live) throw new Error("no fold has been made yet");
        return String(live.fold_schema);
      },
      restartDatabase: database.crash,
      reviveDatabase: database.revive,
      async secondIndexer() {
        const second = createProduct({ ...place, ponderPort: await freePort(), prefix: "second-" });
        second.fold.isSupervised = false;
        return second;
      },
      async dropFacts() {
        await dropSchema(sql, ponderSchema);
      },
      waitSynced: (timeoutMs) =>
        waitFor("synced with the chain", () => isSynced({ sql, chain, gatewayUrl, ponderSchema }), timeoutMs),
    };
  } catch (error) {
    await stop({ hasFailed: true });
    throw error;
  }
}

interface SyncCheck {
  sql: Sql;
  chain: TrialChain;
  gatewayUrl: string;
  ponderSchema: string;
}

/** Whether the present head's hash is among the facts, and the gateway answers at it. */
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

/** Makes a chain and starts every part; resolves when the gateway answers for all of it. */
export async function bringUp(stack: Stack, { blocks, holders }: { blocks: number; holders: number }): Promise<void> {
  const { chain, fold, gateway } = stack;
  await chain.spread(holders);
  for (let block = 0; block < blocks; block++) await chain.mine(60);
  fold.start();
  gateway.start();
  await stack.restartPonder();
  await stack.waitSynced(180_000);
}
