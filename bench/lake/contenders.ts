// The contenders that answer "all holders of the hot token at a block", each in its own way; every row is read into this process
// and every amount made an integer.
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { productText } from "../as-of/ground.ts";
import type { ChdbSession } from "./chdb.ts";
import { FILES, questionText, SERVER } from "./clickhouse.ts";
import type { LakeGround } from "./ground.ts";

/** 0x address and raw units, in any order. */
export type Holding = readonly [account: string, amount: bigint];

/** `read` reads the rows; `holdings` turns bytes into addresses, which is not measured. */
export interface Contender {
  name: ContenderName;
  read(block: number): Promise<{ holdings(): Holding[] }>;
}

export type ContenderName = "postgres" | "duckdb parquet" | "duckdb csv" | "chdb tables" | "chdb parquet";

const NOBODY = `'0x${"0".repeat(40)}'`;

const postgresRows = ({ db }: LakeGround): Contender => ({
  name: "postgres",
  async read(block) {
    const rows = await db.unsafe<{ account: Buffer; amount: string }[]>(productText(block));
    const amounts = rows.map(({ amount }) => BigInt(amount));
    return { holdings: () => rows.map(({ account }, i) => [`0x${account.toString("hex")}`, amounts[i] ?? 0n]) };
  },
});

/** Rows of an account and its amount, separated by tabs. */
function parsed(answer: string): { holdings(): Holding[] } {
  const holdings = answer.split("\n").map((row): Holding => {
    const tab = row.indexOf("\t");
    return [row.slice(0, tab), BigInt(row.slice(tab + 1))];
  });
  return { holdings: () => holdings };
}

/** As one text: DuckDB hands values to Node one by one, which would take longer than the query. */
async function duckRows(duck: DuckDBConnection, text: string) {
  const rows = await duck.runAndReadAll(
    `select string_agg(account || chr(9) || amount, chr(10)) from (${text}) as held (account, amount)`,
  );
  return parsed(String(rows.getRows()[0]?.[0]));
}

/** The two files that have the rows which hold at a block. */
function filesAt({ manifest, folder }: LakeGround, block: number): { closed: string; open: string } {
  const segment = manifest.segments.find(({ first, last }) => first <= block && block <= last);
  const pathOf = (dataset: string): string => {
    const file = segment?.files.find((one) => one.dataset === dataset);
    if (!file) throw new Error(`the lake has no ${dataset} at block ${block}`);
    return join(folder, file.path);
  };
  return { closed: pathOf("holding_closed"), open: pathOf("holding_open") };
}

const duckParquet = (ground: LakeGround, duck: DuckDBConnection): Contender => ({
  name: "duckdb parquet",
  read(block) {
    const { closed, open } = filesAt(ground, block);
    const held = `ledger = 'erc20' and token = '${ground.hot}' and account <> ${NOBODY} and from_block <= ${block}`;
    return duckRows(
      duck,
      `select account, amount from read_parquet('${closed}') where ${held} and to_block > ${block}
        union all select account, amount from read_parquet('${open}') where ${held}`,
    );
  },
});

/** Without index or intervals: every transfer of the token up to the block is summed up. */
const duckCsv = (ground: LakeGround, duck: DuckDBConnection): Contender => ({
  name: "duckdb csv",
  read(block) {
    const transfers = `read_csv('${ground.csv}', header = true, auto_detect = false, delim = ',',
      columns = {block: 'INTEGER', token: 'VARCHAR', "from": 'VARCHAR', "to": 'VARCHAR', amount: 'VARCHAR'})
      where token = '${ground.hot}' and block <= ${block}`;
    return duckRows(
      duck,
      `select account, sum(change)::varchar as amount from (
         select "to" as account, amount::bignum as change from ${transfers}
         union all select "from", '0'::bignum - amount::bignum from ${transfers})
        where account <> ${NOBODY} group by account having sum(change) > '0'::bignum`,
    );
  },
});

const chdbRows = (
  chdb: ChdbSession,
  { hot }: LakeGround,
  { name, database }: { name: ContenderName; database: string },
): Contender => ({
  name,
  async read(block) {
    chdb.query(`use ${database}`);
    const text = questionText("holders");
    const answer = (await chdb.queryBindAsync(text, { token: hot, block }, { format: "TabSeparated" })).text();
    return parsed(answer.trimEnd());
  },
});

/** All contenders over one ground, and a function that ends them. */
export async function openContenders(
  ground: LakeGround,
  chdb: ChdbSession,
): Promise<{ contenders: readonly Contender[]; close(): void }> {
  const instance = await DuckDBInstance.create(":memory:");
  const duck = await instance.connect();
  return {
    contenders: [
      postgresRows(ground),
      duckParquet(ground, duck),
      duckCsv(ground, duck),
      chdbRows(chdb, ground, { name: "chdb tables", database: SERVER }),
      chdbRows(chdb, ground, { name: "chdb parquet", database: FILES }),
    ],
    close() {
      duck.closeSync();
      instance.closeSync();
    },
  };
}
