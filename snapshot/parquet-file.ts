// Parquet, a row group at a time. All columns are text, so that amounts beyond 2^64 stay exact.
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import type { Column } from "../gateway/rest/answer-format.ts";

const ROWS_PER_GROUP = 50_000;

/** `about` becomes the file's key-value metadata. */
export function openParquetFile<Row>(
  path: string,
  columns: readonly Column<Row>[],
  about: Readonly<Record<string, string>>,
) {
  const texts: (string | null)[][] = columns.map(() => []);
  const columnData = () => columns.map(({ name }, i) => ({ name, data: texts[i] ?? [] }));
  const text = { type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" } as const;
  const parquet = new ParquetWriter({
    writer: fileWriter(path),
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(({ name }) => ({ name, ...text }))],
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
  });
  const flush = async () => {
    await parquet.write({ columnData: columnData(), rowGroupSize: ROWS_PER_GROUP });
    for (const column of texts) column.length = 0;
  };
  return {
    async take(rows: readonly Row[]) {
      for (const row of rows)
        for (const [i, { read }] of columns.entries()) {
          const value = read(row);
          texts[i]?.push(value === null ? null : String(value));
        }
      if ((texts[0]?.length ?? 0) >= ROWS_PER_GROUP) await flush();
    },
    async close() {
      if ((texts[0]?.length ?? 0) > 0) await flush();
      await parquet.finish();
    },
  };
}
