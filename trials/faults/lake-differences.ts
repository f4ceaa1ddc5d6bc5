// Compares two lakes of one chain file by file, by the bytes that are there, not by what the manifests say about them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { literal } from "../../core/sql-literal.ts";
import { findWrong } from "../../lake/check-lake.ts";
import { openDuck } from "../../lake/duck.ts";
import { type FileEntry, filesOf, type Manifest, readManifest } from "../../lake/manifest.ts";

const SHOWN_ROWS = 3;

/** A lake's folder for the chain, and its content. */
interface OpenedLake {
  folder: string;
  manifest: Manifest;
}

/** @throws Error where there is no manifest, ManifestError where it is not complete */
async function openLake(folder: string): Promise<OpenedLake> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) throw new Error(`${folder} has no manifest`);
  return { folder, manifest };
}

export interface LakeDifferences {
  files: number;
  bytes: number;
  /** Of the first lake. */
  root: string;
  lastBlock: number;
  segments: number;
  /** One line each; none: both are the same to the byte. */
  differences: string[];
}

/** `first`, `second`: folders of the chain. The first file that differs is named with rows that only one of them has. */
export async function lakeDifferences(first: string, second: string): Promise<LakeDifferences> {
  const [one, other] = [await openLake(first), await openLake(second)];
  const files = filesOf(one.manifest);
  const differences: string[] = [];
  for (const { folder, manifest } of [one, other])
    for (const { file, found } of await findWrong(folder, manifest))
      differences.push(`${folder}/${file.path} ${found}`);
  const paths = differingPaths(files, filesOf(other.manifest));
  if (paths[0] !== undefined) differences.push(...(await differingRows(one, other, paths[0])));
  differences.push(...paths.slice(1).map((path) => `${path} differs`));
  if (one.manifest.root !== other.manifest.root)
    differences.push(`the roots are ${one.manifest.root} and ${other.manifest.root}`);
  else if (JSON.stringify(one.manifest) !== JSON.stringify(other.manifest)) differences.push("the manifests differ");
  return {
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    root: one.manifest.root,
    lastBlock: one.manifest.segments.at(-1)?.last ?? -1,
    segments: one.manifest.segments.length,
    differences,
  };
}

/** In the order of blocks, then of names. */
function differingPaths(files: readonly FileEntry[], others: readonly FileEntry[]): string[] {
  const hashes = (of: readonly FileEntry[]) => new Map(of.map(({ path, sha256 }) => [path, sha256]));
  const [mine, theirs] = [hashes(files), hashes(others)];
  const segmentOf = (path: string) => path.slice(path.indexOf("/"));
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .filter((path) => mine.get(path) !== theirs.get(path))
    .sort((a, b) => (`${segmentOf(a)} ${a}` < `${segmentOf(b)} ${b}` ? -1 : 1));
}

async function differingRows(one: OpenedLake, other: OpenedLake, path: string): Promise<string[]> {
  const entries = [one, other].map(({ manifest }) => filesOf(manifest).find((file) => file.path === path));
  const line = `${path} is the first that differs: ${entries.map((entry) => (entry ? `${entry.rows} rows` : "missing")).join(", ")}`;
  if (entries.some((entry) => entry === undefined)) return [line];
  const folder = await mkdtemp(join(tmpdir(), "tidemark-differences-"));
  const duck = await openDuck(folder);
  try {
    const rowsOf = ({ folder: place }: OpenedLake) => `select * from read_parquet(${literal(join(place, path))})`;
    const only = async (name: string, has: OpenedLake, lacks: OpenedLake) =>
      (await duck.rows(`${rowsOf(has)} except all ${rowsOf(lacks)} limit ${SHOWN_ROWS}`)).map(
        (row) => `${path}, only ${name}: ${JSON.stringify(row)}`,
      );
    return [line, ...(await only("the first", one, other)), ...(await only("the second", other, one))];
  } finally {
    duck.close();
    await rm(folder, { recursive: true, force: true });
  }
}
