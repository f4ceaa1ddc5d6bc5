// An index of facts written down by hand, folded by the product's own fold up to the last final block, the rest above it.
import type { Sql } from "postgres";
import type { ChainFile } from "../../chains/chain-file.ts";
import { indexingOf } from "../../chains/indexing.ts";
import { sourcesText } from "../../chains/sources.ts";
import { quoted } from "../../fold/tables.ts";
import { catchUpAlone, foldFacts, followFacts, reportedSteps, type StepsOf, stepsOfChain } from "./folded-index.ts";
import { createFactTables, insertBlocks, pointAt, timestampOf } from "./index-fixture.ts";
import { type Fact, ZERO } from "./reference-ledger.ts";

export const SCRIPT_CHAIN_ID = 31337;

/** An object is JSON. */
type Values = Record<string, string | number | null | Readonly<Record<string, unknown>>>;

/** Facts in the order in which a chain would log them; each call is one log, `nextBlock` begins another block. */
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
  finalized: number;
  /** Without one nothing is folded that has to be replayed, and no token is a weth9. */
  chain?: ChainFile;
  /** Stores what readers of the chain would have read. */
  prepare?: () => Promise<void>;
}

/** What folds the script. */
const scriptSteps = ({ chain }: Pick<ScriptIndex, "chain">): StepsOf =>
  chain === undefined ? reportedSteps : stepsOfChain(chain);

/** After a test has changed Ponder's tables: what the running fold does then. */
export const followScripted = (sql: Sql, index: ScriptIndex): Promise<void> =>
  followFacts(sql, index, scriptSteps(index));

/** After what a contract waits for has been stored: it catches up alone. */
export const catchUpScripted = (sql: Sql, index: ScriptIndex): Promise<void> =>
  catchUpAlone(sql, index, scriptSteps(index));

/** One statement for each table, sent together. */
function rowsDml(schema: string, rows: Script["rows"]): string {
  return [...new Set(rows.map(({ table }) => table))]
    .map((name) => {
      const table = `${quoted(schema)}.${quoted(name)}`;
      const own = rows.flatMap((row) => (row.table === name ? [row.values] : []));
      const json = JSON.stringify(own).replaceAll("'", "''");
      return `insert into ${table} select * from json_populate_recordset(null::${table}, '${json}')`;
    })
    .join(";\n");
}

/** Gateways are pointed at it; every token has 18 decimals. */
export async function buildScripted(sql: Sql, script: Script, index: ScriptIndex): Promise<void> {
  const { ponderSchema, foldSchema, finalized } = index;
  await createFactTables(sql, ponderSchema);
  await insertBlocks(sql, ponderSchema, { from: 0, to: script.block });
  await sql.unsafe(rowsDml(ponderSchema, script.rows));
  const { weth9 = [], erc4626Vaults } = index.chain === undefined ? {} : indexingOf(index.chain);
  const erc4626 = erc4626Vaults?.addresses ?? [];
  const sources = index.chain === undefined ? {} : { sources: sourcesText(index.chain) };
  const identity = {
    chainId: SCRIPT_CHAIN_ID,
    ponderSchema,
    foldSchema,
    firstBlock: 0,
    ...{ weth9, erc4626 },
    ...sources,
  };
  await foldFacts(sql, { ...identity, finalized, prepare: index.prepare }, scriptSteps(index));
  const tokens = [...new Set(script.transfers.map((fact) => fact.token))];
  await sql`insert into ${sql(foldSchema)}.token
    select decode(substr(token, 3), 'hex'), 'T', 'T', 18, 0, null from unnest(${tokens}::text[]) t(token)`;
  await pointAt(sql, { ...index, chainId: SCRIPT_CHAIN_ID, firstBlock: 0, head: script.block, facts: [] });
}
