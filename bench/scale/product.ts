// The whole of `npm start` on a separate node and database, so that its requests can be counted.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { loadChain } from "../../chains/load.ts";
import { foldSchemaName } from "../../fold/fold-schema.ts";
import { freePort } from "../../machine/ports.ts";
import { projectRoot } from "../../machine/project-root.ts";

const PATIENCE_MS = 600_000;
const STOP_MS = 20_000;

export interface Product {
  schemas: { facts: string; fold: string };
  chainFile: string;
  /** Resolves once every block up to `head` is indexed and followed, and every token's name is read. */
  settled(head: number): Promise<void>;
  stop(): Promise<void>;
}

/** `sql` reads the database at `databaseUrl`. */
export async function startProduct(options: {
  chain: object;
  rpcUrl: string;
  databaseUrl: string;
  sql: Sql;
}): Promise<Product> {
  const { chain, rpcUrl, databaseUrl, sql } = options;
  const folder = mkdtempSync(join(tmpdir(), "tidemark-scale-"));
  const chainFile = join(folder, "chain.json");
  writeFileSync(chainFile, JSON.stringify(chain));
  const facts = ponderSchemaName(loadChain(chainFile));
  const schemas = { facts, fold: foldSchemaName(facts) };
  const [port, ponderPort, devnetPort] = [await freePort(), await freePort(), await freePort()];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "launcher/start.ts"], {
    cwd: projectRoot,
    env: {
      ...process.env,
      CHAIN: chainFile,
      RPC_URL: rpcUrl,
      DATABASE_URL: databaseUrl,
      TIDEMARK_DATA: join(folder, "data"),
      PORT: String(port),
      PONDER_PORT: String(ponderPort),
      DEVNET_PORT: String(devnetPort),
      HOST: "127.0.0.1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // with a signal that it can handle, so that what it started ends with it
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => said.push(...text.toString().split("\n")));
  return {
    schemas,
    chainFile,
    async settled(head) {
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
        if (child.exitCode !== null) throw new Error(`the product ended: ${said.slice(-8).join("\n")}`);
        if (await isSettled(sql, schemas.fold, head).catch(() => false)) return;
      }
      throw new Error(`block ${head} was not answered in time: ${said.slice(-8).join("\n")}`);
    },
    async stop() {
      process.off("exit", end);
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isSettled(sql: Sql, fold: string, head: number): Promise<boolean> {
  const [row] = await sql.unsafe(`
    select m.head >= ${head} and m.is_indexed and not exists (
             select from "${fold}".asset a where a.kind = 'erc20'
                and not exists (select from "${fold}".token t where t.address = a.key)) as settled
      from "${fold}".meta m`);
  return row?.settled === true;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exit;
  clearTimeout(timer);
}
