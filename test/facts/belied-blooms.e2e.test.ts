// Imitates a chain whose blooms also have logs of the system that no request gives, in blocks without transactions, too
// (zksync-era#4580), in front of anvil: Ponder, as the launcher starts it, lags at no block and stops at none.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chainFileOf } from "../../devnet/chain-file.ts";
import { type SeededDevnet, startSeededDevnet } from "../../devnet/seeded.ts";
import { deploymentDdl } from "../../fold/tables.ts";
import { ponderProgram } from "../../launcher/programs.ts";
import { freePort } from "../../machine/ports.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import type { ChainLog } from "./census.ts";
import { factDifferences } from "./comparison.ts";
import { type Indexer, startIndexer } from "./indexer.ts";

const STEPS = 20;
const LIVE_BLOCKS = 8;
/** For this long an answer that is not believed would be refused. */
const STUBBORN_MS = 30_000;

/** The bloom with one more bit, of a log of the system's. */
const withSystemBit = (bloom: string): Hex => `0x8${bloom.slice(3)}`;

function startBelyingNode(target: string): Promise<Server> {
  const json = { "content-type": "application/json" };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const text = await (await fetch(target, { method: "POST", headers: json, body })).text();
    response.writeHead(200, json).end(text.replace(/(?<="logsBloom":")0x[0-9a-f]{512}/g, withSystemBit));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

let devnet: SeededDevnet;
let node: Server;
let database: TestDatabase;
let indexer: Indexer;
let folder: string;

const chainHead = async () => {
  const { number, hash } = await devnet.chain.client.getBlock();
  return { number: Number(number), hash };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-belied-"));
  [devnet, database] = await Promise.all([
    startSeededDevnet({ port: await freePort(), steps: STEPS }),
    startTestDatabase(),
  ]);
  node = await startBelyingNode(devnet.rpcUrl);
  indexer = startIndexer({
    chain: { ...chainFileOf(devnet.world.at), pollingIntervalMs: 200 },
    folder: join(folder, "belied"),
    sql: database.sql,
    databaseUrl: database.url,
    rpcUrl: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    port: await freePort(),
    program: ponderProgram,
  });
});
afterAll(async () => {
  await indexer?.stop();
  await database?.stop();
  node?.close();
  node?.closeAllConnections();
  await devnet?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("a chain whose blooms contain more than its logs", () => {
  test("is indexed whole, block by block, and the log says so once", async () => {
    // the table is the fold's to make, which does not run here
    await database.sql.unsafe(deploymentDdl);
    await indexer.waitFor(await chainHead());
    const delays: number[] = [];
    for (let block = 0; block < LIVE_BLOCKS; block++) {
      await devnet.chain.seal(2);
      const sealedAt = performance.now();
      await indexer.waitFor(await chainHead());
      delays.push(performance.now() - sealedAt);
    }
    console.log(`live blocks came after ${delays.map((ms) => ms.toFixed(0)).join(", ")} ms`);
    expect(Math.max(...delays)).toBeLessThan(STUBBORN_MS);

    const logs = await devnet.chain.rpc<ChainLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
    expect(await factDifferences({ sql: database.sql, schema: indexer.schema }, indexer.chain, logs)).toEqual([]);
    expect(indexer.lines.filter((line) => line.includes("logs are checked by receipts from here on"))).toHaveLength(1);
    expect(indexer.lines.filter((line) => line.includes("seem incomplete"))).toEqual([]);
    const rows = await database.sql`select chain_id, reason from tidemark.unproven_blooms`;
    expect(rows).toEqual([{ chain_id: "31337", reason: expect.stringMatching(/^by the receipts of those blocks/) }]);
  });
});
