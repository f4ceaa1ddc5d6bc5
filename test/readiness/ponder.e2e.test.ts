// A Ponder that dies or hangs under its real supervisor, beside an index that goes on being read.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listen } from "../../gateway/http/server.ts";
import { supervisePonder } from "../../scripts/launcher/ponder.ts";
import { realPrograms } from "../../scripts/launcher/programs.ts";
import { watchReadiness } from "../../scripts/launcher/readiness.ts";
import type { SupervisedChild } from "../../scripts/launcher/supervised-child.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf } from "../support/index-fixture.ts";
import { PATIENCE_MS, untilReadiness } from "../support/running-fold.ts";
import { smallIndex } from "../support/small-index.ts";
import { type StubNode, startStubNode } from "../support/stub-node.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const { chainId, ponderSchema, head } = smallIndex;
const chain = chainFixture({ chainId, startBlock: 100 });

let folder: string;
let database: TestDatabase;
let gateway: TestGateway;
let node: StubNode;
let ponder: SupervisedChild;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: head });
  gateway = openGateway(database.url, chain);
  // as many blocks above the final ones as Ponder wants
  node = await startStubNode({ chainId, head: head + 100, hashAt: (block) => hashOf(block) });
});
afterEach(async () => {
  await ponder.stop();
  await gateway.close();
  await node.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** `program` stands in for Ponder 0.17.7: it lives and dies as that does, and answers `/health` (its `start` command's server). */
async function start(program: string): Promise<void> {
  const file = join(folder, "ponder.mjs");
  writeFileSync(file, program);
  ponder = supervisePonder(
    {
      served: { chain, name: "fixture", rpcUrl: node.url, ponderPort: await freePort() },
      ...{
        rpcUrl: node.url,
        databaseUrl: database.url,
        ponderSchema,
        logFile: join(folder, "ponder.log"),
        say: () => {},
      },
      programs: { ...realPrograms(false), ponder: [file] },
    },
    {},
  );
}

const readiness = async () => {
  const { status, body } = await gateway.get("/ready");
  const error = body.error as { code: string; message: string } | undefined;
  return { status, code: error?.code ?? null, message: error?.message ?? "" };
};

const becomes = (expected: object) => untilReadiness(readiness, expected);

const partOf = async () => {
  const { body } = await gateway.get("/status");
  return (body.parts as { part: string }[]).find(({ part }) => part === "indexer");
};

const SERVER = `import { createServer } from "node:http";
const server = createServer((_, response) => response.end()).listen(Number(process.env.PONDER_PORT), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));`;

it("a Ponder that ends with an error each time it starts is named with its last error, without addresses of servers", async () => {
  await start(
    `console.error(JSON.stringify({ level: 50, msg: "no such table at https://key:secret@node.example/x" })); process.exit(75)`,
  );
  const message = expect.stringMatching(
    /Ponder has ended \d+ times in a row: ended with code 75: no such table at \(address\)/,
  );
  await becomes({ status: 503, code: "PART_FAILING", message });
  expect((await gateway.get("/status")).body).toMatchObject({ state: "failing" });
  expect(await partOf()).toMatchObject({ state: "failing", schema: ponderSchema });
  const { text } = await gateway.get("/metrics");
  expect(text).toContain('tidemark_part_working{chain="fixture",part="indexer"} 0');
});

it("a Ponder that hangs is named", async () => {
  await start(`${SERVER} setTimeout(() => { for (;;); }, 3_000);`);
  await sleep(2_500);
  expect(await readiness()).toMatchObject({ status: 200 });
  expect(await partOf()).toMatchObject({ state: "working", reason: null });
  const message = expect.stringContaining("Ponder has given no sign of life for");
  await becomes({ status: 503, code: "PART_FAILING", message });
});

it("a Ponder that dies once is started again, and nobody notices", async () => {
  const died = join(folder, "died");
  await start(`${SERVER} import { existsSync, writeFileSync } from "node:fs";
    if (!existsSync("${died}")) setTimeout(() => { writeFileSync("${died}", ""); process.exit(75); }, 2_000);`);
  for (const until = performance.now() + 8_000; performance.now() < until; await sleep(100))
    expect(await readiness()).toMatchObject({ status: 200 });
  expect(await partOf()).toMatchObject({ state: "working", deaths: 1, reason: expect.stringContaining("code 75") });
});

it("the terminal says when the product is not ready any more, and when it is again", async () => {
  await start(SERVER);
  const lines: string[] = [];
  let isStopping = false;
  const server = await listen(gateway.app, { host: "127.0.0.1", port: 0 });
  const watching = watchReadiness({
    gatewayUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chains: [{ chainId, name: "fixture", ponderSchema }],
    isStopping: () => isStopping,
    say: (line) => lines.push(line),
  });
  const hasSaid = (count: number) => expect(lines).toHaveLength(count);
  await sleep(1_500);
  hasSaid(0);
  await database.sql`update tidemark.chain_head set updated_at = now() - interval '20 seconds', rpc_error = 'status 429'`;
  await vi.waitFor(() => hasSaid(1), { timeout: PATIENCE_MS, interval: 100 });
  await database.sql`update tidemark.chain_head set updated_at = now() + interval '1 hour', rpc_error = null`;
  await vi.waitFor(() => hasSaid(2), { timeout: PATIENCE_MS, interval: 100 });
  isStopping = true;
  await watching;
  server.close();
  expect(lines).toEqual([
    expect.stringMatching(
      /^fixture: Not ready: the node has not reported its head for \d+ seconds: status 429 \(NODE_UNAVAILABLE\)$/,
    ),
    "fixture: ready again",
  ]);
});
