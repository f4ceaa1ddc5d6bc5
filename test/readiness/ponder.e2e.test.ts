// A Ponder that dies or hangs under its real supervisor, beside an index that goes on being read.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { listen } from "../../gateway/server.ts";
import { supervisePonder } from "../../launcher/ponder/supervised-ponder.ts";
import type { SupervisedChild } from "../../launcher/process/supervised-child.ts";
import { realPrograms } from "../../launcher/programs.ts";
import { watchReadiness } from "../../launcher/terminal/readiness.ts";
import { chainFixture, openGateway, type TestGateway } from "../support/gateway-fixture.ts";
import { buildIndex, hashOf } from "../support/index-fixture.ts";
import { PATIENCE_MS, type Readiness, untilReadiness } from "../support/running-fold.ts";
import { smallIndex } from "../support/small-index.ts";
import { startStubNode } from "../support/stub-node.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";

const { chainId, ponderSchema, head } = smallIndex;
const chain = chainFixture({ chainId, startBlock: 100 });

interface ShownPart {
  part: string;
  startedAt: string;
  heardAt: string;
}

interface Beside {
  folder: string;
  database: TestDatabase;
  gateway: TestGateway;
  /** `program` stands in for Ponder 0.17.7: it lives and dies as that does, and answers `/health` (its `start` command's server). */
  start(program: string): Promise<void>;
  readiness(): Promise<Readiness>;
  becomes(expected: object): Promise<void>;
  /** What `/status` says of Ponder. */
  part(): Promise<ShownPart | undefined>;
}

/** Beside an index of its own: the tests mostly wait, so they run beside one another. */
async function besideIndex(use: (beside: Beside) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  const database = await startTestDatabase();
  await buildIndex(database.sql, { ...smallIndex, chainHead: head });
  const gateway = openGateway(database.url, chain);
  // as many blocks above the final ones as Ponder wants
  const node = await startStubNode({ chainId, head: head + 100, hashAt: (block) => hashOf(block) });
  let ponder: SupervisedChild | undefined;
  const readiness = async (): Promise<Readiness> => {
    const { status, body } = await gateway.get("/ready");
    const error = body.error as { code: string; message: string } | undefined;
    return { status, code: error?.code ?? null, message: error?.message ?? "" };
  };
  const start = async (program: string): Promise<void> => {
    const file = join(folder, "ponder.mjs");
    writeFileSync(file, program);
    ponder = supervisePonder(
      {
        served: { chain, name: "fixture", rpcUrl: node.url, ponderPort: await freePort() },
        ...{ rpcUrl: node.url, databaseUrl: database.url, ponderSchema },
        ...{ logFile: join(folder, "ponder.log"), say: () => {} },
        programs: { ...realPrograms(false), ponder: [file] },
      },
      {},
    );
  };
  try {
    await use({
      ...{ folder, database, gateway, start, readiness },
      becomes: (expected) => untilReadiness(readiness, expected),
      async part() {
        const { body } = await gateway.get("/status");
        return (body.parts as ShownPart[]).find(({ part }) => part === "indexer");
      },
    });
  } finally {
    await ponder?.stop();
    await gateway.close();
    await node.close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const SERVER = `import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const server = createServer((_, response) => response.end()).listen(Number(process.env.PONDER_PORT), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));`;

describe.concurrent("a Ponder", () => {
  it("that ends with an error each time it starts is named with its last error, without addresses of servers", () =>
    besideIndex(async ({ start, becomes, gateway, part }) => {
      await start(
        `console.error(JSON.stringify({ level: 50, msg: "no such table at https://key:secret@node.example/x" })); process.exit(75)`,
      );
      const message = expect.stringMatching(
        /Ponder has ended \d+ times in a row: ended with code 75: no such table at \(address\)/,
      );
      await becomes({ status: 503, code: "PART_FAILING", message });
      expect((await gateway.get("/status")).body).toMatchObject({ state: "failing" });
      expect(await part()).toMatchObject({ state: "failing", schema: ponderSchema });
      const { text } = await gateway.get("/metrics");
      expect(text).toContain('tidemark_part_working{chain="fixture",part="indexer"} 0');
    }));

  it("that hangs is named", () =>
    besideIndex(async ({ folder, start, readiness, becomes, part }) => {
      const wanted = join(folder, "hang");
      await start(`${SERVER}
        setInterval(() => existsSync("${wanted}") && Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50);`);
      const works = async () => {
        const found = await part();
        expect(found).toMatchObject({ state: "working", reason: null });
        expect(found?.heardAt).not.toBe(found?.startedAt);
      };
      await vi.waitFor(works, { timeout: PATIENCE_MS, interval: 100 });
      expect(await readiness()).toMatchObject({ status: 200 });
      writeFileSync(wanted, "");
      const message = expect.stringContaining("Ponder has given no sign of life for");
      await becomes({ status: 503, code: "PART_FAILING", message });
    }));

  it("that dies once is started again, and nobody notices", () =>
    besideIndex(async ({ folder, start, readiness, part }) => {
      const died = join(folder, "died");
      await start(
        `${SERVER} if (!existsSync("${died}")) setTimeout(() => { writeFileSync("${died}", ""); process.exit(75); }, 2_000);`,
      );
      for (const until = performance.now() + 8_000; performance.now() < until || !existsSync(died); await sleep(100))
        expect(await readiness()).toMatchObject({ status: 200 });
      const isBack = async () => expect(await part()).toMatchObject({ state: "working", deaths: 1 });
      await vi.waitFor(isBack, { timeout: PATIENCE_MS, interval: 100 });
      expect(await part()).toMatchObject({ state: "working", deaths: 1, reason: expect.stringContaining("code 75") });
    }));
});

it.concurrent("the terminal says when the product is not ready any more, and when it is again", () =>
  besideIndex(async ({ start, gateway, database }) => {
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
  }));
