// Ponder's tables as Ponder leaves them: blocks come one by one or together, are replaced, vanish and come back; each change
// is one transaction.
import type { Sql } from "postgres";
import { blockColumn, everyFactTable } from "../../../core/fact-tables.ts";
import { quoted } from "../../../fold/tables.ts";
import { setCheckpoint } from "../../support/folded-index.ts";
import { createFactTables, timestampOf } from "../../support/index-fixture.ts";
import type { FactRow } from "./block-scribe.ts";
import type { ChainBlock } from "./random-chain.ts";

/** A block with the facts that the node gave of it, which need not be all. */
export interface ReportedBlock {
  block: ChainBlock;
  rows: readonly FactRow[];
}

const literal = (rows: readonly object[]): string => `'${JSON.stringify(rows).replaceAll("'", "''")}'::json`;

export class PonderLikeTables {
  readonly schema: string;
  readonly #sql: Sql;
  #path: ReportedBlock[] = [];
  /** Everything below is final. */
  safe = 1;

  constructor(sql: Sql, schema: string) {
    this.#sql = sql;
    this.schema = schema;
  }

  async create(genesis: ReportedBlock): Promise<void> {
    await createFactTables(this.#sql, this.schema);
    await setCheckpoint(this.#sql, this.schema, this.safe);
    await this.append([genesis]);
  }

  /** From the first block on, its number in the place of that number. */
  get path(): readonly ReportedBlock[] {
    return this.#path;
  }

  get head(): number {
    return this.#path.length - 1;
  }

  async append(blocks: readonly ReportedBlock[]): Promise<void> {
    await this.replaceAfter(this.head, blocks);
  }

  /** Deletes all blocks after `common` and puts `blocks` there. */
  async replaceAfter(common: number, blocks: readonly ReportedBlock[]): Promise<void> {
    const s = quoted(this.schema);
    const deleted =
      common < this.head
        ? everyFactTable.map((table) => `delete from ${s}.${table} where ${blockColumn(table)} > ${common}`)
        : [];
    const inserted = [...groupedByTable(blocks)].map(
      ([table, rows]) =>
        `insert into ${s}.${table} select * from json_populate_recordset(null::${s}.${table}, ${literal(rows)})`,
    );
    // statements sent together are one transaction
    await this.#sql.unsafe([...deleted, ...inserted].join(";\n"));
    this.#path = [...this.#path.slice(0, common + 1), ...blocks];
  }

  /** Blocks below `safe` are final from now on. */
  async finalizeBelow(safe: number): Promise<void> {
    this.safe = safe;
    await setCheckpoint(this.#sql, this.schema, safe);
  }
}

function groupedByTable(blocks: readonly ReportedBlock[]): Map<string, object[]> {
  const groups = new Map<string, object[]>();
  const add = (table: string, row: object) => {
    const rows = groups.get(table) ?? [];
    groups.set(table, rows);
    rows.push(row);
  };
  for (const { block, rows } of blocks) {
    add("block", { number: block.number, hash: block.hash, timestamp: timestampOf(block.number) });
    for (const { table, row } of rows) add(table, row);
  }
  return groups;
}
