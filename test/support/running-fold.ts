// The product's own fold process over fact tables in a real database, kept alive as the launcher does it, and a gateway over both.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { expect } from "vitest";
import { foldSchemaName } from "../../fold/fold-schema.ts";
import { LONG_LIVED_SECONDS } from "../../fold/tables.ts";
import { supervise } from "../../launcher/process/supervised-child.ts";
import { setCheckpoint } from "./folded-index.ts";
import { chainFixture, openGateway, type TestGateway } from "./gateway-fixture.ts";
import { createFactTables, hashOf, insertBlocks } from "./index-fixture.ts";
import { type FirstSays, type StubNode, startStubNode } from "./stub-node.ts";

export const CHAIN_ID = 31337;
export const FIRST_BLOCK = 100;
export const FINAL_BLOCK = 110;
export const HEAD = 115;
const SCHEMA = "facts_31337_ready";

export interface RunningFold {
  node: StubNode;
  gateway: TestGateway;
  ponderSchema: string;
  foldSchema: string;
  /** Of the process that runs now. */
  pid(): number;
  ready(): Promise<Readiness>;
  /** {@link untilReadiness} of it. */
  becomes(expected: object): Promise<void>;
  /** Resolves when its process has lived for some signs of life; from then on it is as if it had for half a minute. */
  growsOld(): Promise<void>;
  stop(): Promise<void>;
}

export interface Readiness {
  status: number;
  code: string | null;
  message: string;
}

export interface FoldSetting {
  sql: Sql;
  url: string;
  /** Sections of the chain file. */
  chain?: object;
  /** What the node says, where that is not what facts say. */
  says?: Partial<FirstSays>;
  /** Writes facts before the fold starts. */
  prepare?: (ponderSchema: string) => Promise<void>;
}

/** No machine is so slow that it needs longer. */
export const PATIENCE_MS = 90_000;

/** A process that fails in its first turn gives two. */
const SIGNS_OF_A_LIFE = 4;

/** Nobody waits for the half minute after which earlier deaths no longer count: it is written down as over. */
async function letGrowOld(sql: Sql): Promise<void> {
  const signs = new Set<string>();
  for (let life = ""; signs.size < SIGNS_OF_A_LIFE; await sleep(100)) {
    const [row] = await sql`
      select started_at::text as life, beat_at::text as sign from tidemark.part where part = 'fold' and ended_at is null`;
    if (row?.life !== life) signs.clear();
    life = String(row?.life);
    signs.add(String(row?.sign));
  }
  await sql`update tidemark.part set started_at = started_at - make_interval(secs => ${LONG_LIVED_SECONDS}) where part = 'fold'`;
}

/** Asks until it is so, and prints how long that took. @throws the last assertion's error after {@link PATIENCE_MS} */
export async function untilReadiness(ready: () => Promise<Readiness>, expected: object): Promise<void> {
  const started = performance.now();
  for (; ; await sleep(100)) {
    const found = await ready();
    const seconds = (performance.now() - started) / 1_000;
    try {
      expect(found).toMatchObject(expected);
      if (found.code !== null) console.log(`${found.code} after ${seconds.toFixed(1)} s: ${found.message}`);
      return;
    } catch (error) {
      if (1_000 * seconds > PATIENCE_MS) throw error;
    }
  }
}

export async function startFold({ sql, url, chain: sections = {}, says, prepare }: FoldSetting): Promise<RunningFold> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  const chain = chainFixture({ chainId: CHAIN_ID, startBlock: FIRST_BLOCK, ...sections });
  const chainFile = join(folder, "chain.json");
  writeFileSync(chainFile, JSON.stringify(chain));
  await createFactTables(sql, SCHEMA);
  await insertBlocks(sql, SCHEMA, { from: FIRST_BLOCK, to: HEAD });
  await prepare?.(SCHEMA);
  await setCheckpoint(sql, SCHEMA, FINAL_BLOCK + 1);
  const node = await startStubNode({ chainId: CHAIN_ID, head: HEAD, hashAt: (block) => hashOf(block), ...says });
  let pid = 0;
  const child = supervise(
    {
      name: "the fold",
      command: process.execPath,
      args: ["--disable-warning=ExperimentalWarning", "fold/main.ts"],
      env: { ...process.env, CHAIN: chainFile, DATABASE_URL: url, RPC_URL: node.url, PONDER_SCHEMA: SCHEMA },
      cwd: new URL("../..", import.meta.url).pathname,
      logFile: join(folder, "fold.log"),
      ...{ graceMs: 3_000, hopelessAfter: 100, hopelessCodes: [1], longestPauseMs: 4_000 },
    },
    {
      onStart(identity) {
        pid = identity.pid;
      },
    },
  );
  const gateway = openGateway(url, chain);
  const ready = async (): Promise<Readiness> => {
    const { status, body } = await gateway.get("/ready");
    const error = body.error as { code: string; message: string } | undefined;
    return { status, code: error?.code ?? null, message: error?.message ?? "" };
  };
  return {
    ...{ node, gateway, ponderSchema: SCHEMA, foldSchema: foldSchemaName(SCHEMA), ready, pid: () => pid },
    becomes: (expected) => untilReadiness(ready, expected),
    growsOld: () => letGrowOld(sql),
    async stop() {
      await child.stop();
      await gateway.close();
      await node.close().catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
