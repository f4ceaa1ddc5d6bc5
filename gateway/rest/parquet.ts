// Rows as a Parquet file, a row group at a time. All columns are text, so that amounts beyond 2^64 stay exact.
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Column } from "./answer-format.ts";

/** What is in memory of an answer: some megabytes. */
const ROWS_PER_GROUP = 10_000;

export interface ParquetFile<Row> {
  /** The bytes that follow those given before; often none, as rows wait until their group is full. */
  take(rows: readonly Row[]): Promise<Uint8Array>;
  /** The last bytes. */
  end(): Promise<Uint8Array>;
}

/** `about` becomes the file's key-value metadata. */
export function openParquet<Row>(
  columns: readonly Column<Row>[],
  about: Readonly<Record<string, string>>,
): ParquetFile<Row> {
  const texts: (string | null)[][] = columns.map(() => []);
  const text = { type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" } as const;
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(({ name }) => ({ name, ...text }))],
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
  });
  const writeGroups = async (rows: number) => {
    const columnData = columns.map(({ name }, i) => ({ name, data: texts[i]?.splice(0, rows) ?? [] }));
    await parquet.write({ columnData, rowGroupSize: ROWS_PER_GROUP });
  };
  const waiting = () => texts[0]?.length ?? 0;
  /** Positions in the file count all bytes written so far, also those given out already. */
  const drained = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  return {
    async take(rows) {
      for (const row of rows)
        for (const [i, { read }] of columns.entries()) {
          const value = read(row);
          texts[i]?.push(value === null ? null : String(value));
        }
      while (waiting() >= ROWS_PER_GROUP) await writeGroups(ROWS_PER_GROUP);
      return drained();
    },
    async end() {
      if (waiting() > 0) await writeGroups(waiting());
      await parquet.finish();
      return drained();
    },
  };
}

/** The whole file, in pieces that are never empty. */
export async function* parquetPieces<Row>(
  batches: AsyncIterator<Row[]>,
  file: ParquetFile<Row>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for (let batch = await batches.next(); !batch.done; batch = await batches.next()) {
      const bytes = await file.take(batch.value);
      if (bytes.length > 0) yield bytes;
    }
    yield await file.end();
  } finally {
    await batches.return?.();
  }
  return undefined;
}
