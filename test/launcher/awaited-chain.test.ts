// One of several chains that cannot be served. Its node is away when the run begins: it is waited for, and joins; what is wrong ends
// the start. It is given up later: the others go on. And what is tried for as long as a chain is served.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { chainFileSchema } from "../../chains/chain-file.ts";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { CHAIN_REPLACED_EXIT } from "../../fold/node/chain-standing.ts";
import { besideOthers } from "../../launcher/chain/beside-others.ts";
import { startChain } from "../../launcher/chain/served-chain.ts";
import type { LauncherEnvironment, ServedChain } from "../../launcher/environment.ts";
import { createShutdown, type Shutdown } from "../../launcher/process/shutdown.ts";
import type { Surroundings } from "../../launcher/surroundings.ts";
import { freePort } from "../../machine/ports.ts";
import { commandLineOf } from "../../machine/processes.ts";
import { startTestChain, type TestChain } from "../devnet/contracts/test-chain.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

let world: TestChain;
let database: TestDatabase;
let folder: string;
let shutdown: Shutdown;
let node: Server | undefined;
let port: number;

beforeAll(async () => {
  world = await startTestChain();
});
afterAll(() => world.stop());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-awaited-"));
  database = await startTestDatabase();
  shutdown = createShutdown();
  port = await freePort();
});
afterEach(async () => {
  await shutdown.stopAll();
  node?.closeAllConnections();
  node?.close();
  node = undefined;
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The chain's node comes up at the address that was awaited. */
async function comeUp(): Promise<void> {
  node = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const headers = { "content-type": "application/json" };
    const body = Buffer.concat(parts);
    const answer = await fetch(String(world.chain.client.transport.url), { method: "POST", headers, body });
    response.writeHead(200, headers).end(await answer.text());
  });
  await new Promise<void>((resolve) => node?.listen(port, "127.0.0.1", resolve));
}

interface Begun {
  served: ServedChain;
  around: Surroundings;
  said: string[];
  started: string[];
  failures: string[];
}

function begin(chainCount: number, chainId = 31337): Begun {
  const idle = join(folder, "idle.mjs");
  writeFileSync(idle, "setInterval(() => {}, 1000); process.on('disconnect', () => process.exit(0));");
  const chain = { ...chainFileSchema.parse(chainFileOf(world.at)), chainId };
  const served = { chain, name: "made.json", rpcUrl: `http://127.0.0.1:${port}`, ponderPort: 1 };
  const [said, started, failures]: string[][] = [[], [], []];
  const environment = { chains: Array(chainCount).fill(served), dataDir: folder } as unknown as LauncherEnvironment;
  const around = {
    environment,
    programs: { devnet: [], fold: [idle], gateway: [], lake: [], ponder: [idle], sql: [] },
    shutdown,
    view: { show: () => {}, say: (line: string) => said?.push(line), finish: () => {} },
    note: (name: string) => started?.push(name),
    fail: (message: string) => failures?.push(message),
    aside: new Map<number, string>(),
  } as Surroundings;
  return { served, around, said: said ?? [], started: started ?? [], failures: failures ?? [] };
}

const start = ({ served, around }: Begun) => startChain(served, Promise.resolve({ databaseUrl: database.url }), around);

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 120_000; !(await isTrue()); await sleep(50))
    if (performance.now() > end) throw new Error("it has not come to pass in two minutes");
}

const waitsFor = async () => {
  const rows = await database.sql`select part, waits_for from tidemark.part where ended_at is null order by part`.catch(
    () => [],
  );
  return rows.map(({ part, waits_for }) => `${part}: ${waits_for}`);
};

it("a chain is waited for beside other chains, says why in the database, and is indexed once its node answers", async () => {
  const begun = begin(2);
  await start(begun);
  const { around, said, started, failures } = begun;
  expect(around.aside.get(31337)).toContain("does not answer eth_chainId");
  // a part is there a moment before what it waits for
  await until(async () => (await waitsFor()).filter((part) => !part.endsWith("null")).length === 2);
  const reason = /the node: the node at \(address\) does not answer eth_chainId/;
  expect(await waitsFor()).toEqual([expect.stringMatching(reason), expect.stringMatching(reason)]);
  expect(started).toEqual([]);
  expect(said).toEqual([
    expect.stringContaining("devnet: waiting for its node, the other chains are served: the node at"),
  ]);
  await comeUp();
  await until(() => started.length === 2);
  expect([...started].sort()).toEqual(["fold-31337", "ponder-31337"]);
  expect(around.aside.size).toBe(0);
  expect(said).toContain("devnet: its node answers, and the chain is indexed now");
  expect(failures).toEqual([]);
  const ended = await database.sql`select deaths, error from tidemark.part where part = 'fold'`;
  expect(ended.map((row) => ({ ...row }))).toEqual([{ deaths: 0, error: null }]);
});

it("a chain ends the start where it is the only one", async () => {
  await expect(start(begin(1))).rejects.toThrow("does not answer eth_chainId");
});

it("a chain ends the start where its node serves another chain", async () => {
  await comeUp();
  await expect(start(begin(2, 5))).rejects.toThrow("the node serves chain 31337, but chain file made.json says 5");
});

it("a chain is still waited for, and not indexed, where the node that comes up serves another chain", async () => {
  const begun = begin(2, 5);
  await start(begun);
  await comeUp();
  await until(() => begun.around.aside.get(5)?.includes("the node serves chain 31337") === true);
  expect(begun.started).toEqual([]);
  expect(begun.failures).toEqual([]);
});

it("a chain that has replaced final blocks is given up alone, and its Ponder ends; the run ends with the last chain", async () => {
  await comeUp();
  const begun = begin(2);
  const { served, around, said, failures } = begun;
  const fold = join(folder, "fold.mjs");
  const words = JSON.stringify({ level: 60, msg: "the chain has replaced block 7" });
  writeFileSync(
    fold,
    `console.log(${JSON.stringify(words)}); setTimeout(() => process.exit(${CHAIN_REPLACED_EXIT}), 1500)`,
  );
  const lost = new Set<number>();
  const alone = besideOthers(served, { ...around, programs: { ...around.programs, fold: [fold] } }, lost);
  const notes: Record<string, number> = {};
  alone.note = (name, identity) => {
    if (identity) notes[name] = identity.pid;
  };
  await startChain(served, Promise.resolve({ databaseUrl: database.url }), alone);
  await until(() => around.aside.size === 1);
  expect(said).toEqual([
    expect.stringMatching(/^devnet is given up, the other chains are served: .*has replaced block 7/),
  ]);
  const ponder = notes["ponder-31337"];
  await until(() => ponder !== undefined && commandLineOf(ponder) === "");
  expect(failures).toEqual([]);
  const other = { ...served, chain: { ...served.chain, chainId: 5 } };
  besideOthers(other, around, lost).fail("the last one");
  expect(failures).toEqual(["the last one"]);
});

it("a devnet that does not come up is given up alone, with its error in the database; as the only chain it ends the start", async () => {
  const devnet = join(folder, "devnet.mjs");
  writeFileSync(devnet, "console.error('no room for its state'); process.exit(1)");
  const { served, around, said, failures } = begin(2);
  const own = { ...served, rpcUrl: undefined };
  const programs = { ...around.programs, devnet: [devnet] };
  const alone = besideOthers(own, { ...around, programs }, new Set());
  await startChain(own, Promise.resolve({ databaseUrl: database.url }), alone);
  const reason = /the devnet ended with code 1 before it was ready; its log .* ends: no room for its state/;
  expect(around.aside.get(31337)).toMatch(reason);
  expect(said).toEqual([expect.stringMatching(/^devnet is given up, the other chains are served: /)]);
  expect(failures).toEqual([]);
  const ended = await database.sql`select part, error from tidemark.part where ended_at is not null order by part`;
  const words = expect.stringMatching(/^the devnet did not come up/);
  expect(ended.map((row) => ({ ...row }))).toEqual([
    { part: "fold", error: words },
    { part: "indexer", error: words },
  ]);
  const only = { ...begin(1).around, programs };
  await expect(startChain(own, Promise.resolve({ databaseUrl: database.url }), only)).rejects.toThrow(reason);
});

it("a chain has its lake's writer started again however often that ends, as its cause can be mended in the folder", async () => {
  await comeUp();
  const { served, around, said } = begin(1);
  const lake = join(folder, "lake.mjs");
  writeFileSync(lake, "process.exit(1)");
  const environment = { ...around.environment, lake: folder };
  const programs = { ...around.programs, lake: [lake] };
  await startChain(served, Promise.resolve({ databaseUrl: database.url }), { ...around, environment, programs });
  await until(() => said.filter((line) => line.startsWith("the lake's writer ended with code 1")).length === 5);
  expect(said.at(-1)).toBe("the lake's writer ended with code 1; starting it again in 8 s");
});
