// Phase 3: what many small batches do to the tables' size. Ponder is stopped after the backfill and its rows are written
// here, by SQL, as its live mode would: for the product the facts of 30 blocks at a time, which is how finality moves,
// each folded by the product's own fold process; for the peer one upsert of balances and one insert of history a block.
import { setTimeout as sleep } from "node:timers/promises";
import { ponderSchemaName } from "../../chains/build-hash.ts";
import { PEER_SCHEMA } from "./bare-ponder.ts";
import type { Indexer } from "./indexer.ts";
import { blockHash, timestampOf } from "./synthetic-chain.ts";
import { liveSchemas } from "./tidemark.ts";
import { checkBalances } from "./truth.ts";
import { FINALITY_BLOCKS, rewindChain, type Workbench } from "./workbench.ts";

export interface BatchesRun {
  app: Indexer["name"];
  batches: number;
  batchTransfers: number;
  transfers: number;
  bytesBefore: number;
  bytesAfter: number;
  bytes: Record<string, number>;
}

const POLL_MS = 20;
const PATIENCE_MS = 120_000;

export async function runBatches(bench: Workbench, app: Indexer, batches: number): Promise<BatchesRun> {
  const { chain } = bench;
  await app.drop();
  await rewindChain(bench);
  const running = await app.start();
  try {
    await running.answerableAt;
    await running.stopPonder();
    const before = await app.bytes();
    const write = app.name === "tidemark" ? factWriter(bench) : peerWriter(bench);
    const first = chain.baseHead + 1;
    const last = chain.baseHead + batches * FINALITY_BLOCKS;
    for (let from = first; from <= last; from += FINALITY_BLOCKS)
      await write({ from, upTo: from + FINALITY_BLOCKS - 1 });
    const bytes = await app.bytes();
    await checkBalances(app, chain, last);
    const sum = (sizes: Record<string, number>) => Object.values(sizes).reduce((total, size) => total + size, 0);
    const batchTransfers = FINALITY_BLOCKS * chain.shape.transfersPerLiveBlock;
    return {
      app: app.name,
      batches,
      batchTransfers,
      transfers: chain.shape.events + batches * batchTransfers,
      bytesBefore: sum(before),
      bytesAfter: sum(bytes),
      bytes,
    };
  } finally {
    await running.stop();
    await app.drop();
  }
}

type Writer = (range: { from: number; upTo: number }) => Promise<void>;

/** Rows of `range` in the order of the chain. */
function factsOf({ chain }: Workbench, { from, upTo }: { from: number; upTo: number }) {
  const address = (account: number) => chain.accountAddresses[account] ?? "";
  return Array.from({ length: upTo - from + 1 }, (_, i) => from + i).flatMap((block) =>
    chain.transfersOf(block).map(({ token, from: sender, to, amount }, logIndex) => ({
      block,
      log_index: logIndex,
      tx_index: logIndex >> 1,
      timestamp: timestampOf(block),
      token: chain.tokenAddresses[token] ?? "",
      from: address(sender),
      to: address(to),
      amount: amount.toString(),
    })),
  );
}

function factWriter(bench: Workbench): Writer {
  const { sql } = bench;
  const facts = ponderSchemaName(bench.chainFile);
  return async ({ from, upTo }) => {
    const live = await liveSchemas(bench);
    if (!live) throw new Error("the fold has not made its schema yet");
    const blocks = Array.from({ length: upTo - from + 1 }, (_, i) => from + i);
    await sql.begin(async (tx) => {
      // Ponder's triggers keep rows for reorgs, which both apps prune at finality: not part of this comparison.
      await tx`set local session_replication_role = replica`;
      // The blocks between the backfill and the first batch have no transfers, but rows.
      await tx`insert into ${tx(facts)}.block ${tx(
        blocks.map((number) => ({
          number,
          hash: blockHash(number),
          timestamp: timestampOf(number),
          base_fee: "1000000000",
        })),
      )} on conflict do nothing`;
      const rows = factsOf(bench, { from, upTo });
      for (let i = 0; i < rows.length; i += 5_000)
        await tx`insert into ${tx(facts)}.erc20_transfer ${tx(rows.slice(i, i + 5_000))}`;
      const safe = String(upTo + 1).padStart(16, "0");
      await tx`update ${tx(facts)}._ponder_checkpoint
        set safe_checkpoint = overlay(safe_checkpoint placing ${safe} from 27 for 16)`;
    });
    await waitForFold(bench, { fold: live.fold, block: upTo });
  };
}

async function waitForFold({ sql }: Workbench, { fold, block }: { fold: string; block: number }): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(POLL_MS)) {
    const [meta] = await sql`select finalized from ${sql(fold)}.meta`;
    if (Number(meta?.finalized) >= block) return;
  }
  throw new Error(`block ${block} was not folded within ${PATIENCE_MS} ms: see .tidemark/bench/fold.log`);
}

type Balances = Map<number, bigint>[];

/** The rows the peer writes for `block`: history of every change, and each balance as the block leaves it. */
function peerRows({ chain }: Workbench, { held, block }: { held: Balances; block: number }) {
  const history: Record<string, string | number>[] = [];
  const latest = new Map<string, { token: string; account: string; amount: string }>();
  const change = (tokenIndex: number, accountIndex: number) => (delta: bigint, logIndex: number) => {
    const balance = (held[tokenIndex]?.get(accountIndex) ?? 0n) + delta;
    held[tokenIndex]?.set(accountIndex, balance);
    const token = chain.tokenAddresses[tokenIndex] ?? "";
    const account = chain.accountAddresses[accountIndex] ?? "";
    history.push({ token, account, block, log_index: logIndex, balance_after: balance.toString() });
    latest.set(`${token}${account}`, { token, account, amount: balance.toString() });
  };
  for (const [logIndex, { token, from, to, amount }] of chain.transfersOf(block).entries()) {
    if (from === to) continue;
    if (from !== 0) change(token, from)(-amount, logIndex);
    if (to !== 0) change(token, to)(amount, logIndex);
  }
  return { history, latest: [...latest.values()] };
}

function peerWriter(bench: Workbench): Writer {
  const { sql, chain } = bench;
  const held = chain.balancesAt(chain.baseHead);
  return async ({ from, upTo }) => {
    for (let block = from; block <= upTo; block++) {
      const { history, latest } = peerRows(bench, { held, block });
      await sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        // The benchmark measures bytes here, not time.
        await tx`set local synchronous_commit = off`;
        await tx`insert into ${tx(PEER_SCHEMA)}.balance ${tx(latest)}
          on conflict (token, account) do update set amount = excluded.amount`;
        await tx`insert into ${tx(PEER_SCHEMA)}.history ${tx(history)}`;
      });
    }
  };
}
