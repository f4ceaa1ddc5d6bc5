// A ClickHouse for one test file: the real engine behind HTTP, see clickhouse-server.ts.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";

export interface TestClickHouse {
  url: string;
  /** Of a database, which is created. The caller closes it. */
  openDatabase(name: string): Promise<ClickHouseClient>;
  /** The bytes of an answer as tab-separated rows. @throws Error with ClickHouse's own text */
  ask(database: string, text: string, parameters?: Record<string, string | number>): Promise<string>;
  stop(): Promise<void>;
}

/** One server as a cluster of one shard; a keeper of its own, in memory. */
const CONFIG = `<clickhouse>
  <zookeeper><implementation>testkeeper</implementation></zookeeper>
  <macros><cluster>tidemark</cluster><shard>1</shard><replica>1</replica></macros>
  <remote_servers><tidemark><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></tidemark></remote_servers>
</clickhouse>`;

/** The first one of a machine installs chdb: minutes may pass. */
export async function startClickHouse(): Promise<TestClickHouse> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-clickhouse-"));
  const config = join(folder, "config.xml");
  writeFileSync(config, CONFIG);
  // the port is nobody's: a shard at the engine's own port is the engine itself
  const engine = [join(folder, "data"), `--config-file=${config}`, "--tcp_port=9000"];
  const script = fileURLToPath(new URL("clickhouse-server.ts", import.meta.url));
  const child = fork(script, engine, { stdio: ["ignore", "pipe", "inherit", "ipc"], execArgv: [] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the imitated ClickHouse ended with ${code}`)));
    createInterface({ input: child.stdout ?? process.stdin }).on("line", (line) => {
      const [found] = /http:\S+/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const ask: TestClickHouse["ask"] = async (database, text, parameters = {}) => {
    const search = new URLSearchParams({ database });
    for (const [name, value] of Object.entries(parameters)) search.set(`param_${name}`, String(value));
    const response = await fetch(`${url}/?${search}`, { method: "POST", body: text });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
    return answer;
  };
  return {
    url,
    ask,
    async openDatabase(name) {
      await ask("default", `create database if not exists ${name}`);
      return createClient({ url, database: name, log: { level: ClickHouseLogLevel.OFF } });
    },
    async stop() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
