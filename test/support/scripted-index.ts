// An index of facts written down by hand, folded by the product's own fold up to a watermark, the rest above it.
import type { Sql } from "postgres";
import { toldStates } from "../../core/told/told-state.ts";
import { foldHoldings } from "../../fold/fold-holdings.ts";
import { stageFacts } from "../../fold/stage-facts.ts";
import { foldIndexesDdl, foldTablesDdl, quoted } from "../../fold/tables.ts";
import { ToldStep } from "../../fold/told/step.ts";
import { createFactTables, insertBlocks, pointAt, timestampOf } from "./index-fixture.ts";
import { type Fact, ZERO } from "./reference-ledger.ts";

export const SCRIPT_CHAIN_ID = 31337;

type Values = Record<string, string | number | null>;

/** Facts in the order in which they are told; each call is one log, `nextBlock` begins another block. */
export class Script {
  readonly transfers: Fact[] = [];
  readonly rows: { table: string; values: Values }[] = [];
  block = 1;
  #log = 0;
  #transaction = 0;

  nextBlock(): number {
    this.#log = 0;
    this.#transaction = 0;
    this.block += 1;
    return this.block;
  }

  nextTransaction(): void {
    this.#transaction += 1;
  }

  move(token: string, { from, to, amount }: { from: string; to: string; amount: bigint }): void {
    this.#log += 1;
    const { block } = this;
    this.transfers.push({ kind: "transfer", block, logIndex: this.#log, token, from, to, amount });
    const place = { block, log_index: this.#log, tx_index: this.#transaction, timestamp: timestampOf(block) };
    this.rows.push({ table: "erc20_transfer", values: { ...place, token, from, to, amount: `${amount}` } });
  }

  mint(token: string, to: string, amount: bigint): void {
    this.move(token, { from: ZERO, to, amount });
  }

  tell(table: string, values: Values): void {
    this.#log += 1;
    const { block } = this;
    const place = { block, log_index: this.#log, tx_index: this.#transaction, timestamp: timestampOf(block) };
    this.rows.push({ table, values: { ...place, ...values } });
  }
}

export interface ScriptIndex {
  ponderSchema: string;
  foldSchema: string;
  watermark: number;
}

/** Gateways are pointed at it; every token has 18 decimals. */
export async function buildScripted(sql: Sql, script: Script, index: ScriptIndex): Promise<void> {
  const { ponderSchema, foldSchema, watermark } = index;
  await createFactTables(sql, ponderSchema);
  await insertBlocks(sql, ponderSchema, { from: 0, to: script.block });
  for (const { table, values } of script.rows) await sql`insert into ${sql(ponderSchema)}.${sql(table)} ${sql(values)}`;
  await sql.unsafe(foldTablesDdl(foldSchema));
  await sql.unsafe(foldIndexesDdl(foldSchema));
  await sql.unsafe(
    `insert into ${quoted(foldSchema)}.meta (chain_id, ponder_schema, ponder_build_id, fact_oid, first_block, watermark, folded_facts)
     values ($1, $2, 'fixture', '${quoted(ponderSchema)}.block'::regclass::oid, 0, $3, 1)`,
    [SCRIPT_CHAIN_ID, ponderSchema, watermark],
  );
  await foldTo(sql, { ponder: ponderSchema, fold: foldSchema }, watermark);
  for (const token of new Set(script.transfers.map((fact) => fact.token)))
    await sql`insert into ${sql(foldSchema)}.token values (${Buffer.from(token.slice(2), "hex")}, 'T', 'T', 18, 0, null)`;
  await pointAt(sql, { ...index, chainId: SCRIPT_CHAIN_ID, firstBlock: 0, head: script.block, facts: [] });
}

async function foldTo(sql: Sql, schemas: { ponder: string; fold: string }, watermark: number): Promise<void> {
  const db = await sql.reserve();
  try {
    const { upTo } = await stageFacts(db, schemas, { after: -1, upTo: watermark });
    if (upTo !== watermark) throw new Error(`one batch took ${upTo} of ${watermark} blocks`);
    const told = toldStates.map((state) => new ToldStep(db, { schemas, state }));
    for (const step of told) await step.open();
    for (const step of told) await step.take({ after: -1, upTo: watermark });
    await db.unsafe("begin");
    await foldHoldings(db, schemas.fold);
    for (const step of told) await step.write();
    await db.unsafe("commit");
  } finally {
    db.release();
  }
}
