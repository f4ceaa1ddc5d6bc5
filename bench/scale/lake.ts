// Bytes of the lake's rows: made-up rows, written by DuckDB as the lake writes them, one segment's file after the other.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { watchMemory } from "./memory.ts";

export interface WrittenRows {
  rows: number;
  bytes: number;
  seconds: number;
}

/** Files of a chain with a hundred million transfers. */
export interface RowsRun {
  transfers: WrittenRows;
  open: WrittenRows;
  /** Stand for all events other than transfers. */
  swaps: WrittenRows;
}

export interface LakeRun {
  /** Closed intervals after each number of rows, the largest number last. */
  closed: WrittenRows[];
  /** Peak bytes of the process. */
  memory: number;
}

const MEMORY_LIMIT = "1GB";
const ROW_GROUP = 122_880;
const BLOCKS_OF_FILE = 40_000;
const TRANSFERS_PER_BLOCK = 50;
const TOKENS = 20_000;
/** The number of accounts grows with the rows. */
const ROWS_PER_ACCOUNT = 20;

/** A number in [0, 1) for row `i`. */
const draw = (seed: number): string => `((hash(i, ${seed}) % 9007199254740992)::double / 9007199254740992)`;
const hex = (text: string): string => `'0x' || substr(sha256(${text}), 1, 40)`;
/** Ranks from 1 to `most`: the n-th is drawn about 1/n as often as the first. */
const zipf = (seed: number, most: string): string => `floor(exp(${draw(seed)} * ln(${most})))::bigint`;
/** About 25 digits, as amounts of 18 decimals have. */
const amount = (seed: number): string =>
  `(hash(i, ${seed}) % 900000000 + 1000000)::varchar || lpad((hash(i, ${seed + 1}) % 10000000000000000)::varchar, 16, '0')`;

/** A third of the rows belong to a few hub accounts, the others to any of `most` accounts. */
const account = (seed: number, most: number): string =>
  hex(
    `'account ' || case when ${draw(seed)} < 0.3 then ${zipf(seed + 1, String(most))} else floor(${draw(seed + 2)} * ${most})::bigint end`,
  );
/** Half of the rows belong to one token. */
const token = (seed: number): string =>
  hex(`'token ' || case when ${draw(seed)} < 0.5 then 1 else ${zipf(seed + 1, String(TOKENS))} end`);

interface File {
  /** The file has rows [from, to). */
  from: number;
  to: number;
  first: number;
  last: number;
}

const numbersOf = ({ from, to }: File): string => `range(${from}, ${to}) r(i)`;
const accountsAt = ({ to }: File): number => Math.max(Math.ceil(to / ROWS_PER_ACCOUNT), 1_000);

const holding = (
  file: File,
): string => `'erc20' as ledger, ${token(1)} as token, ${account(3, accountsAt(file))} as account,
  ${amount(6)} as amount`;

/** Intervals that ended in the file's blocks; most soon after they began, some as old as the chain. */
const closedRows = (file: File): string => `
  select ledger, token, account, amount, (ended - floor(exp(age * ln(ended))))::int as from_block, ended::int as to_block
    from (select ${holding(file)}, ${draw(9)} as age, ${file.first} + floor(${draw(8)} * ${file.last - file.first + 1}) as ended
            from ${numbersOf(file)}) h
   order by ledger, token, account, from_block`;

/** Every account holds one token: few hold several, and their rows take less space. */
const openRows = (file: File): string => `
  select 'erc20' as ledger, ${token(1)} as token, ${hex("'account ' || i")} as account, ${amount(6)} as amount,
         floor(${draw(8)} * ${file.last})::int as from_block
    from ${numbersOf(file)} order by ledger, token, account, from_block`;

const place = (file: File): string => `
  (${file.first} + (i - ${file.from}) // ${TRANSFERS_PER_BLOCK})::int as block, (i % ${TRANSFERS_PER_BLOCK})::int as log_index,
  (i % ${TRANSFERS_PER_BLOCK} // 2)::int as tx_index, (1700000000 + 2 * (i // ${TRANSFERS_PER_BLOCK}))::int as timestamp`;

const transferRows = (file: File): string => `
  select ${place(file)}, ${token(1)} as token, ${account(3, accountsAt(file))} as "from",
         ${account(10, accountsAt(file))} as "to", ${amount(6)} as amount
    from ${numbersOf(file)}`;

const swapRows = (file: File): string => `
  select ${place(file)}, ${token(1)} as pool, ${account(3, accountsAt(file))} as sender,
         ${account(10, accountsAt(file))} as recipient, ${amount(6)} as amount0, '-' || ${amount(14)} as amount1,
         ${amount(16)} as sqrt_price_x96, ${amount(18)} as liquidity, floor(${draw(20)} * 2000)::int as tick
    from ${numbersOf(file)}`;

interface Bench {
  connection: DuckDBConnection;
  /** Where a file lies while it is measured. */
  file: string;
}

/** DuckDB as the lake's writer opens it, and a folder, for as long as `use` runs. */
async function withDuck<T>(use: (bench: Bench) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-scale-lake-"));
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: MEMORY_LIMIT,
    temp_directory: join(folder, "spilled"),
  });
  const connection = await instance.connect();
  try {
    return await use({ connection, file: join(folder, "rows.parquet") });
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

const report = (name: string, { rows, bytes, seconds }: WrittenRows): void =>
  console.log(
    `${name}: ${rows.toLocaleString("en-US")} rows, ${(bytes / rows).toFixed(1)} bytes each, ${seconds.toFixed(0)} s`,
  );

/** `sizes`: the largest size is written, and the others are measured on the way. */
export function measureLake(sizes: readonly number[], rowsOfFile: number): Promise<LakeRun> {
  return withDuck(async (bench) => {
    const memory = watchMemory({ writer: process.pid });
    try {
      const closed = await writeFiles({
        ...bench,
        sizes,
        rowsOfFile,
        of: closedRows,
        reached: (one) => report("closed intervals", one),
      });
      return { closed, memory: memory.stop().writer };
    } finally {
      memory.stop();
    }
  });
}

const MANY = 100_000_000;

/** `rowsOfFile`: about as many intervals as a segment of a million transfers closes. */
export function measureRows(rowsOfFile: number): Promise<RowsRun> {
  return withDuck(async ({ connection, file }) => {
    const write = async (name: string, of: (file: File) => string): Promise<WrittenRows> => {
      const startedAt = performance.now();
      const last = MANY / TRANSFERS_PER_BLOCK;
      const place = { from: MANY - rowsOfFile, to: MANY, first: last - BLOCKS_OF_FILE + 1, last };
      const bytes = await writeFile({ connection, file }, of(place), rowsOfFile);
      const written = { rows: rowsOfFile, bytes, seconds: (performance.now() - startedAt) / 1000 };
      report(name, written);
      return written;
    };
    return {
      transfers: await write("transfers", transferRows),
      open: await write("open intervals", openRows),
      swaps: await write("swaps", swapRows),
    };
  });
}

/** Bytes of the file, which is then removed. @throws Error unless it has `rows` rows */
async function writeFile({ connection, file: path }: Bench, select: string, rows: number): Promise<number> {
  await connection.run(`copy (${select}) to '${path}' (format parquet, compression zstd, row_group_size ${ROW_GROUP})`);
  const { size } = statSync(path);
  const found = await connection.runAndReadAll(`select count(*)::int from read_parquet('${path}')`);
  const [written] = found.getRows()[0] ?? [];
  if (written !== rows) throw new Error(`a file has ${written} rows, not ${rows}`);
  rmSync(path);
  return size;
}

/** Each file is measured and removed, so that a hundred million rows need the room of one. */
async function writeFiles(work: {
  connection: DuckDBConnection;
  file: string;
  sizes: readonly number[];
  rowsOfFile: number;
  of: (file: File) => string;
  reached: (size: WrittenRows) => void;
}): Promise<WrittenRows[]> {
  const { rowsOfFile, of, reached } = work;
  const sizes = [...work.sizes].sort((a, b) => a - b);
  const startedAt = performance.now();
  const written: WrittenRows[] = [];
  let bytes = 0;
  for (let from = 0, first = 1; written.length < sizes.length; first += BLOCKS_OF_FILE) {
    const rows = Math.min(from + rowsOfFile, sizes[written.length] ?? 0);
    const file = { from, to: rows, first, last: first + BLOCKS_OF_FILE - 1 };
    bytes += await writeFile(work, of(file), rows - from);
    from = rows;
    if (rows !== sizes[written.length]) continue;
    const size = { rows, bytes, seconds: (performance.now() - startedAt) / 1000 };
    reached(size);
    written.push(size);
  }
  return written;
}
