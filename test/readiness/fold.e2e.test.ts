// A fold that dies, hangs or waits, over a real database: `/ready` and `/status` name it; how long that takes is printed.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { DUE_MS } from "../../fold/process/part-record.ts";
import { hashOf, insertBlocks, insertFacts } from "../support/index-fixture.ts";
import { secondsToKeepalive } from "../support/keepalive-timers.ts";
import { accountOf, tokenOf, ZERO } from "../support/reference-ledger.ts";
import {
  CHAIN_ID,
  type FoldSetting,
  HEAD,
  PATIENCE_MS,
  type Readiness,
  type RunningFold,
  startFold,
} from "../support/running-fold.ts";
import { startTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { v3Deployments } from "../support/v3-index.ts";

const READY = { status: 200 };
/** A fold over a database of its own. Its tests mostly wait, so they run beside one another. */
async function onFold(
  use: (fold: RunningFold, database: TestDatabase) => Promise<void>,
  setting: (database: TestDatabase) => Omit<FoldSetting, "sql" | "url"> = () => ({}),
): Promise<void> {
  const database = await startTestDatabase();
  try {
    const fold = await startFold({ ...database, ...setting(database) });
    await use(fold, database).finally(() => fold.stop());
  } finally {
    await database.stop();
  }
}

const statusOf = async ({ gateway }: RunningFold) => (await gateway.get("/status")).body;
const partOf = async (fold: RunningFold) =>
  ((await statusOf(fold)).parts as { part: string; deaths: number }[]).find(({ part }) => part === "fold");
const metricOf = async ({ gateway }: RunningFold, name: string) => {
  const { text } = await gateway.get("/metrics");
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`tidemark_${name} `))
      ?.split(" ")
      .at(-1),
  );
};
const FOLD = `{chain="fixture",part="fold"}`;

describe.concurrent("a fold", () => {
  it("that ends with an error each time it starts is named with the error, and is ready once it lives", () =>
    onFold(async (fold, database) => {
      await fold.becomes(READY);
      await database.sql.unsafe(`alter table ${fold.ponderSchema}._ponder_meta rename column value to words`);
      const reason = expect.stringMatching(/the fold has ended \d+ times in a row: column "value" does not exist/);
      await fold.becomes({ status: 503, code: "PART_FAILING", message: reason });
      expect(await statusOf(fold)).toMatchObject({ state: "failing", reason });
      expect(await partOf(fold)).toMatchObject({ state: "failing", reason });
      expect([await metricOf(fold, `ready{chain="fixture"}`), await metricOf(fold, `part_working${FOLD}`)]).toEqual([
        0, 0,
      ]);
      expect(await metricOf(fold, `part_deaths${FOLD}`)).toBeGreaterThan(1);
      await database.sql.unsafe(`alter table ${fold.ponderSchema}._ponder_meta rename column words to value`);
      await fold.growsOld();
      await fold.becomes(READY);
      await sleep(2_000);
      expect(await partOf(fold)).toMatchObject({ state: "working", reason: null, deaths: 0 });
    }));

  it("whose chain has replaced final blocks reports that as its last error, and is not said to hang", () =>
    onFold(async (fold) => {
      await fold.becomes(READY);
      fold.node.says.hashAt = (block) => hashOf(block + 1_000);
      await fold.becomes({ status: 503, code: "CHAIN_REPLACED" });
      const hasWords = async () =>
        expect(await partOf(fold)).toMatchObject({
          reason: expect.stringContaining("the chain has replaced block 111"),
        });
      await vi.waitFor(hasWords, { timeout: PATIENCE_MS, interval: 100 });
    }));

  it("that has loaded everything vacuums its tables soon after they are read", () =>
    onFold(async (fold, { sql }) => {
      await fold.becomes(READY);
      const areVacuumed = async () => {
        const [row] = await sql`
          select from pg_stat_all_tables
           where schemaname = ${fold.foldSchema} and relname in ('holding_interval', 'holding_current', 'holder', 'asset')
          having count(last_vacuum) = 4`;
        expect(row).toBeDefined();
      };
      await vi.waitFor(areVacuumed, { timeout: PATIENCE_MS, interval: 100 });
    }));

  it("lives on while Ponder has its tables locked for longer than is waited for them", () =>
    onFold(async (fold, { sql }) => {
      await fold.becomes(READY);
      const before = fold.pid();
      await sql.begin(async (ponder) => {
        await ponder.unsafe(`lock table ${fold.ponderSchema}.block in access exclusive mode`);
        // two waits of two seconds, for each of those that read them
        await sleep(7_000);
      });
      await fold.becomes(READY);
      expect(fold.pid()).toBe(before);
    }));

  it("that is killed whenever it has started is named", () =>
    onFold(async (fold, database) => {
      await fold.becomes(READY);
      const killed = new Set<number>();
      const killing = setInterval(async () => {
        const [row] =
          await database.sql`select 1 from tidemark.part where part = 'fold' and beat_at > now() - interval '1 second'`;
        if (row === undefined || killed.has(fold.pid())) return;
        killed.add(fold.pid());
        process.kill(fold.pid(), "SIGKILL");
      }, 100);
      const message = expect.stringMatching(/the fold (has ended \d+ times in a row|has given no sign of life)/);
      await fold.becomes({ status: 503, code: "PART_FAILING", message }).finally(() => clearInterval(killing));
    }));

  it("that hangs is named, and is ready as soon as it goes on", () =>
    onFold(async (fold) => {
      await fold.becomes(READY);
      // it is ready a moment before it says that it has done with what takes long
      await sleep(1_000);
      process.kill(fold.pid(), "SIGSTOP");
      const message = expect.stringContaining("the fold has given no sign of life for");
      await fold.becomes({ status: 503, code: "PART_FAILING", message });
      expect(await partOf(fold)).toMatchObject({ state: "silent" });
      process.kill(fold.pid(), "SIGCONT");
      await fold.becomes(READY);
    }));

  it("that is killed once is started again, and nobody notices before its next sign of life is due", () =>
    onFold(async (fold) => {
      await fold.becomes(READY);
      const before = fold.pid();
      process.kill(before, "SIGKILL");
      const isBack = async () => fold.pid() !== before && (await partOf(fold))?.deaths === 1;
      for (
        const until = performance.now() + PATIENCE_MS;
        !(await isBack()) && performance.now() < until;
        await sleep(50)
      )
        expectReadyUnlessOverdue(await fold.ready());
      expect(await partOf(fold)).toMatchObject({ state: "working", deaths: 1 });
      await fold.becomes(READY);
    }));
});

describe.concurrent("a fold whose machine is gone", () => {
  it.skipIf(process.platform !== "linux")("loses its sessions, and with them its turn, soon", () =>
    onFold(async (fold, { sql }) => {
      await fold.becomes(READY);
      const areSoon = async () => {
        const seconds = await secondsToKeepalive(sql, "application_name = 'tidemark-fold'");
        expect(seconds.length).toBeGreaterThan(3);
        expect(seconds.filter((one) => !(one <= 15))).toEqual([]);
      };
      await vi.waitFor(areSoon, { timeout: PATIENCE_MS, interval: 50 });
    }),
  );
});

/** How long a fold takes to start depends on the machine. */
function expectReadyUnlessOverdue(found: Readiness): void {
  const [, silence] = /^Not ready: the fold has given no sign of life for (\d+) seconds/.exec(found.message) ?? [];
  if (silence === undefined || Number(silence) < DUE_MS / 1_000) expect(found).toMatchObject(READY);
}

describe.concurrent("a node", () => {
  it("that cannot be reached is named, and answers about what is indexed go on", () =>
    onFold(async (fold) => {
      await fold.becomes(READY);
      await fold.node.close();
      const message = expect.stringMatching(/the node has not reported its head for \d+ seconds: HTTP request failed/);
      await fold.becomes({ status: 503, code: "NODE_UNAVAILABLE", message });
      expect(await statusOf(fold)).toMatchObject({ state: "unknown", lastSyncedBlock: HEAD });
      expect((await fold.gateway.get(`/vaults?chainId=${CHAIN_ID}&blockNumber=${HEAD}`)).status).toBe(200);
      await fold.node.open();
      await fold.becomes(READY);
    }));

  it("that refuses for its limits is named with its answer", () =>
    onFold(async (fold) => {
      await fold.becomes(READY);
      fold.node.says.status = 429;
      const message = expect.stringContaining("status 429");
      await fold.becomes({ status: 503, code: "NODE_UNAVAILABLE", message });
    }));

  it("of another chain is named with both, and nothing of it is believed", () =>
    onFold(async (fold) => {
      await fold.becomes(READY);
      const { hashAt } = fold.node.says;
      Object.assign(fold.node.says, {
        chainId: 1,
        head: 5_000,
        hashAt: (block: number) => hashAt(block).replace("0x0", "0x7"),
      });
      const message = expect.stringContaining(`the node serves chain 1, and this index is of chain ${CHAIN_ID}`);
      await fold.becomes({ status: 503, code: "NODE_UNAVAILABLE", message });
      await sleep(4_000);
      expect(await statusOf(fold)).toMatchObject({ state: "unknown", chainHead: HEAD, lastSyncedBlock: HEAD });
      Object.assign(fold.node.says, { chainId: CHAIN_ID, head: HEAD, hashAt });
      await fold.becomes(READY);
    }));
});

describe.concurrent("a node that never answers about a farm", () => {
  const [farm, island, pool] = [20, 21, 22].map(accountOf) as [string, string, string];
  const factory = String(v3Deployments[0]?.factory.address);
  const placeAt = (block: number) => ({ block, log_index: 0, tx_index: 0, timestamp: 1 });
  const source = { address: factory, startBlock: 0 };
  const withFarm = ({ sql }: TestDatabase): Omit<FoldSetting, "sql" | "url"> => ({
    chain: { v3: { deployments: v3Deployments }, islands: { factory: source }, farms: { factory: source } },
    says: {
      ignores: ({ method, params }) =>
        method === "eth_call" && (params?.[0] as { to?: string } | undefined)?.to === farm,
    },
    async prepare(schema) {
      const tokens = { token0: tokenOf(1), token1: tokenOf(2), fee: 500, tick_spacing: 10 };
      await sql`insert into ${sql(schema)}.v3_pool_created ${sql({ ...placeAt(104), factory, pool, ...tokens })}`;
      const made = { factory, vault: farm, kind: "farm" };
      await sql`insert into ${sql(schema)}.vault_created ${sql({ ...placeAt(105), ...made })}`;
    },
  });

  it("holds up no block, not even one for which the node must be asked something else: it is there before the farm is given up", () =>
    onFold(async (fold, { sql }) => {
      await fold.becomes(READY);
      const made = { factory, island, pool, manager: factory, implementation: factory };
      await sql`insert into ${sql(fold.ponderSchema)}.island_created ${sql({ ...placeAt(HEAD + 1), ...made })}`;
      await insertBlocks(sql, fold.ponderSchema, { from: HEAD + 1, to: HEAD + 1 });
      fold.node.says.head = HEAD + 1;
      const isFolded = async () =>
        expect(await sql`select head from ${sql(fold.foldSchema)}.meta`).toMatchObject([{ head: HEAD + 1 }]);
      await vi.waitFor(isFolded, { timeout: PATIENCE_MS, interval: 50 });
      const refusals = (table: string) => sql`select last_error from ${sql(fold.foldSchema)}.${sql(table)}`;
      expect(await refusals("island_settings_retry")).toMatchObject([{ last_error: "no state here" }]);
      expect(await refusals("farm_settings_retry")).toEqual([]);
    }, withFarm));
});

describe.concurrent("facts that begin too late", () => {
  const [token, whole] = [tokenOf(1), tokenOf(2)];
  const [alice, bob] = [accountOf(1), accountOf(2)];
  const manager = v3Deployments[0]?.positionManager.address;
  const transfer = { kind: "transfer" as const, logIndex: 0 };
  const startedLate = ({ sql }: TestDatabase): Omit<FoldSetting, "sql" | "url"> => ({
    chain: { v3: { deployments: v3Deployments } },
    async prepare(schema) {
      await insertFacts(sql, schema, [
        { ...transfer, block: 103, token: whole, from: ZERO, to: alice, amount: 5n },
        { ...transfer, block: 104, token, from: alice, to: bob, amount: 7n },
        { ...transfer, block: 105, token: whole, from: alice, to: bob, amount: 6n },
      ]);
      await sql.unsafe(
        `insert into ${schema}.v3_nft (block, log_index, tx_index, timestamp, manager, token_id, kind, recipient, amount0, amount1)
         values (104, 3, 0, 1, '${manager}', 12, 'collect', '${alice}', 1, 1)`,
      );
    },
  });

  it("are named by the first fact without a beginning; the token is not blamed", () =>
    onFold(async (fold) => {
      const message = expect.stringMatching(
        new RegExp(`facts of ${manager} are missing before block 104 .*first indexed block 100, and startBlock`),
      );
      await fold.becomes({ status: 503, code: "HISTORY_MISSING", message });
      // said as soon as the final blocks are folded; the newest come with the next turn
      await vi.waitFor(async () => expect(await statusOf(fold)).toMatchObject({ lastSyncedBlock: HEAD }), PATIENCE_MS);
      expect(await statusOf(fold)).toMatchObject({
        state: "incomplete",
        stoppedCounts: [{ kind: "position-manager", count: 1 }],
        stopped: [{ kind: "position-manager", address: manager, block: 104, logIndex: 3 }],
      });
      expect(await metricOf(fold, `stopped_contracts{chain="fixture",kind="position-manager"}`)).toBe(1);
      const refusal = async (of: string) => (await fold.gateway.get(`/balances/${of}?blockNumber=${HEAD}`)).body.error;
      expect(await refusal(token)).toMatchObject({
        code: "TOKEN_NOT_STANDARD",
        message: `The balances of token ${token} are unknown: ${alice} sent some at block 104, and had received none; it is not standard, or its history begins before the first indexed block 100.`,
        details: { mayBeginBefore: 100 },
      });
      expect(await refusal(whole)).toMatchObject({
        code: "TOKEN_NOT_STANDARD",
        message: expect.stringContaining("does not behave like an ERC-20 (balance below zero)"),
      });
    }, startedLate));
});
