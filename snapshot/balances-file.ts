// A snapshot's rows in a file of one of three formats.
import type { BalanceRow } from "../gateway/questions/balances-rows.ts";
import { csvHeader, csvLine } from "../gateway/rest/answer-format.ts";
import { balanceColumns, balanceObject } from "../gateway/rest/balance-columns.ts";
import { openParquet, type ParquetFile } from "../gateway/rest/parquet.ts";
import type { FileFormat } from "./arguments.ts";
import { openPieceFile, type PieceFile } from "./piece-file.ts";

export interface BalancesFile {
  take(rows: readonly BalanceRow[]): Promise<void>;
  /** The file is complete when this resolves. */
  close(): Promise<void>;
}

interface Shape {
  format: FileFormat;
  /** Undefined where the token's contract gives none: then there are only raw amounts. */
  decimals: number | undefined;
  /** Stored in the file where its format has a place for it. */
  about: Readonly<Record<string, string>>;
}

export async function openBalancesFile(path: string, { format, decimals, about }: Shape): Promise<BalancesFile> {
  const columns = balanceColumns(decimals);
  const file = openPieceFile(path);
  if (format === "parquet") return intoFile(openParquet(columns, about), file);
  const toObject = balanceObject(decimals);
  if (format === "csv") await file.write(`${csvHeader(columns)}\n`);
  const lineOf = (row: BalanceRow) =>
    format === "csv" ? csvLine(columns.map(({ read }) => read(row))) : JSON.stringify(toObject(row));
  return {
    take: (rows) => file.write(rows.map((row) => `${lineOf(row)}\n`).join("")),
    close: () => file.close(),
  };
}

const intoFile = (parquet: ParquetFile<BalanceRow>, file: PieceFile): BalancesFile => ({
  take: async (rows) => file.write(await parquet.take(rows)),
  async close() {
    await file.write(await parquet.end());
    await file.close();
  },
});
