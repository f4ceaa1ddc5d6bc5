// An index as Ponder and the fold leave it, written from a list of facts: fact tables up to the head, as-of tables up to
// the last final block (from the reference, so that the fold is not needed to test what reads it).
import type { Sql } from "postgres";
import { copyRegistries } from "../../fold/facts/recent-facts.ts";
import { dropFoldDdl } from "../../fold/fold-schema.ts";
import { changeLive } from "../../fold/revision.ts";
import { deploymentDdl, quoted } from "../../fold/tables.ts";
import { createPonderTables } from "../../scripts/ponder-tables.ts";
import { createIndexedFold, followFacts, setCheckpoint } from "./folded-index.ts";
import { putBack, takeFacts } from "./index-stock.ts";
import { type Fact, historiesOf, isChange } from "./reference-ledger.ts";

export interface Index {
  chainId: number;
  ponderSchema: string;
  foldSchema: string;
  firstBlock: number;
  head: number;
  finalized: number;
  facts: readonly Fact[];
  /** Decimals by token; tokens without an entry have no metadata yet, `null` means the contract gives none. */
  decimals?: Readonly<Record<string, number | null>>;
  chainHead?: number;
}

export const timestampOf = (block: number): number => 1_700_000_000 + 2 * block;
export const hashOf = (block: number, fork = 0): string => `0x${fork}${block.toString(16).padStart(63, "0")}`;

/** Ponder's schema: the fact tables and its own. */
export async function createFactTables(sql: Sql, schema: string): Promise<void> {
  if (!(await takeFacts(sql, schema))) await makeFactTables(sql, schema);
  await sql.unsafe(
    `insert into ${quoted(schema)}._ponder_meta values ('app', '{"build_id": "fixture", "is_ready": 1}')`,
  );
}

/** The tables alone. */
export async function makeFactTables(sql: Sql, schema: string): Promise<void> {
  const s = quoted(schema);
  await sql.unsafe(`
    create schema ${s};
    create table ${s}._ponder_meta (key text primary key, value jsonb);
    create table ${s}._ponder_checkpoint (chain_name text primary key, chain_id int8 not null,
      safe_checkpoint varchar(75), latest_checkpoint varchar(75), finalized_checkpoint varchar(75))`);
  await createPonderTables(sql, schema);
}

export async function insertBlocks(
  sql: Sql,
  schema: string,
  range: { from: number; to: number; fork?: number },
): Promise<void> {
  const rows = [];
  for (let number = range.from; number <= range.to; number++)
    rows.push({ number, hash: hashOf(number, range.fork), timestamp: timestampOf(number) });
  for (let i = 0; i < rows.length; i += 5_000)
    await sql`insert into ${sql(schema)}.block ${sql(rows.slice(i, i + 5_000))}`;
}

export async function insertFacts(sql: Sql, schema: string, facts: readonly Fact[]): Promise<void> {
  const common = (fact: Fact) => ({
    block: fact.block,
    log_index: fact.logIndex,
    tx_index: 0,
    timestamp: timestampOf(fact.block),
    token: fact.token,
    amount: fact.amount.toString(),
  });
  const write = async (table: string, rows: readonly object[]) => {
    for (let i = 0; i < rows.length; i += 5_000)
      await sql`insert into ${sql(schema)}.${sql(table)} ${sql(rows.slice(i, i + 5_000) as Record<string, string>[])}`;
  };
  const of = (kind: Fact["kind"]) => facts.filter((fact) => fact.kind === kind);
  await write(
    "erc20_transfer",
    of("transfer").map((fact) => ({ ...common(fact), from: fact.from, to: fact.to })),
  );
  await write(
    "weth9_deposit",
    of("deposit").map((fact) => ({ ...common(fact), account: fact.to })),
  );
  await write(
    "weth9_withdrawal",
    of("withdrawal").map((fact) => ({ ...common(fact), account: fact.to })),
  );
}

const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");

/** The fold's schema as of `finalized`. */
export async function writeFold(sql: Sql, index: Index): Promise<void> {
  const { foldSchema, ponderSchema, chainId, firstBlock, finalized, facts } = index;
  const s = quoted(foldSchema);
  await setCheckpoint(sql, ponderSchema, finalized + 1);
  await createIndexedFold(sql, { chainId, ponderSchema, foldSchema, firstBlock, weth9: [], erc4626: [] });
  const tokens = new Map<string, number>();
  for (const fact of facts) {
    if (fact.block > finalized || tokens.has(fact.token) || !isChange(fact)) continue;
    tokens.set(fact.token, tokens.size + 1);
    await sql`insert into ${sql(foldSchema)}.asset values
      (${tokens.size}, 'erc20', ${bytes(fact.token)}, ${fact.block}, ${fact.logIndex})`;
  }
  const rows = holdingRows(index, tokens);
  for (const [table, list] of Object.entries(rows))
    for (let i = 0; i < list.length; i += 5_000)
      await sql`insert into ${sql(foldSchema)}.${sql(table)} ${sql(list.slice(i, i + 5_000) as Record<string, string>[])}`;
  await sql.unsafe(`select setval('${s}.asset_id', ${tokens.size + 1}, false)`);
  await copyRegistries(sql, { ponder: ponderSchema, fold: foldSchema }, { after: firstBlock - 1, upTo: finalized });
  await sql.unsafe(`update ${s}.meta set finalized = $1, head = $1, folded_facts = $2`, [
    finalized,
    facts.filter((fact) => fact.block <= finalized).length + finalized - firstBlock + 1,
  ]);
  await writeMetadata(sql, index);
  await followFacts(sql, index);
}

/** Rows of the as-of tables, from the reference's histories. */
function holdingRows({ facts, finalized }: Index, tokens: ReadonlyMap<string, number>) {
  const rows = { holding_current: [] as object[], holding_interval: [] as object[], holder: [] as object[] };
  for (const [key, history] of historiesOf(facts, finalized)) {
    const [owner = "", account = ""] = key.split(" ");
    const place = { asset: owner === "supply" ? 0 : (tokens.get(owner) ?? -1), account: bytes(account) };
    if (owner !== "supply") rows.holder.push(place);
    for (const [i, { block, amount }] of history.entries()) {
      const next = history[i + 1]?.block;
      if (amount === 0n) continue;
      if (next === undefined) rows.holding_current.push({ ...place, since: block, amount: amount.toString() });
      else {
        const interval = { from_block: block, to_block: next, lvl: 31 - Math.clz32(next - block) };
        rows.holding_interval.push({ ...place, ...interval, amount: amount.toString() });
      }
    }
  }
  return rows;
}

async function writeMetadata(sql: Sql, { foldSchema, decimals = {}, finalized }: Index): Promise<void> {
  for (const [token, value] of Object.entries(decimals)) {
    const problem = value === null ? "decimals() is 255, outside 0-77" : null;
    await sql`insert into ${sql(foldSchema)}.token values
      (${bytes(token)}, ${`Token ${token.slice(-2)}`}, ${`T${token.slice(-2)}`}, ${value}, ${finalized}, ${problem})`;
  }
}

/** Points gateways at the index; `chainHead` defaults to the index's head. */
export async function pointAt(sql: Sql, index: Index): Promise<void> {
  await sql.unsafe(deploymentDdl);
  const { chainId, ponderSchema, foldSchema } = index;
  const head = index.chainHead ?? index.head;
  await switchGateways(sql, { chainId, ponderSchema, foldSchema });
  // a fold that lives for as long as the test
  await sql`
    insert into tidemark.part (chain_id, part, schema, started_at, beat_at, due_at)
    values (${chainId}, 'fold', ${foldSchema}, now(), now(), 'infinity') on conflict do nothing`;
  await sql`
    insert into tidemark.chain_head (chain_id, chain_head, highest_head, updated_at)
    values (${chainId}, ${head}, ${head}, now() + interval '1 hour')
    on conflict (chain_id) do update set chain_head = ${head}, highest_head = ${head}, updated_at = excluded.updated_at`;
}

/** As a takeover does. */
export async function switchGateways(
  sql: Sql,
  { chainId, ponderSchema, foldSchema }: Pick<Index, "chainId" | "ponderSchema" | "foldSchema">,
): Promise<void> {
  await changeLive(sql, chainId, {
    change: `insert into tidemark.live (chain_id, ponder_schema, fold_schema) values ($1, $2, $3)
      on conflict (chain_id) do update set ponder_schema = $2, fold_schema = $3, since = now()`,
    parameters: [chainId, ponderSchema, foldSchema],
  });
}

export async function buildIndex(sql: Sql, index: Index): Promise<void> {
  await createFactTables(sql, index.ponderSchema);
  await insertBlocks(sql, index.ponderSchema, { from: index.firstBlock, to: index.head });
  await insertFacts(sql, index.ponderSchema, index.facts);
  await writeFold(sql, index);
  await pointAt(sql, index);
}

export async function dropIndex(sql: Sql, index: Pick<Index, "ponderSchema" | "foldSchema">): Promise<void> {
  if (await putBack(sql, index)) return;
  await sql.unsafe(`${dropFoldDdl(index.foldSchema)}; drop schema if exists ${quoted(index.ponderSchema)} cascade`);
}
