// One Parquet file of the lake, written aside: sorted rows, flushed to the disk, with what the manifest says about it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { isOrdered, type LakeColumn } from "../core/lake/columns.ts";
import type { Dataset } from "../core/lake/datasets.ts";
import { segmentFile } from "../core/lake/paths.ts";
import type { Segment } from "../core/lake/segments.ts";
import { literal } from "../core/sql-literal.ts";
import { type Duck, listedNames, parquetText } from "./duck.ts";
import type { FileEntry } from "./manifest.ts";

export interface MadeFile {
  entry: FileEntry;
  /** Where it lies until it is moved to the path of `entry`. */
  aside: string;
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes the rows of a dataset's segment below `folder`. `from`: DuckDB's FROM item of rows with its columns. Undefined: there
 * are none.
 */
export async function makeFile(
  duck: Duck,
  { dataset, segment, from, folder }: { dataset: Dataset; segment: Segment; from: string; folder: string },
): Promise<MadeFile | undefined> {
  const aside = `${folder}/${dataset.name}.parquet`;
  const select = `select ${listedNames(dataset.columns)} from ${from}`;
  await duck.run(parquetText(`${select} order by ${dataset.order.map((name) => `"${name}"`).join(", ")}`, aside));
  const { rows, min, max } = await readExtremes(duck, aside, dataset.columns);
  if (rows === 0) {
    await rm(aside);
    return undefined;
  }
  await flush(aside);
  const [{ size: bytes }, sha256] = await Promise.all([stat(aside), hashOfFile(aside)]);
  return {
    aside,
    entry: { dataset: dataset.name, path: segmentFile(dataset.name, segment), rows, bytes, sha256, min, max },
  };
}

type Extremes = Record<string, string | number>;

async function readExtremes(
  duck: Duck,
  file: string,
  columns: readonly LakeColumn[],
): Promise<{ rows: number; min: Extremes; max: Extremes }> {
  const ordered = columns.filter(isOrdered);
  const selected = ordered.flatMap(({ name }, i) => [`min("${name}") as min${i}`, `max("${name}") as max${i}`]);
  const [row = {}] = await duck.rows(
    `select ${["count(*)::int4 as count", ...selected].join(", ")} from read_parquet(${literal(file)})`,
  );
  const extremes = (of: "min" | "max"): Extremes =>
    Object.fromEntries(
      ordered.flatMap(({ name }, i) => {
        const value = row[`${of}${i}`];
        return value === null || value === undefined ? [] : [[name, value as string | number]];
      }),
    );
  return { rows: Number(row.count), min: extremes("min"), max: extremes("max") };
}
