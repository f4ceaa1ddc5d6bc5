// Ponder's side of the index: fact tables that end at the head, a checkpoint, and blocks that are written live.
import type { Sql } from "postgres";
import { deploymentDdl, quoted } from "../../fold/tables.ts";
import { createPonderTables } from "../../scripts/ponder-tables.ts";
import { BENCH_CHAIN_ID } from "../ground/workbench.ts";
import type { LiveTransfer } from "./live-transfers.ts";
import { BUILD } from "./product-tables.ts";

/** Blocks with a fact of their own before the made-up head; nothing asks for those below. */
const RECORDED_BLOCKS = 1_000;
/** Ponder's checkpoint trails the head by this much. */
export const FINALITY_BLOCKS = 30;

/** Ponder's text for a place on the chain. */
const checkpoint = (block: number): string =>
  `${"1700000000"}${String(BENCH_CHAIN_ID).padStart(16, "0")}${String(block).padStart(16, "0")}`.padEnd(75, "0");

const blockHash = (block: number): string => `0x${block.toString(16).padStart(64, "0")}`;
const timestampOf = (block: number): number => 1_700_000_000 + 2 * block;

/** Writes everything that a gateway and a fold look for; `head` is final and folded. Returns what identifies these tables. */
export async function writeFacts(db: Sql, schema: string, head: number): Promise<string> {
  const s = quoted(schema);
  await db.unsafe(`
    create schema ${s};
    create table ${s}._ponder_meta (key text primary key, value jsonb);
    insert into ${s}._ponder_meta values ('app', '{"build_id": "${BUILD}", "is_ready": 1}');
    create table ${s}._ponder_checkpoint (chain_name text primary key, chain_id int8 not null,
      safe_checkpoint varchar(75), latest_checkpoint varchar(75), finalized_checkpoint varchar(75));
    insert into ${s}._ponder_checkpoint values
      ('bench', ${BENCH_CHAIN_ID}, '${checkpoint(head + 1)}', '${checkpoint(head)}', '${checkpoint(head + 1)}')`);
  await createPonderTables(db, schema);
  await db.unsafe(`
    insert into ${s}.block (number, hash, timestamp)
    select n, '0x' || lpad(to_hex(n), 64, '0'), 1700000000 + 2 * n from generate_series(${head - RECORDED_BLOCKS}, ${head}) n;
    analyze ${s}.block`);
  const [row] = await db.unsafe(`select '${s}.block'::regclass::oid::text as oid`);
  return String(row?.oid);
}

/** Points gateways at a fold, and says where the chain is. */
export async function pointAt(
  db: Sql,
  place: { ponderSchema: string; foldSchema: string },
  head: number,
): Promise<void> {
  await db.unsafe(deploymentDdl);
  await db.unsafe(
    `insert into tidemark.live (chain_id, ponder_schema, fold_schema) values (${BENCH_CHAIN_ID}, $1, $2)`,
    [place.ponderSchema, place.foldSchema],
  );
  await db.unsafe(`
    insert into tidemark.chain_head (chain_id, chain_head, highest_head) values (${BENCH_CHAIN_ID}, ${head}, ${head})`);
}

/** One block with its transfers, as Ponder commits it. */
export async function writeBlock(
  db: Sql,
  schema: string,
  { block, transfers }: { block: number; transfers: readonly LiveTransfer[] },
): Promise<void> {
  const s = quoted(schema);
  const safe = checkpoint(block - FINALITY_BLOCKS + 1);
  const rows = transfers.map(
    ({ token, from, to, amount }, i) =>
      `(${block}, ${i}, ${i}, ${timestampOf(block)}, '${token}', '${from}', '${to}', ${amount})`,
  );
  await db.unsafe(`
    begin;
    insert into ${s}.block (number, hash, timestamp) values (${block}, '${blockHash(block)}', ${timestampOf(block)});
    insert into ${s}.erc20_transfer (block, log_index, tx_index, timestamp, token, "from", "to", amount)
      values ${rows.join(", ")};
    update ${s}._ponder_checkpoint set latest_checkpoint = '${checkpoint(block)}',
      safe_checkpoint = greatest(safe_checkpoint, '${safe}'), finalized_checkpoint = greatest(finalized_checkpoint, '${safe}');
    update tidemark.chain_head set chain_head = ${block}, highest_head = ${block}, updated_at = now();
    commit`);
}
