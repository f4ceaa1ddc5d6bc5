// `npm start` and `npm run indexer` on a wrong chain file: they end with its mistakes, and nothing is indexed.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainIdOf } from "../../chains/json-rpc.ts";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { requireRightDevnet } from "../../launcher/chain/chain-check.ts";
import { freePort } from "../../machine/ports.ts";
import { startTestChain, type TestChain } from "../devnet/contracts/test-chain.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let world: TestChain;
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-chain-check-"));
  [world, database] = await Promise.all([startTestChain(), startTestDatabase()]);
});
afterAll(async () => {
  await world.stop();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The devnet's file, wrong in three places, under a name of its own. */
function writeWrongFile(): string {
  const { v3, ...rest } = chainFileOf(world.at);
  const [uniswap] = v3?.deployments ?? [];
  const file = join(folder, "wrong.json");
  const deployment = { ...uniswap, positionManager: { address: world.at.v3.kodiak.positionManager, startBlock: 0 } };
  const chain = { ...rest, name: "wrong", startBlock: 15, stables: [], v3: { deployments: [deployment] } };
  writeFileSync(file, JSON.stringify({ ...chain, farms: { factory: { address: world.account(3), startBlock: 0 } } }));
  return file;
}

interface Run {
  script: string;
  rpcUrl: string;
  arguments?: readonly string[];
  ponderPort?: number;
}

async function run(options: Run): Promise<{ code: number | null; output: string }> {
  const { script, rpcUrl, arguments: given = [] } = options;
  const [port, ponderPort] = [await freePort(), options.ponderPort ?? (await freePort())];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, ...given], {
    cwd: root,
    env: {
      ...process.env,
      ...{ CHAIN: writeWrongFile(), RPC_URL: rpcUrl, DATABASE_URL: database.url, TIDEMARK_DATA: join(folder, "data") },
      ...{ PORT: String(port), PONDER_PORT: String(ponderPort), HOST: "127.0.0.1" },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { code, output };
}

it("the check says of a devnet that lacks a listed contract what to do with it, and of a right one nothing", async () => {
  const chain = chainFileOf(world.at);
  const place = { rpcUrl: String(world.chain.client.transport.url), folder: "/data/devnet" };
  const require = (listed: typeof chain) => {
    const served = { chain: listed, name: "devnet", rpcUrl: undefined, ponderPort: 1 };
    return requireRightDevnet(served, place, () => {});
  };
  await require(chain);
  const [vault] = chain.externalVaults ?? [];
  const address = world.account(3);
  const missing = require({ ...chain, externalVaults: [{ ...vault!, address }] });
  await expect(missing).rejects.toThrow(`externalVaults[0].address: there is no contract at ${address.toLowerCase()}`);
  await expect(missing).rejects.toThrow("move /data/devnet away, and the next start seeds another");
});

describe.each(["launcher/start.ts", "launcher/indexer.ts"])("%s", (script) => {
  it("ends with a line for each mistake of the chain file, before anything is indexed", async () => {
    const { code, output } = await run({ script, rpcUrl: String(world.chain.client.transport.url) });
    const { v3 } = world.at;
    expect(code).toBe(1);
    expect(output).toContain("has 3 mistakes; nothing is indexed");
    expect(output).toContain(`v3.deployments[0].positionManager.address: ${v3.kodiak.positionManager} is of factory`);
    expect(output).toContain(`farms.factory.address: there is no contract at ${world.account(3).toLowerCase()}`);
    expect(output).toContain("startBlock: is 15, but wrappedNative.address was created in block 1: write 1 or less");
    expect(output).not.toContain("Ready");
    const schemas = await database.sql`select nspname from pg_namespace where nspname ~ '^(facts|fold)_'`;
    expect(schemas.map(({ nspname }) => nspname)).toEqual([]);
    expect(readdirSync(folder, { recursive: true }).filter((path) => String(path).includes("ponder"))).toEqual([]);
  });

  it("ends where something listens on Ponder's port: its signs of life would be taken for Ponder's", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port: ponderPort } = other.address() as AddressInfo;
    const { code, output } = await run({ script, rpcUrl: "http://127.0.0.1:1", ponderPort });
    other.close();
    expect(code).toBe(1);
    expect(output).toContain(`PONDER_PORT=${ponderPort}: this port is already in use`);
  });

  it("ends naming a node that cannot be reached", async () => {
    const { code, output } = await run({ script, rpcUrl: "http://127.0.0.1:1" });
    expect(code).toBe(1);
    expect(output).toMatch(
      /the node at http:\/\/127\.0\.0\.1:1 does not answer eth_chainId: .*; start that node, or correct its URL/,
    );
    expect(output).not.toContain("Ready");
  });
});

it("the check names the HTTP status of an address where no node answers, and a result that the method does not have", async () => {
  const answers: [number, string][] = [
    [404, ""],
    [200, "<html>"],
    [200, '{"jsonrpc":"2.0","id":1,"result":null}'],
  ];
  const node = createServer((_, response) => {
    const [status, body] = answers.shift() ?? [500, ""];
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const why = `the node at ${url} does not answer eth_chainId: `;
  await expect(chainIdOf(`${url}/key`)).rejects.toThrow(`${why}HTTP 404, and no JSON-RPC`);
  await expect(chainIdOf(url)).rejects.toThrow(`${why}HTTP 200, and no JSON-RPC`);
  await expect(chainIdOf(url)).rejects.toThrow(`${why}its result is not one of that method`);
  node.close();
});

describe("npm run check:chain", () => {
  const check = (file: string, rpcUrl: string) => run({ script: "scripts/check-chain.ts", rpcUrl, arguments: [file] });
  const written = (name: string, chain: unknown): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(chain));
    return file;
  };

  it("exits with 0 for the right file, notes included", async () => {
    const file = written("right.json", {
      ...chainFileOf(world.at),
      v2: { ...chainFileOf(world.at).v2, takesProtocolFee: true },
    });
    const { code, output } = await check(file, String(world.chain.client.transport.url));
    expect(output).toBe(
      `note: v2.takesProtocolFee: is true, but the factory's feeTo() is not set today\n${file} fits its chain\n`,
    );
    expect(code).toBe(0);
  });

  it("exits with 1 and a line for each mistake", async () => {
    const { code, output } = await check(writeWrongFile(), String(world.chain.client.transport.url));
    expect(output.trim().split("\n")).toHaveLength(4);
    expect(code).toBe(1);
  });

  it("exits with 1 for a kodiak deployment without its first protocol fee, naming the field", async () => {
    const chain = JSON.parse(JSON.stringify(chainFileOf(world.at)).replace(',"defaultFeeProtocol":229379500', ""));
    const { code, output } = await check(written("kodiak.json", chain), String(world.chain.client.transport.url));
    expect(output).toContain("v3.deployments[1].defaultFeeProtocol: is missing; a kodiak deployment needs it");
    expect(code).toBe(1);
  });

  it("exits with 2 when the node cannot be asked", async () => {
    const { code, output } = await check(writeWrongFile(), "http://127.0.0.1:1");
    expect(output).toContain("the node at http://127.0.0.1:1 does not answer eth_chainId");
    expect(code).toBe(2);
  });
});
