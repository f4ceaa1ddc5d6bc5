// The product as `npm start` runs it: Ponder writing facts, the fold, the gateway. All three are started together.
import { setTimeout as sleep } from "node:timers/promises";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { ledgers } from "../../core/ledgers/registry.ts";
import { ponderProgram, realPrograms } from "../../launcher/programs.ts";
import { projectRoot } from "../../machine/project-root.ts";
import { type LoggedProcess, startLogged } from "../ground/child-process.ts";
import { BENCH_CHAIN_ID, type Ground, type Workbench } from "../ground/workbench.ts";
import { checkpointBlock, dropSchemas, type Indexer, startPonder, tableBytes } from "./indexer.ts";

const POLL_MS = 10;
const PATIENCE_MS = 30 * 60_000;

/** Names of the schemas in use; undefined before the fold has made its own. */
export async function liveSchemas({ sql }: Ground): Promise<{ facts: string; fold: string } | undefined> {
  const [there] = await sql`select to_regclass('tidemark.live') is not null as there`;
  if (!there?.there) return undefined;
  const [live] = await sql`
    select ponder_schema as facts, fold_schema as fold from tidemark.live where chain_id = ${BENCH_CHAIN_ID}`;
  return live ? { facts: String(live.facts), fold: String(live.fold) } : undefined;
}

/**
 * When the fold had taken everything that is certainly there at the checkpoint `block`, which may be one block ahead of its rows;
 * checked from `from` on.
 */
export async function folded(
  ground: Ground,
  options: { block: number; from: Promise<number>; isStopped: () => boolean },
): Promise<number> {
  const { block, from, isStopped } = options;
  await from;
  for (const deadline = performance.now() + PATIENCE_MS; !isStopped(); await sleep(POLL_MS)) {
    const schemas = await liveSchemas(ground);
    const [meta] = schemas ? await ground.sql.unsafe(`select finalized from "${schemas.fold}".meta`) : [];
    if (Number(meta?.finalized ?? -1) >= block - 1) break;
    if (performance.now() > deadline) throw new Error(`block ${block} was not folded: see .tidemark/bench`);
  }
  return performance.now();
}

/** The latest of the times; a failure rejects the returned promise. */
export function latest(times: readonly Promise<number>[]): Promise<number> {
  const last = Promise.all(times).then((at) => Math.max(...at));
  last.catch(() => {});
  return last;
}

/** The fold's own process. */
export function startFold(bench: Ground): LoggedProcess {
  return startLogged({
    name: "fold",
    args: realPrograms(false).fold,
    cwd: projectRoot,
    env: {
      CHAIN: bench.chainFilePath,
      DATABASE_URL: bench.databaseUrl,
      RPC_URL: bench.rpc.url,
      PONDER_SCHEMA: ponderSchemaName(bench.chainFile),
    },
  });
}

export function startGateway(bench: Ground): LoggedProcess {
  return startLogged({
    name: "gateway",
    args: realPrograms(false).gateway,
    cwd: projectRoot,
    env: {
      CHAIN: bench.chainFilePath,
      DATABASE_URL: bench.databaseUrl,
      RPC_URL: bench.rpc.url,
      PONDER_SCHEMA: ponderSchemaName(bench.chainFile),
      PORT: String(bench.gatewayPort),
      HOST: "127.0.0.1",
    },
  });
}

/** `GET /balances/<token>?blockNumber=` of the busiest token; -1 unless it is 200, else the block it answered. */
async function askGateway(bench: Workbench, options: { block: number; users?: string }): Promise<number> {
  const users = options.users === undefined ? "" : `&users=${options.users}`;
  const url = `http://127.0.0.1:${bench.gatewayPort}/balances/${bench.chain.tokenAddresses[0]}?blockNumber=${options.block}${users}`;
  try {
    const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
    await response.arrayBuffer();
    return response.status === 200 ? Number(response.headers.get("x-block-number") ?? -1) : -1;
  } catch {
    return -1;
  }
}

export function tidemark(bench: Workbench): Indexer {
  const { sql, chain } = bench;
  const schema = ponderSchemaName(bench.chainFile);
  const schemas = async () => {
    const live = await liveSchemas(bench);
    if (!live) throw new Error("the fold has not made its schema yet");
    return live;
  };
  return {
    name: "tidemark",
    async start() {
      const ponder = startPonder(bench, { root: projectRoot, schema, program: ponderProgram });
      const fold = startFold(bench);
      const gateway = startGateway(bench);
      const indexedAt = ponder.said("Completed backfill indexing across all chains");
      const builtAt = fold.said("indexes built");
      let isStopped = false;
      const firstAnswer = async () => {
        // before these there is no answer: asking would only take processor time from what is measured
        await Promise.all([indexedAt, builtAt]);
        const deadline = performance.now() + PATIENCE_MS;
        while (!isStopped && (await askGateway(bench, { block: chain.lastFinal })) !== chain.lastFinal) {
          if (performance.now() > deadline)
            throw new Error(`no answer for block ${chain.lastFinal}: see .tidemark/bench`);
          await sleep(POLL_MS);
        }
        return performance.now();
      };
      const foldedAt = folded(bench, { block: chain.lastFinal, from: builtAt, isStopped: () => isStopped });
      const answerableAt = latest([firstAnswer(), foldedAt]);
      const settledAt = latest([answerableAt, fold.said("tables vacuumed")]);
      return {
        pids: [ponder.pid, fold.pid, gateway.pid],
        startedAt: ponder.startedAt,
        indexingFrom: ponder.said("Started backfill indexing"),
        indexedAt,
        answerableAt,
        settledAt,
        indexedBlock: () => checkpointBlock(bench, schema),
        answeredBlock: (block) => askGateway(bench, { block, users: chain.accountAddresses[1] ?? "" }),
        async stop() {
          isStopped = true;
          await Promise.all([ponder.stop(), fold.stop(), gateway.stop()]);
        },
      };
    },
    drop: () => dropSchemas(bench, ["facts_", "fold_", "tidemark"]),
    async bytes() {
      const { facts, fold } = await schemas();
      const parts = await Promise.all([tableBytes(bench, facts), tableBytes(bench, fold)]);
      return Object.fromEntries(
        parts.flatMap((tables, i) =>
          Object.entries(tables).map(([table, bytes]) => [`${["facts", "fold"][i]}.${table}`, bytes]),
        ),
      );
    },
    async balancesAt(block) {
      const { facts, fold } = await schemas();
      const range = { after: "(select finalized from w)", upTo: String(block), fold: `"${fold}"` };
      const above = ledgers.map((ledger) => `(${ledger.deltas(`"${facts}"`, range)})`).join(" union all ");
      const rows = await sql.unsafe(`
        with w as (select finalized from "${fold}".meta),
        held as (
          select encode(a.key, 'hex') as token, encode(h.account, 'hex') as account, h.amount
            from "${fold}".asset a join (
              select asset, account, amount from "${fold}".holding_current where since <= ${block}
              union all
              select asset, account, amount from "${fold}".holding_interval
               where from_block <= ${block} and to_block > ${block}) h on h.asset = a.id
           where a.kind = 'erc20'
          union all
          select substr(d.key, 3), substr(d.account, 3), d.delta from (${above}) d where d.kind = 'erc20')
        select '0x' || token || ' 0x' || account as holder, sum(amount)::text as amount
          from held group by 1 having sum(amount) <> 0`);
      return new Map(rows.map(({ holder, amount }) => [String(holder), BigInt(amount)]));
    },
  };
}
